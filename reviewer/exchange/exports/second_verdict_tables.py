"""Second verdicts and known answers as tables for machines."""

from collections.abc import Mapping, Sequence

from reviewer.core.table import Table
from reviewer.exchange.exports.estimate_columns import RATE_SUFFIXES, cells_of, column_names
from reviewer.study.statistics.known_answer_accuracy import KnownAnswerAccuracy
from reviewer.study.statistics.second_verdicts import LabelPair, SecondVerdicts


def second_looks_table(found: Sequence[SecondVerdicts]) -> Table:
    """One row for each question: first verdicts, reveals, second verdicts, and which labels changed."""
    columns = (
        "question",
        "first_verdicts",
        "seen",
        "second_verdicts",
        *column_names("changed", RATE_SUFFIXES),
    )
    rows = [
        [
            each.question.title,
            each.first,
            each.seen,
            each.again,
            *cells_of(each.share, RATE_SUFFIXES),
            each.changed,
            changes_in_words(each.changes),
        ]
        for each in found
    ]
    return Table.of((*columns, "changes", "changed_to"), rows)


def quality_table(found: Sequence[KnownAnswerAccuracy]) -> Table:
    """One row for each rater, role and question: numbers of known, given and right answers."""
    columns = (
        "rater",
        "role",
        "question",
        "known",
        "answered",
        "right",
        *column_names("known_right", RATE_SUFFIXES),
    )
    rows = [
        [
            each.rater,
            each.role,
            each.question,
            each.known,
            each.answered,
            each.right,
            *cells_of(each.share, RATE_SUFFIXES),
        ]
        for each in found
    ]
    return Table.of(columns, rows)


def changes_in_words(changes: Mapping[LabelPair, int]) -> str | None:
    """ "3 True to False, 1 False to True"; None where nothing changed."""
    return ", ".join(f"{count} {first} to {second}" for (first, second), count in changes.items()) or None
