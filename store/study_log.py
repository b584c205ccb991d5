"""The log of a lead's acts on a study: closing, reopening, acts on single raters, naming a lead."""

from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import bindparam, insert
from sqlmodel import Session, col, select

from store.clock import instant, is_event_id, next_id, now_ms
from store.database import Database
from store.records import ActKind, JsonValue, StudyAct
from store.row_records import records, select_as
from store.study_tables import EventRow, StudyActRow, StudyRow

_STATE: Mapping[ActKind, bool] = {"close": True, "reopen": False}
"""Whether the study is closed after an act of this kind."""


def add_act(
    database: Database,
    study: str,
    kind: ActKind,
    who: str,
    why: str,
    *,
    subject: str | None = None,
    unfinished: Mapping[str, int] | None = None,
    held: Sequence[str] = (),
    clock: Callable[[], int] = now_ms,
    also: Callable[[Session], None] = lambda _session: None,
) -> StudyAct | None:
    """Save an act and the study's new state; None if the study is already in that state.

    ``held`` are the cases that an act is about. ``also`` saves more in the same transaction.
    """
    with database.write() as session:
        row = session.get_one(StudyRow, study)
        if kind in _STATE and (row.closed_at is not None) is _STATE[kind]:
            return None
        act = _act(
            session, study, kind, clock(), held, who=who, why=why, subject=subject, unfinished=unfinished
        )
        session.execute(insert(StudyActRow), act.model_dump())
        if kind in _STATE:
            session.add(row.sqlmodel_update({"closed_at": act.at if _STATE[kind] else None}))
        also(session)
    return act


def save_lead(study: str, lead: str, session: Session) -> None:
    """Save the maker of a study as its lead, in the transaction that saves the study."""
    act = _act(session, study, "lead", now_ms(), who=lead, subject=lead)
    session.execute(insert(StudyActRow), act.model_dump())


def acts_of(session: Session, study: str) -> list[StudyAct]:
    """A study's acts, oldest first."""
    return list(records(session, StudyAct, _ACTS, {"study": study}))


_ACTS = (
    select_as(StudyAct, StudyActRow)
    .where(col(StudyActRow.study) == bindparam("study"))
    .order_by(col(StudyActRow.id))
)


def _act(
    session: Session,
    study: str,
    kind: ActKind,
    milliseconds: int,
    cases: Sequence[str] = (),
    **said: JsonValue,
) -> StudyAct:
    ids = session.exec(select(StudyActRow.id).where(StudyActRow.study == study))
    greatest = max(filter(is_event_id, ids), default=None)  # no release writes other ids
    held = [*cases]
    if kind == "close":
        held = list(session.exec(select(EventRow.id).where(EventRow.study == study).order_by(EventRow.id)))
    return StudyAct(
        id=next_id(greatest, milliseconds),
        study=study,
        kind=kind,
        held=held,
        at=instant(milliseconds),
        **{name: value for name, value in said.items() if value is not None},
    )
