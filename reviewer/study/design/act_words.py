"""What was done to a study (closed, opened again, somebody let in), in words."""

from collections.abc import Mapping

from reviewer.core.sanitize import one_line
from store.records import ActKind, StudyAct

_DEEDS: Mapping[ActKind, str] = {
    "close": "closed",
    "reopen": "opened again",
    "admit": "let adjudicate",
    "lead": "named as lead:",
    "exclude": "left out:",
    "include": "counted again:",
}


def act_in_words(act: StudyAct) -> str:
    """One line on one act: when, what, who, why."""
    if act.kind == "lead" and act.subject == act.who:
        return f"{act.at} {act.who} became its lead"
    subject = f" {act.subject}" if act.subject else ""
    owed = ", ".join(f"{rater} owed {count}" for rater, count in act.unfinished.items())
    why = f": {one_line(act.why, 200)}" if act.why else ""
    return f"{act.at} {_DEEDS[act.kind]}{subject} by {act.who}{why}" + (f" ({owed})" if owed else "")
