"""``reviewer labels``: the final label of every case and question."""

from collections.abc import Sequence

import click

from reviewer.cli.options import Format, format_option, note, print_table, store_option
from reviewer.cli.study_events import note_unfinished, study_with_events
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted
from reviewer.core.table_spec import RowType, TableSpec
from reviewer.exchange.tables.final_label_tables import FINAL_COUNTS, FINAL_LABELS, OWN_LABELS
from reviewer.study.adjudication.final_label_counts import final_counts
from reviewer.study.adjudication.final_labels import RULE, FinalLabel, FinalStatus, final_labels, own_labels
from reviewer.study.design.closing import late_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import left_out_in_words


@click.command("labels", epilog="Example: reviewer labels pilot --format csv > final.csv")
@click.argument("name", metavar="STUDY")
@click.option("--rater", help="Show this rater's labels beside the final ones.")
@click.option("--differences", is_flag=True, help="With --rater: show only labels that differ.")
@click.option(
    "--counts",
    is_flag=True,
    help="Count final labels by source (adjudicated, majority, none), and how many of them let the case "
    "pass.",
)
@format_option
@store_option
def labels_command(
    name: str, rater: str | None, differences: bool, counts: bool, form: Format, store: str
) -> None:
    """Show the final label of each case and question: the adjudicated one, else the majority's, else none."""
    if differences and rater is None:
        raise RequestError("--differences compares one rater with the final labels; name one with --rater.")
    if counts and rater is not None:
        raise RequestError("--counts is about all final labels; leave --rater out.")
    bundle, events = study_with_events(store, name)
    finals = final_labels(bundle, events)
    if counts:
        totals = final_counts(finals)
        _print(FINAL_COUNTS, totals, form)
        note(FINAL_COUNTS.legend(totals))
    elif rater is None:
        _print(FINAL_LABELS, finals, form)
    else:
        own = own_labels(bundle, events, rater)
        if not own:
            raise RequestError(f"{rater!r} has labelled nothing in {name!r}; see `reviewer progress {name}`.")
        shown = [label for label in own if label.differs or not differences]
        _print(OWN_LABELS, shown, form)
        note(f"{rater} differs from the final label on {sum(e.differs for e in own)} of {len(own)}.")
    for sentence in [*_remarks(bundle, finals), *late_in_words(bundle, events), *left_out_in_words(bundle)]:
        note(sentence)
    note_unfinished(store, name)


def _print(spec: TableSpec[RowType], rows: Sequence[RowType], form: Format) -> None:
    print_table(spec.for_people(rows) if form == "table" else spec.for_programs(rows), form)


def _remarks(bundle: StudyBundle, finals: list[FinalLabel]) -> list[str]:
    """What the statuses count to, the rule, and all that a reader could mistake."""
    counts = {status: sum(final.status is status for final in finals) for status in FinalStatus}
    outdated = sum(len(final.item_votes.outdated) for final in finals)
    stale, changed = sum(final.stale for final in finals), sum(final.votes_changed for final in finals)
    sentences = {
        ", ".join(f"{count} {status}" for status, count in counts.items()) + f". Rule: {RULE}.": 1,
        "The study is not closed; these labels may still change.": bundle.study.closed_at is None,
        f"{counted(outdated, 'label')} given to an earlier wording: no vote.": outdated,
        f"{counted(stale, 'item')} stale: the dataset holds other content now. The votes count.": stale,
        f"* {changed} {agreeing(changed, 'was', 'were')} decided before votes changed; look again.": changed,
    }
    return [sentence for sentence, holds in sentences.items() if holds]
