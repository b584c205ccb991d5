"""What was done to a study (closed, opened again, somebody let in), in words."""

from collections.abc import Iterable, Mapping

from reviewer.core.sanitize import counted, one_line
from store.records import ActKind, StudyAct

_DEEDS: Mapping[ActKind, str] = {
    "close": "closed",
    "reopen": "opened again",
    "admit": "let adjudicate",
    "lead": "named as lead:",
    "exclude": "left out:",
    "include": "counted again:",
    "withdraw": "labels withdrawn:",
}


def act_in_words(act: StudyAct) -> str:
    """One line on one act: when, what, who, why; of an answer not what it says."""
    if act.kind == "lead" and act.subject == act.who:
        return f"{act.at} {act.who} became its lead"
    if act.kind == "answer":  # its words are for the lead and the rater who is answered
        return f"{act.at} a remark was answered by {act.who}"
    if act.kind == "coefficients":
        words = one_line(act.why, 200) or "the usual ones"
        return f"{act.at} {act.who} chose the coefficients that come first: {words}"
    if act.kind == "third":
        return f"{act.at} {counted(len(act.held), 'more case')} given to {act.subject} by {act.who}"
    subject = f" {act.subject}" if act.subject else ""
    owed = ", ".join(f"{rater} owed {count}" for rater, count in act.unfinished.items())
    why = f": {one_line(act.why, 200)}" if act.why else ""
    return f"{act.at} {_DEEDS[act.kind]}{subject} by {act.who}{why}" + (f" ({owed})" if owed else "")


def answer_to(acts: Iterable[StudyAct], event: str) -> str:
    """The newest answer to a remark with who gave it; "" if there is none in words."""
    given = [act for act in acts if act.kind == "answer" and act.subject == event and act.why]
    return f"{given[-1].who}: {given[-1].why}" if given else ""
