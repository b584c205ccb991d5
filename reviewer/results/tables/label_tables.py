"""The raw data of a study: every verdict, note and item; and which cases experts have signed off."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.question import Question
from reviewer.core.table import Cell, Column, TableSpec, plain_column
from reviewer.results.labels.final_labels import FinalLabel
from reviewer.results.tables.place_columns import (
    CASE,
    EVENT,
    KEY,
    QUESTION_KEY,
    RATER,
    dimension_column,
    entry_column,
    place_columns,
)
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.integrity.sign_off import CaseSignOff
from reviewer.study.session.label_rows import LabelRow
from reviewer.study.session.verdicts import Note
from store.records import Case, StudyCase, canonical_json


def _of_event(row: LabelRow, name: str) -> Cell:
    """A field of the event behind a row; None without one."""
    value: Cell = getattr(row.verdict.event, name) if row.verdict.event else None
    return value


def _passage(row: LabelRow) -> str | None:
    return canonical_json(row.verdict.passage) if row.verdict.passage else None


def _seconds(row: LabelRow) -> float | None:
    event = row.verdict.event
    return None if event is None or event.active_ms is None else event.active_ms / 1000


def _panes(row: LabelRow) -> str | None:
    event = row.verdict.event
    return " ".join(event.panes) if event and event.panes is not None else None


_PLACE: tuple[Column[LabelRow], ...] = place_columns(lambda row: row.question, lambda row: row.place)

LABELS: TableSpec[LabelRow] = TableSpec(
    (
        *_PLACE,
        plain_column(
            "role",
            "string",
            "counted; gold: has a known answer and is never counted; training: is never counted either",
            lambda row: row.place.role,
        ),
        plain_column("rater", "string", RATER, lambda row: row.rater),
        plain_column(
            "showing",
            "integer",
            "0 for the first time that the rater saw the case, 1 for a repeat",
            lambda row: row.verdict.slot.showing,
        ),
        plain_column(
            "phase",
            "string",
            "before: the first verdict; after: the verdict once the rater had seen what the answer reveals "
            "(in state open: the rater saw it and gave no second verdict)",
            lambda row: row.verdict.slot.phase,
        ),
        plain_column(
            "swapped",
            "boolean",
            "whether the two sides were exchanged; empty if the question does not allow it, and for "
            "spreadsheets",
            lambda row: _of_event(row, "swapped"),
        ),
        plain_column("state", "string", "labelled, skipped or open", lambda row: str(row.verdict.state)),
        plain_column("label", "string", "the current label; empty if missing", lambda row: row.verdict.label),
        plain_column("comment", "string", "the rater's comment", lambda row: row.verdict.comment or None),
        plain_column(
            "passage",
            "string",
            "the part of a pane that the comment is about, as JSON: offsets and the words; empty: the whole "
            "case",
            _passage,
        ),
        plain_column(
            "reason",
            "string",
            "why the rater keeps the answer although another one contradicts it",
            lambda row: row.reason or None,
        ),
        plain_column(
            "flagged", "boolean", "whether the rater flagged the case", lambda row: row.verdict.flagged
        ),
        plain_column(
            "seconds",
            "number",
            "active seconds for the answer; empty if not measured (imported answers)",
            _seconds,
        ),
        plain_column(
            "at",
            "string",
            "when it was saved, ISO 8601 in UTC (an answer from a spreadsheet: when the spreadsheet was "
            "imported)",
            lambda row: _of_event(row, "at"),
        ),
        plain_column(
            "stale",
            "boolean",
            "the case in the dataset or the wording of the question changed afterwards",
            lambda row: row.stale,
        ),
        plain_column(
            "forked",
            "boolean",
            "two machines superseded the same event; the event with the greatest id counts",
            lambda row: row.verdict.forked,
        ),
        plain_column(
            "answers",
            "integer",
            "number of answers to the question in this row, including those taken back or replaced",
            lambda row: row.answers,
        ),
        plain_column(
            "events", "integer", "number of events of this row in the ledger", lambda row: row.events
        ),
        plain_column("event", "string", EVENT, lambda row: _of_event(row, "id")),
        plain_column(
            "event_digest", "string", "SHA-256 digest of that event", lambda row: _of_event(row, "digest")
        ),
        plain_column(
            "question_digest",
            "string",
            "SHA-256 digest of the wording that was answered",
            lambda row: _of_event(row, "question_digest"),
        ),
        plain_column(
            "way",
            "string",
            "how the answer was given: app, plain (line by line), browser, pack or spreadsheet; empty: not "
            "recorded",
            lambda row: _of_event(row, "given"),
        ),
        plain_column(
            "panes",
            "string",
            "keys of the panes of the case that were visible before the answer (for a spreadsheet: its "
            "columns with content), separated by blanks; empty: not recorded",
            _panes,
        ),
    )
)
"""Long form: one row for each current verdict, comment or flag."""


_CONFIDENCE: Column[LabelRow] = plain_column(
    "confidence",
    "string",
    "how sure the rater said they are of this label: sure, rather sure or guess; empty: they left it out",
    lambda row: row.verdict.confidence or None,
)


def labels_spec(
    excluded: Collection[str],
    design: StudyDesign | None = None,
    entry: Callable[[Question, str], str] | None = None,
) -> TableSpec[LabelRow]:
    """The same, and which rows are of raters who are left out of the numbers, if any are.

    Where the ``design`` asks for third votes, a column tells these from the fixed ones, and where it asks how
    sure raters are, a column has what they said. ``entry`` gives the entry of a list that a
    question is about, where questions are asked for each entry.
    """
    spec = _with_third_votes(design) if design is not None and design.third else LABELS
    if design is not None and design.confidence:
        spec = replace(spec, columns=(*spec.columns, _CONFIDENCE))
    if entry is not None:
        spec = replace(spec, columns=(*spec.columns, entry_column(_about, entry)))
    column: Column[LabelRow] = plain_column(
        "left_out",
        "boolean",
        "the study's lead left the rater out: the row is counted in no number",
        lambda row: row.rater in excluded,
    )
    return replace(spec, columns=(*spec.columns, column)) if excluded else spec


def _about(row: LabelRow) -> tuple[Question, str]:
    return row.question, row.place.case


def _with_third_votes(design: StudyDesign) -> TableSpec[LabelRow]:
    column: Column[LabelRow] = plain_column(
        "vote",
        "string",
        "fixed: one of the two votes that agreement is computed from; third: it counts in majorities where "
        "the fixed votes on the item differ, and else nowhere",
        lambda row: "fixed" if design.has_fixed_vote(row.rater, row.place.case) else "third",
    )
    return replace(LABELS, columns=(*LABELS.columns, column))


NOTES: TableSpec[tuple[Note, StudyCase]] = TableSpec(
    (
        plain_column("study", "string", "name of the study", lambda row: row[1].study),
        plain_column("rater", "string", RATER, lambda row: row[0].rater),
        plain_column(
            "at",
            "string",
            "when it was saved, ISO 8601 in UTC (an answer from a spreadsheet: when the spreadsheet was "
            "imported)",
            lambda row: row[0].at,
        ),
        plain_column(
            "note",
            "string",
            "text of a rater's note; the other columns say where it was written",
            lambda row: row[0].text,
        ),
        plain_column("question_key", "string", QUESTION_KEY, lambda row: row[0].slot.question),
        dimension_column("dataset", lambda row: row[1].dataset),
        plain_column("key", "string", KEY, lambda row: row[1].key),
        plain_column("case", "string", CASE, lambda row: row[0].slot.case),
        plain_column("event", "string", EVENT, lambda row: row[0].event),
    )
)
"""One row for each note, with the place at which it was written."""


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


def items_spec(questions: Sequence[Question], fields: Iterable[str]) -> TableSpec[StudyItem]:
    """One row for each case: its place, these fields of its content, and two columns for each question."""
    return TableSpec(
        (
            *_ITEM_PLACE,
            *(_item_content(name) for name in fields),
            *(column for question in questions for column in _final(question)),
        )
    )


_ITEM_PLACE: tuple[Column[StudyItem], ...] = (
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


def _item_content(name: str) -> Column[StudyItem]:
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


SIGN_OFFS: TableSpec[CaseSignOff] = TableSpec(
    (
        plain_column("dataset", "string", "name of the dataset", lambda row: row.place.dataset, "dataset"),
        plain_column("key", "string", KEY, lambda row: row.place.key, "key"),
        plain_column(
            "record", "integer", "number of the case in its file, from 1", lambda row: row.record, "record"
        ),
        plain_column(
            "state",
            "string",
            "signed off; too few verdicts; changed since: other content was reviewed at this place; "
            "published answer changed since: it is not that of the dataset of the study; never reviewed: the "
            "place is in no sample",
            lambda row: row.state,
            "state",
        ),
        plain_column(
            "labels",
            "integer",
            "the least number of fresh labels that a question about the case has",
            lambda row: row.verdicts,
            "labels",
        ),
        plain_column("digest", "string", CASE, lambda row: row.place.case),
    ),
    keys=2,
)
"""One row for each case."""
