"""The items of a study for other programs: each case with its texts and the final label of each question."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.question import Question
from reviewer.core.table import Cell
from reviewer.core.table_spec import Column, TableSpec, plain_column
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.results.tables.place_columns import CASE, KEY, dimension_column
from store.records import Case, StudyCase, canonical_json


@dataclass(frozen=True, slots=True)
class StudyItem:
    """A case of a study; ``finals`` holds the final label and its status by question key."""

    place: StudyCase
    case: Case
    finals: Mapping[str, tuple[str | None, str]]


def study_items(
    sample: Sequence[StudyCase], cases: Iterable[Case], finals: Iterable[FinalLabel]
) -> Iterator[StudyItem]:
    """Every case of the sample, in its order; cases that do not count have no final labels."""
    by_case: dict[str, dict[str, tuple[str | None, str]]] = {}
    for final in finals:
        by_case.setdefault(final.place.case, {})[final.question.key] = (final.label, final.status)
    for place, case in zip(sample, cases, strict=True):
        yield StudyItem(place, case, by_case.get(place.case, {}))


def text_fields(cases: Iterable[Case]) -> tuple[str, ...]:
    """The fields of the cases' content, in the order in which they occur."""
    return tuple(dict.fromkeys(name for case in cases for name in case.payload))


def items_spec(questions: Sequence[Question], fields: Sequence[str]) -> TableSpec[StudyItem]:
    """One row for each case: its place, its content, and two columns for each question."""
    return TableSpec(
        (
            *_PLACE,
            *(_content(name) for name in fields),
            *(column for question in questions for column in _final(question)),
        )
    )


_PLACE: tuple[Column[StudyItem], ...] = (
    dimension_column("dataset", lambda row: row.place.dataset),
    plain_column("key", "string", KEY, lambda row: row.place.key),
    dimension_column("group", lambda row: row.place.group),
    dimension_column("generator", lambda row: row.place.generator),
    plain_column(
        "role",
        "string",
        "counted, training or gold; only counted cases have final labels",
        lambda row: row.place.role,
    ),
    plain_column("case", "string", CASE, lambda row: row.case.digest),
)


def _content(name: str) -> Column[StudyItem]:
    meaning = "content of the case; as JSON if it is no text"
    return plain_column(f"content_{name}", "string", meaning, _text_of(name))


def _text_of(name: str) -> Callable[[StudyItem], Cell]:
    def text(row: StudyItem) -> Cell:
        value = row.case.payload.get(name)
        return value if value is None or isinstance(value, str) else canonical_json(value)

    return text


def _final(question: Question) -> tuple[Column[StudyItem], Column[StudyItem]]:
    key = question.key
    return (
        plain_column(
            f"final_{key}",
            "string",
            f"final label of “{question.title}”; empty if it is open or was not asked",
            lambda row: row.finals.get(key, (None, ""))[0],
        ),
        plain_column(
            f"final_{key}_status",
            "string",
            "unanimous, majority, median, adjudicated or open; empty if it was not asked",
            lambda row: row.finals.get(key, (None, ""))[1],
        ),
    )
