"""What was done to a study (closed, opened again, somebody let in), in words, and who does it."""

import click

from reviewer.cli.app_launch import OWN_NAME, own_name
from reviewer.core.sanitize import one_line
from store.records import StudyAct

_DEEDS = {
    "close": "closed",
    "reopen": "opened again",
    "admit": "let adjudicate",
    "lead": "named as lead:",
    "exclude": "left out:",
    "include": "counted again:",
}
as_option = click.option("--as", "who", default=own_name, help=f"Your name. {OWN_NAME}")


def act_in_words(act: StudyAct) -> str:
    """One line on one act: when, what, who, why."""
    if act.kind == "lead" and act.subject == act.who:
        return f"{act.at} {act.who} became its lead"
    subject = f" {act.subject}" if act.subject else ""
    owed = ", ".join(f"{rater} owed {count}" for rater, count in act.unfinished.items())
    why = f": {one_line(act.why, 200)}" if act.why else ""
    return f"{act.at} {_DEEDS[act.kind]}{subject} by {act.who}{why}" + (f" ({owed})" if owed else "")
