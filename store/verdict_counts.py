"""How many verdicts each rater has given, counted by the database because lists show it often."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, case, false, func, or_
from sqlmodel import Session, col, select

from reviewer.core.question import Question
from store.records import JsonValue
from store.tables import AssignmentRow, DatasetRow, EventRow, StudyActRow, StudyCaseRow, StudyRow

_ID_DIGITS = 32
_SLOT = (EventRow.study, EventRow.rater, EventRow.case, EventRow.question, EventRow.showing, EventRow.phase)


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """A rater's numbers of first verdicts, skipped slots, first verdicts in training, and second verdicts."""

    labelled: int
    skipped: int
    training: int = 0
    second: int = 0


def verdict_counts(session: Session, study: str | None = None) -> dict[tuple[str, str], VerdictCount]:
    """(study, rater) → counts, for one study or all, without events that came after a closing."""
    # A superseding event has a greater id, so the greatest id of a slot is the current one.
    newest = (
        select(func.max(col(EventRow.id)).label("id"))
        .where(col(EventRow.kind).in_(("label", "undo", "skip")), _in_time(session), _fits(session, study))
        .group_by(*(col(column) for column in _SLOT))
    )
    if study is not None:
        newest = newest.where(EventRow.study == study)
    current = newest.subquery()
    skipped = case((col(EventRow.kind) == "skip", 1), else_=0)
    labelled = col(EventRow.value).is_not(None)
    first, second = labelled & (col(EventRow.phase) == "before"), labelled & (col(EventRow.phase) == "after")
    training = first & (col(StudyCaseRow.role) == "training")
    counts = [func.sum(case((kind, 1), else_=0)) for kind in (first, training, second)]
    rows = session.execute(
        select(col(EventRow.study), col(EventRow.rater), func.sum(skipped), *counts)
        .join(current, current.c.id == EventRow.id)
        .join(
            StudyCaseRow,
            (col(StudyCaseRow.study) == col(EventRow.study)) & (col(StudyCaseRow.case) == col(EventRow.case)),
        )
        .group_by(col(EventRow.study), col(EventRow.rater))
    )
    return {
        (study, rater): VerdictCount(
            labelled=int(done), skipped=int(put_off), training=int(trained), second=int(again)
        )
        for study, rater, put_off, done, trained, again in rows
    }


def change_marks(session: Session) -> tuple[object, ...]:
    """Values of which one changes when people answer, join, or make, close or merge anything."""
    statements = (
        select(func.count()).select_from(EventRow),
        select(func.max(col(StudyActRow.id))),
        select(func.count()).select_from(AssignmentRow),
        select(func.count()).select_from(StudyRow),
        select(func.max(col(DatasetRow.imported_at))),
    )
    return tuple(session.execute(statement).scalar() for statement in statements)


def _fits(session: Session, study: str | None) -> ColumnElement[bool]:
    """SQL: whether an event has a valid id and answers a question of its study with one of its labels.

    SQL cannot find altered events. They are found when events are read one by one.
    """
    wanted = select(StudyRow.name, StudyRow.questions)
    asked = session.execute(wanted if study is None else wanted.where(StudyRow.name == study))
    is_id = (func.length(col(EventRow.id)) == _ID_DIGITS) & (col(EventRow.id) < "8")
    return is_id & or_(false(), *(_is_answer(str(row[0]), row[1]) for row in asked))


def _is_answer(study: str, questions: list[dict[str, JsonValue]]) -> ColumnElement[bool]:
    asked = [Question.model_validate(question) for question in questions]
    labels = {label for question in asked for label in question.labels}
    return (
        (col(EventRow.study) == study)
        & col(EventRow.question).in_([question.key for question in asked])
        & or_(col(EventRow.value).is_(None), col(EventRow.value).in_(sorted(labels)))
    )


def _in_time(session: Session) -> ColumnElement[bool]:
    """SQL: whether the study is open, or held the event when it was closed."""
    last = (
        select(func.max(col(StudyActRow.id)))
        .where(col(StudyActRow.kind).in_(("close", "reopen")))
        .group_by(col(StudyActRow.study))
    )
    closing = (col(StudyActRow.kind) == "close") & col(StudyActRow.id).in_(last)
    on_server = session.connection().dialect.name == "postgresql"
    elements = func.json_array_elements_text if on_server else func.json_each
    held = elements(col(StudyActRow.held)).table_valued("value", joins_implicitly=True)
    return or_(
        col(EventRow.study).not_in(select(StudyActRow.study).where(closing)),
        col(EventRow.id).in_(select(held.c.value).select_from(StudyActRow, held).where(closing)),
    )
