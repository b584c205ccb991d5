"""Columns that say what a row is about: its division, the place of a case, and how the case was drawn."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from reviewer.core.number_text import all_digits
from reviewer.core.question import Question
from reviewer.core.table import Column, Field, RowType, TableSpec, plain_column
from reviewer.results.labels.dimensions import ALL
from reviewer.study.design.study_design import FrozenStratum
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


def with_weights(
    spec: TableSpec[RowType], strata: Sequence[FrozenStratum], case: Callable[[RowType], str]
) -> TableSpec[RowType]:
    """The table with the stratum and the weight of each row's case; as it is if there are no strata."""
    stratum_of = {digest: stratum for stratum in strata for digest in stratum.cases}
    columns: tuple[Column[RowType], ...] = (
        plain_column(
            "stratum",
            "string",
            "stratum from which the case was drawn; empty for cases with known answers",
            lambda row: s.name if (s := stratum_of.get(case(row))) else None,
        ),
        plain_column(
            "inclusion_probability",
            "number",
            "with which probability the case was drawn: cases drawn of its stratum, by those in it",
            lambda row: all_digits(s.chance_of(case(row))) if (s := stratum_of.get(case(row))) else None,
        ),
        plain_column(
            "weight",
            "number",
            "for how many cases of the dataset the case speaks: 1 by that probability",
            lambda row: all_digits(s.weight_of(case(row))) if (s := stratum_of.get(case(row))) else None,
        ),
    )
    return replace(spec, columns=(*spec.columns, *columns)) if strata else spec
