"""Where the final labels of items come from, for people."""

from collections.abc import Sequence

from reviewer.core.number_text import DIGITS
from reviewer.core.sanitize import counted, enumerated
from reviewer.report.document import Block, Paragraph, Section, numbers
from reviewer.results.labels.final_label_counts import final_counts
from reviewer.results.labels.final_labels import FinalLabel, LabelRule
from reviewer.results.tables.final_label_tables import final_counts_spec
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow

_RULE = (
    "The final label of an item is the adjudicated label, if there is one. Otherwise it is the label of more "
    "than half of the votes. {votes} Ties and items without votes have no final label. The numbers of "
    "agreement, and pass rates by majority and by unanimity, do not use final labels."
)
_MEDIAN_RULE = (
    "The final label of an item is the adjudicated label, if there is one. Otherwise it is the median of the "
    "votes where labels have an order (`--rule median`), and the label of more than half of the votes "
    "elsewhere. {votes} Items whose median falls between two labels, ties and items without votes have "
    "no final label. The numbers of agreement, and pass rates by majority and by unanimity, do not use final "
    "labels."
)


def final_blocks(
    bundle: StudyBundle,
    rows: Sequence[LabelRow],
    finals: Sequence[FinalLabel],
    level: float,
    digits: int = DIGITS,
    rule: LabelRule = "majority",
    *,
    comments: bool = True,
) -> list[Block]:
    """What a report says about final labels, once something was decided or the study is closed.

    With ``comments``, the appendix has the reasons of those who decided.
    """
    if bundle.study.closed_at is None and not any(final.adjudicated is not None for final in finals):
        return []
    decided = _MEDIAN_RULE if rule == "median" else _RULE
    votes = " ".join((votes_in_words(rows, finals), *_alike(finals)))
    counts, caption = final_counts(finals, level), "Where final labels come from"
    return [
        Section("Final labels", 2),
        Paragraph(f"{_deciders(finals, comments=comments)} {decided.format(votes=votes)}"),
        numbers("final-labels", caption, final_counts_spec(counts), counts, digits),
        *_medians(finals),
    ]


def _alike(finals: Sequence[FinalLabel]) -> list[str]:
    """When answers other than one label are the same vote."""
    return [*filter(None, dict.fromkeys(final.question.answer_kind.alike for final in finals))]


def votes_in_words(rows: Sequence[LabelRow], finals: Sequence[FinalLabel]) -> str:
    """Which labels are votes; only the conditions that leave out a label are named."""
    given = [row for row in rows if row.label is not None]
    conditions = {
        "on counted cases": any(row.place.role != "counted" for row in given),
        "at the first showing of a case": any(row.verdict.slot.showing for row in given),
        "before anything was revealed": any(row.verdict.slot.phase == "after" for row in given),
        "on the present wording": any(final.item_votes.outdated for final in finals),
    }
    named = [condition for condition, excludes in conditions.items() if excludes]
    return f"Votes are the labels given {', '.join(named)}." if named else "Every label is a vote."


def _medians(finals: Sequence[FinalLabel]) -> list[Block]:
    """What the median would give where labels have an order; empty where none have."""
    voted = [final.item_votes for final in finals if final.question.ordinal and final.item_votes.votes]
    if not voted:
        return []
    settled = sum(votes.median is not None for votes in voted)
    both = [votes for votes in voted if votes.median is not None and votes.majority is not None]
    equal = sum(votes.median == votes.majority for votes in both)
    between = "; on the others it falls between two labels" if settled < len(voted) else ""
    return [
        Paragraph(
            f"Where labels have an order, the median of the votes gives {settled:,} of "
            f"{counted(len(voted), 'item')} a label{between}. The majority "
            f"gives the same label on {equal:,} of the {counted(len(both), 'item')} that have both. "
            "`reviewer labels --rule median` lists these labels."
        )
    ]


def _deciders(finals: Sequence[FinalLabel], *, comments: bool) -> str:
    decided = [final for final in finals if final.adjudicated is not None]
    compared = [final for final in finals if final.question.answer_kind.is_compared]
    disputed = sum(final.item_votes.disputed for final in compared)
    whose = sorted({final.decision.event.rater for final in decided if final.decision})
    listed = comments and any(final.reason and final.item_votes.disputed for final in decided)
    by = f" by {enumerated(whose)}{'; the appendix has the reasons' if listed else ''}" if whose else ""
    settled = sum(final.item_votes.disputed for final in compared if final.adjudicated is not None)
    return f"Adjudicated: {settled} of {counted(disputed, 'dispute')}{by}."
