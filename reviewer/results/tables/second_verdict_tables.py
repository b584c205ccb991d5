"""First against second verdicts, and how far a machine rater moved the answers of raters."""

from collections import Counter
from collections.abc import Mapping, Sequence

from reviewer.core.question import distances_in_words
from reviewer.core.table import BY_CASES, WITH_WILSON, Column, TableSpec, estimate_column, plain_column
from reviewer.results.labels.anchoring import Anchoring
from reviewer.results.labels.dimensions import ALL
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


ANCHORING: TableSpec[Anchoring] = TableSpec(
    (
        dimension_column("question", lambda row: row.question.title if row.question else ALL, "question"),
        plain_column(
            "second_answers",
            "integer",
            "second answers of raters who had seen the answer of the machine rater",
            lambda row: len(row.looks),
            "second",
            told="second answers after the answer of the machine rater was shown",
        ),
        plain_column(
            "without_machine",
            "integer",
            "second answers that were given without it, because it was not asked yet or not read",
            lambda row: row.unseen,
            "unseen",
            told="second answers without it",
        ),
        plain_column(
            "towards",
            "integer",
            "answers that changed to that of the machine rater",
            lambda row: row.towards,
            "towards",
            told="answers that changed to that of the machine rater",
        ),
        estimate_column(
            "towards_share",
            "share of these among first answers that differed from the machine rater",
            lambda row: row.towards_share,
            "of differing",
            told=f"share of these among first answers that differed from it{BY_CASES}",
        ),
        plain_column(
            "away",
            "integer",
            "answers that changed from that of the machine rater to another one",
            lambda row: row.away,
            "away",
            told="answers that changed from its answer to another one",
        ),
        estimate_column(
            "away_share",
            "share of these among first answers that were that of the machine rater",
            lambda row: row.away_share,
            "of equal",
            told=f"share of these among first answers that were its answer{BY_CASES}",
        ),
        plain_column(
            "elsewhere",
            "integer",
            "answers that changed, and were that of the machine rater neither before nor after",
            lambda row: row.elsewhere,
            "other",
            told="other changes",
        ),
        estimate_column(
            "net",
            "changes towards the machine rater minus those away from it, by second answers, by cases",
            lambda row: row.net,
            "anchoring",
            told=f"changes towards it minus those away from it, by second answers{BY_CASES}",
        ),
    )
)
