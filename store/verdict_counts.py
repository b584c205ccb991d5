"""How many verdicts each rater has given: counted where they are, for lists that many people look at."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, case, false, func, or_
from sqlmodel import Session, col, select

from reviewer.core.question import Question
from store.records import JsonValue
from store.tables import EventRow, StudyActRow, StudyCaseRow, StudyRow

_ID_DIGITS = 32
_SLOT = (EventRow.study, EventRow.rater, EventRow.case, EventRow.question, EventRow.showing, EventRow.phase)


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """How many first verdicts a rater has given (how many of them in training), how many second ones, and how
    many slots are skipped for now."""

    labelled: int
    skipped: int
    training: int = 0
    second: int = 0


def verdict_counts(session: Session, study: str | None = None) -> dict[tuple[str, str], VerdictCount]:
    """How far each rater of a study (or of all) is, by (study, rater), without what came after a closing."""
    # What supersedes has the greater id, so the greatest id of a slot is what counts there.
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
    counts = [func.sum(case((each, 1), else_=0)) for each in (first, training, second)]
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


def _fits(session: Session, study: str | None) -> ColumnElement[bool]:
    """Whether an event has an id, and answers a question of its study with a label of it.

    Only what SQL can tell: an event that was altered is told apart where events are read one by one.
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
    """Whether an event was held by its study when that was closed, where it is closed."""
    last = (
        select(func.max(col(StudyActRow.id)))
        .where(col(StudyActRow.kind).in_(("close", "reopen")))
        .group_by(col(StudyActRow.study))
    )
    closing = (col(StudyActRow.kind) == "close") & col(StudyActRow.id).in_(last)
    on_server = session.connection().dialect.name == "postgresql"
    each = func.json_array_elements_text if on_server else func.json_each
    held = each(col(StudyActRow.held)).table_valued("value", joins_implicitly=True)
    return or_(
        col(EventRow.study).not_in(select(StudyActRow.study).where(closing)),
        col(EventRow.id).in_(select(held.c.value).select_from(StudyActRow, held).where(closing)),
    )
