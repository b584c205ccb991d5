"""``study close|reopen``, ``adjudicate`` and ``labels``: from verdicts to final labels."""

import click

from reviewer.cli.options import Format, format_option, note, print_table, store_option
from reviewer.cli.results import note_unfinished, study_with_events
from reviewer.cli.reviewing import login_name, need_terminal, open_app
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, is_blank, one_line
from reviewer.exchange.exports.final_label_tables import (
    final_counts_table,
    final_labels_brief,
    final_labels_table,
    own_labels_brief,
    own_labels_table,
)
from reviewer.report.final_labels import FINAL_NOTE, final_counts_text
from reviewer.study.adjudication.adjudication_session import admit_rater
from reviewer.study.adjudication.final_label_counts import final_counts
from reviewer.study.adjudication.final_labels import RULE, FinalLabel, FinalStatus, final_labels, own_labels
from reviewer.study.design.closing import close_study, late_in_words, reopen_study
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import left_out_in_words
from reviewer.study.session.rater_progress import progress_of
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
@click.option("--why", help="Why now; kept with the study.")
@click.option("--anyway", is_flag=True, help="Close it although raters have not finished.")
@store_option
def close_command(name: str, who: str, why: str | None, anyway: bool, store: str) -> None:
    """Close a study: raters may look, but nothing more is taken.

    Verdicts that arrive afterwards are kept apart. Then adjudication is open to everybody.
    """
    if why is not None and is_blank(why):
        raise RequestError("--why is empty; say in a few words why the study closes now, or leave --why out.")
    act = close_study(Database.open(store, must_exist=True), name, who, why or "", anyway=anyway)
    held = len(act.held)
    note(f"{name}: {act_in_words(act)}; {counted(held, 'event')} {agreeing(held, 'is', 'are')} in.")
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


@click.command("adjudicate", epilog="Example: reviewer adjudicate pilot --as zoe")
@click.argument("name", metavar="STUDY")
@click.option("--as", "who", required=True, help="Your name; decisions are saved under it.")
@click.option(
    "--allow-rater",
    "lead",
    metavar="LEAD",
    help="If you are a rater of the study: the name of the lead who lets you decide; it is recorded.",
)
@store_option
def adjudicate_command(name: str, who: str, lead: str | None, store: str) -> None:
    """Decide where raters disagree: see each verdict and comment, nameless, and give a label and a reason.

    The queue opens to raters of the study once it is closed or all have finished, and only if its lead lets
    them; whoever else opens it has seen the verdicts, and can no longer rate in the study. Decisions are
    kept apart from raters' verdicts and count in no agreement.
    """
    database = Database.open(store, must_exist=True)
    progress_of(database, name)
    need_terminal()
    if lead is not None:
        admit_rater(database, name, lead, who)
    open_app(database, who, name, adjudicating=True)
    note(f"The final labels: reviewer labels {name}")


@click.command("labels", epilog="Example: reviewer labels pilot --format csv > final.csv")
@click.argument("name", metavar="STUDY")
@click.option("--rater", help="Show what this rater said beside the final labels.")
@click.option("--differences", is_flag=True, help="With --rater: only where both differ.")
@click.option("--counts", is_flag=True, help="Count where final labels come from, and how many pass.")
@format_option
@store_option
def labels_command(
    name: str, rater: str | None, differences: bool, counts: bool, form: Format, store: str
) -> None:
    """Show the final label of every case and question: adjudicated, else the majority's, else open."""
    if differences and rater is None:
        raise RequestError("--differences compares one rater with the final labels; name one with --rater.")
    if counts and rater is not None:
        raise RequestError("--counts is about all final labels; leave --rater out.")
    bundle, events = study_with_events(store, name)
    finals = final_labels(bundle, events)
    if counts:
        found = final_counts(finals)
        print_table(final_counts_text(found) if form == "table" else final_counts_table(found), form)
        note(FINAL_NOTE)
    elif rater is None:
        print_table(final_labels_brief(finals) if form == "table" else final_labels_table(finals), form)
    else:
        own = own_labels(bundle, events, rater)
        if not own:
            raise RequestError(f"{rater!r} has labelled nothing in {name!r}; see `reviewer progress {name}`.")
        shown = [each for each in own if each.differs or not differences]
        print_table(own_labels_brief(shown) if form == "table" else own_labels_table(shown), form)
        note(f"{rater} differs from the final label on {sum(e.differs for e in own)} of {len(own)}.")
    for sentence in [*_remarks(bundle, finals), *late_in_words(bundle, events), *left_out_in_words(bundle)]:
        note(sentence)
    note_unfinished(store, name)


def _remarks(bundle: StudyBundle, finals: list[FinalLabel]) -> list[str]:
    """What the statuses count to, the rule, and all that a reader could mistake."""
    counts = {status: sum(each.status is status for each in finals) for status in FinalStatus}
    outdated = sum(len(each.ballot.outdated) for each in finals)
    stale, changed = sum(each.stale for each in finals), sum(each.votes_changed for each in finals)
    sentences = {
        ", ".join(f"{count} {status}" for status, count in counts.items()) + f". Rule: {RULE}.": 1,
        "The study is not closed; these labels may still change.": bundle.study.closed_at is None,
        f"{counted(outdated, 'label')} given to an earlier wording: no vote.": outdated,
        f"{counted(stale, 'item')} stale: the dataset holds other content now. The votes count.": stale,
        f"* {changed} {agreeing(changed, 'was', 'were')} decided before votes changed; look again.": changed,
    }
    return [sentence for sentence, holds in sentences.items() if holds]
