"""Columns that say what a row is about: the dimensions of a division, and the place of a case."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from reviewer.core.question import Question
from reviewer.core.table import Field
from reviewer.core.table_spec import Column, RowType, plain_column
from reviewer.results.labels.dimensions import ALL
from store.records import StudyCase

_DIMENSIONS: Mapping[str, str] = {
    "question": "title of the question",
    "generator": "model or person that wrote the case",
    "group": "group by which the sample is stratified",
    "dataset": "dataset that the case was drawn from",
    "stratum": "stratum that the case was drawn from",
    "output": "the output that the question is about; all: a question about no single one",
    "pair": "names of two raters",
    "confidence": "the least sure answer to the item: sure, rather sure or guess; left out: an answer "
    "without, or no answer",
}


class _Divided(Protocol):
    @property
    def where(self) -> Mapping[str, str]: ...


def dimension_columns(
    by: Sequence[str], *, joined: bool = False, head: str | None = None
) -> tuple[Column[_Divided], ...]:
    """A column for each dimension of a division, or one in which people see all of them ``joined``."""
    if not joined:
        return tuple(dimension_column(name, _at(name), name) for name in by)
    return (
        Column(
            tuple(Field(name, "string", _DIMENSIONS[name]) for name in by),
            lambda row: [row.where[name] for name in by],
            head or " · ".join(by),
            shown=lambda row, _digits: " · ".join(row.where[name] for name in by) or ALL,
        ),
    )


def _at(name: str) -> Callable[[_Divided], str]:
    return lambda row: row.where[name]


def dimension_column(name: str, value: Callable[[RowType], str], head: str | None = None) -> Column[RowType]:
    """One dimension by its name."""
    return plain_column(name, "string", _DIMENSIONS[name], value, head)


def place_columns(
    question: Callable[[RowType], Question],
    place: Callable[[RowType], StudyCase],
    visible: Collection[str] = (),
) -> tuple[Column[RowType], ...]:
    """The question and the place of a case; people see the ``visible`` ones."""

    def head(name: str) -> str | None:
        return name if name in visible else None

    return (
        plain_column("study", "string", "name of the study", lambda row: place(row).study),
        dimension_column("question", lambda row: question(row).title, head("question")),
        plain_column("question_key", "string", QUESTION_KEY, lambda row: question(row).key),
        dimension_column("dataset", lambda row: place(row).dataset, head("dataset")),
        plain_column("key", "string", KEY, lambda row: place(row).key, head("key")),
        dimension_column("generator", lambda row: place(row).generator, head("generator")),
        dimension_column("group", lambda row: place(row).group, head("group")),
        plain_column("case", "string", CASE, lambda row: place(row).case),
    )


def entry_column(
    about: Callable[[RowType], tuple[Question, str]], entry: Callable[[Question, str], str]
) -> Column[RowType]:
    """The entry of a list that the question of a row is about, by question and case."""
    return plain_column(
        "entry",
        "string",
        "the entry of the list that the question is about; the number in question_key counts the entries",
        lambda row: entry(*about(row)) or None,
        "entry",
    )


QUESTION_KEY = "stable key of the question"
KEY = "key of the case in its dataset"
CASE = "SHA-256 digest of the case's content, its identity"
RATER = "name of the rater"
EVENT = "id of the event behind the row"
