"""``study close|reopen``: when a study takes verdicts, and when no more."""

import click

from reviewer.cli.options import note, store_option
from reviewer.cli.reviewing import login_name
from reviewer.core.plaintext import one_line
from reviewer.study.closing import close_study, reopen_study
from store.database import Database
from store.records import StudyAct

_DEEDS = {"close": "closed", "reopen": "opened again", "admit": "let adjudicate"}
_as_option = click.option("--as", "who", default=login_name, help="Your name; your login name by default.")


def act_in_words(act: StudyAct) -> str:
    """One line on one act: when, what, who, why."""
    subject = f" {act.subject}" if act.subject else ""
    owed = ", ".join(f"{rater} owed {count}" for rater, count in act.unfinished.items())
    why = f": {one_line(act.why, 200)}" if act.why else ""
    return f"{act.at} {_DEEDS[act.kind]}{subject} by {act.who}{why}" + (f" ({owed})" if owed else "")


@click.command("close", epilog="Example: reviewer study close pilot --as lead --why 'all three are done'")
@click.argument("name", metavar="STUDY")
@_as_option
@click.option("--why", default="", help="Why now; kept with the study.")
@click.option("--anyway", is_flag=True, help="Close it although raters have not finished.")
@store_option
def close_command(name: str, who: str, why: str, anyway: bool, store: str) -> None:
    """Close a study: raters may look, but nothing more is taken.

    Verdicts that arrive afterwards are kept apart. Then adjudication is open to everybody.
    """
    act = close_study(Database.open(store, must_exist=True), name, who, why, anyway=anyway)
    note(f"{name}: {act_in_words(act)}; {len(act.held):,} events are in.")
    note(f"Decide where raters disagree: reviewer adjudicate {name} --as YOUR-NAME")


@click.command("reopen", epilog="Example: reviewer study reopen pilot --as lead --why 'ben was cut off'")
@click.argument("name", metavar="STUDY")
@_as_option
@click.option("--why", required=True, help="Why; kept with the study.")
@store_option
def reopen_command(name: str, who: str, why: str, store: str) -> None:
    """Open a closed study again; it takes verdicts as before, and what came late counts now."""
    act = reopen_study(Database.open(store, must_exist=True), name, who, why)
    note(f"{name}: {act_in_words(act)}.")
