"""What was done to a study (closed, opened again, an adjudicator let in), in words, and who does it."""

import click

from reviewer.cli.app_launch import login_name
from reviewer.core.sanitize import one_line
from store.records import StudyAct

_DEEDS = {"close": "closed", "reopen": "opened again", "admit": "let adjudicate"}
as_option = click.option("--as", "who", default=login_name, help="Your name. Default: your login name.")


def act_in_words(act: StudyAct) -> str:
    """One line on one act: when, what, who, why."""
    subject = f" {act.subject}" if act.subject else ""
    owed = ", ".join(f"{rater} owed {count}" for rater, count in act.unfinished.items())
    why = f": {one_line(act.why, 200)}" if act.why else ""
    return f"{act.at} {_DEEDS[act.kind]}{subject} by {act.who}{why}" + (f" ({owed})" if owed else "")
