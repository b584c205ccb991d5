"""Writing the events of a session to a new file, after its store is lost."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from reviewer.core.sanitize import counted
from reviewer.exchange.packs.pack import write_new
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.study_design import RESCUED
from reviewer.study.session.review_session import ReviewSession
from store.records import Event
from store.study_rows import StudyRows

Session = ReviewSession | AdjudicationSession
"""What a rater or an adjudicator works in."""


def rescue(session: Session, path: Path) -> str:
    """Write the session's study with this person's events to a new file, and say how to go on with it.

    The file is a store that stays one file. Raises RequestError where it cannot be written.
    """
    bundle = session.bundle
    study_rows = StudyRows(
        study=bundle.study.model_copy(update={"design": {**bundle.study.design, RESCUED: True}}),
        sample=bundle.sample,
        raters=(session.assignment,),
        cases=tuple(bundle.cases[place.case] for place in bundle.sample),
        measurements=tuple(value for values in bundle.measurements.values() for value in values),
        findings=tuple(finding for found in bundle.findings.values() for finding in found),
        known_answers=tuple(bundle.known.values()),
        events=tuple(_events(session)),
        before=tuple(bundle.before.values()),
    )
    write_new(path, study_rows)
    if isinstance(session, AdjudicationSession):
        return (
            f"{path} holds {counted(len(study_rows.events), 'decision')} of {session.adjudicator}, also "
            "those that were taken back. Bring them into a backup of the store with: "
            f"reviewer merge {path} --trust --store BACKUP."
        )
    return (
        f"{path} holds {session.done_count:,} of {len(session.slots):,} answers. Go on with: reviewer review "
        f"{bundle.study.name} --rater {session.rater} --store {path}. Bring it back with: reviewer merge "
        f"{path} --trust."
    )


def _events(session: Session) -> list[Event]:
    if isinstance(session, AdjudicationSession):
        return session.own_events
    return sorted(session.history.events.values(), key=lambda event: event.id)


def free_name(session: Session) -> Path:
    """A name that no file has yet: beside the store, else in the working directory."""
    store = Path(session.database.location).absolute()
    folder = store.parent if store.parent.is_dir() else Path.cwd()
    stem = f"{store.stem}.rescued-{session.assignment.rater}"
    return next(
        folder / f"{stem}{more}.db" for more in _endings() if not (folder / f"{stem}{more}.db").exists()
    )


def _endings() -> Iterator[str]:
    yield ""
    yield from (f"-{number}" for number in count(2))
