"""First against second verdicts."""

from collections import Counter
from collections.abc import Mapping, Sequence

from reviewer.core.estimate_column import estimate_column
from reviewer.core.question import distances_in_words
from reviewer.core.table_spec import WITH_WILSON, Column, TableSpec, plain_column
from reviewer.results.labels.second_verdicts import LabelPair, SecondVerdicts
from reviewer.results.tables.place_columns import dimension_column


def _in_words(changes: Mapping[LabelPair, int], becomes: str) -> str | None:
    """ "3 True to False, 1 False to True"; None where nothing changed."""
    told = (f"{count} {first} {becomes} {second}" for (first, second), count in changes.items())
    return ", ".join(told) or None


def second_verdicts_spec(verdicts: Sequence[SecondVerdicts]) -> TableSpec[SecondVerdicts]:
    """One row for each question: first verdicts, reveals, second verdicts, and which labels changed."""
    return TableSpec((*_COLUMNS, *(_STEPS if any(row.question.ordinal for row in verdicts) else ())))


def _moved(row: SecondVerdicts) -> str | None:
    """ "one step apart on 2, two steps apart on 1"."""
    steps = Counter[int]()
    for labels, count in row.changes.items():
        steps[row.question.steps(labels)] += count
    return distances_in_words(steps.elements()) or None


_STEPS: tuple[Column[SecondVerdicts], ...] = (
    plain_column(
        "changed_by",
        "string",
        "how many steps lie between changed verdicts and the first ones, where labels have an order",
        _moved,
        "how far",
    ),
)
_COLUMNS: tuple[Column[SecondVerdicts], ...] = (
    dimension_column("question", lambda row: row.question.title, "question"),
    plain_column(
        "first_verdicts",
        "integer",
        "number of first verdicts on the question, on counted cases at their first showing",
        lambda row: row.first,
        "first",
        told="first verdicts, which alone count in agreement and pass rates",
    ),
    plain_column(
        "seen",
        "integer",
        "number of these after which the rater saw what the answer reveals",
        lambda row: row.seen,
        "seen",
        told="first verdicts after which the rater saw what the answer reveals",
    ),
    plain_column(
        "second_verdicts",
        "integer",
        "number of these that a second verdict followed",
        lambda row: row.again,
        "second",
        told="first verdicts that a second verdict followed",
    ),
    estimate_column(
        "changed",
        "share of second verdicts that differ from the first",
        lambda row: row.share,
        "changed",
        told=f"share of second verdicts that differ from the first{WITH_WILSON}",
    ),
    plain_column(
        "changes",
        "integer",
        "number of second verdicts that differ from the first",
        lambda row: row.changed,
    ),
    plain_column(
        "changed_to",
        "string",
        "how often each label became which other label",
        lambda row: _in_words(row.changes, "to"),
        "to what",
        shown=lambda row, _digits: _in_words(row.changes, "→"),
    ),
)
