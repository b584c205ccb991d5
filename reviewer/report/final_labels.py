"""Where the final labels of items come from, for people."""

from collections.abc import Sequence

from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.report.agreement_text import DIGITS, with_interval
from reviewer.report.document import Block, Numbers, Paragraph, Section
from reviewer.study.adjudication.final_label_counts import FinalCount, final_counts
from reviewer.study.adjudication.final_labels import FinalLabel, FinalStatus, final_labels
from reviewer.study.design.study_bundle import StudyBundle
from store.records import Event

_RULE = (
    "The final label of an item is the adjudicated label, if there is one. Otherwise it is the label of more "
    "than half of the votes. Votes are the labels given to counted cases at the first showing, before any "
    "reveal, on the present wording. Ties and items without votes stay open. The numbers above do not use "
    "final labels."
)
FINAL_NOTE = (
    "overruled: items adjudicated against a majority of the votes; passing: share of the final labels that "
    "are the passing label, with Wilson's interval unless several items are about the same case. Open items "
    "have no final label."
)


def final_counts_text(found: Sequence[FinalCount], digits: int = DIGITS) -> Table:
    """One row for each question and generator, then one for all."""
    rows = [
        [
            each.question,
            each.generator,
            each.items,
            *(each.statuses[status] for status in FinalStatus),
            each.overruled,
            with_interval(each.passing, digits),
        ]
        for each in found
    ]
    return Table.of(("question", "generator", "items", *map(str, FinalStatus), "overruled", "passing"), rows)


def final_blocks(
    bundle: StudyBundle, events: Sequence[Event], level: float, digits: int = DIGITS
) -> list[Block]:
    """What a report says about final labels, once something was decided or the study is closed."""
    finals = final_labels(bundle, events)
    if bundle.study.closed_at is None and not any(each.adjudicated is not None for each in finals):
        return []
    return [
        Section("Final labels"),
        Paragraph(f"{_deciders(finals)} {_RULE}"),
        Numbers(
            "final-labels",
            "Where final labels come from",
            final_counts_text(final_counts(finals, level), digits),
            (FINAL_NOTE,),
            keys=2,
        ),
    ]


def _deciders(finals: Sequence[FinalLabel]) -> str:
    decided = [each for each in finals if each.adjudicated is not None]
    disputed = sum(each.item_votes.disputed for each in finals)
    whose = sorted({each.decision.event.rater for each in decided if each.decision})
    by = f" by {', '.join(whose)}, each with a reason" if whose else ""
    settled = sum(each.item_votes.disputed for each in decided)
    return f"Adjudicated: {settled} of {counted(disputed, 'dispute')}{by}."
