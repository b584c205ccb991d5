"""The pack: one file in which one rater works, and which is merged when it comes back.

The events of a session whose store is lost are written to such a file too.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from reviewer.core.errors import InputError, RequestError, StoreError
from reviewer.core.sanitize import counted
from reviewer.core.whole_files import drafted
from reviewer.protocols.registry import PROTOCOLS, Protocols
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.joining import assignment_of
from reviewer.study.design.study_bundle import BLIND, StudyBundle, load_study
from reviewer.study.design.study_design import RESCUED
from reviewer.study.integrity.count_signing import sign_count
from reviewer.study.integrity.quarantine import fitting_events
from reviewer.study.session.blinded_panes import (
    findings_for_pack,
    findings_on_no_question,
    measurements_for_pack,
)
from reviewer.study.session.blinding import may_see_generators, owed_elsewhere, without_draw
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.transfer.pack_manifest import alterations, sealed
from store.clock import instant, now_ms
from store.database import Database
from store.ledger import Ledger
from store.records import Assignment, CaseRole, Event, JsonValue, PackSeal, Study, StudyCase
from store.studies import add_rater, find_study, secret_of
from store.study_rows import AlteredRowsError, StudyRows, write_study_rows
from store.untrusted_store import untrusted_store


def write_pack(database: Database, study: str, rater: str, path: Path, *, bare: bool = False) -> StudyRows:
    """Write the rater's pack of a study to a new file, all or nothing; returns what is in it.

    A ``bare`` pack leaves out what machines measured and found about the questions. Raises RequestError.
    """
    check_new(path)
    with database.read() as session:
        secret = secret_of(session, study)
        is_here = find_study(session, study) is not None
    if is_here and secret is None:
        raise RequestError(f"study {study!r} came here in a pack; packs are made in the store of its lead.")
    study_rows = rows_for_pack(database, study, rater, bare=bare)
    assert secret is not None  # rows_for_pack has refused an unknown study
    pack = replace(study_rows, seal=sealed(study_rows, secret, instant(now_ms())))
    # The rater joins only when the file is written: a rater without a pack would keep the study open.
    write_new(path, pack, partial(add_rater, database, *study_rows.raters))
    sign_count(database, study, "pack")
    return pack


def rows_for_pack(database: Database, study: str, rater: str, *, bare: bool = False) -> StudyRows:
    """What one rater of a study needs on another machine, and nothing of the others; raises RequestError."""
    bundle = load_study(database, study)
    if bundle.study.closed_at is not None:
        raise RequestError(f"study {study!r} is closed; open it again before you pack it.")
    assignment, _ = assignment_of(database, bundle.study, rater)
    owed = owed_elsewhere(database, bundle.study, rater)
    bundle = replace(bundle.as_asked(rater), owed_elsewhere=owed)
    events = fitting_events(bundle, Ledger(database).events(study, rater), (assignment,))
    return _rows_for_rater(bundle, assignment, events, bare)


def opened_pack(path: Path, protocols: Protocols = PROTOCOLS) -> tuple[Database, PackSeal]:
    """Open a pack to work in; raises InputError if the file is not a pack or was altered."""
    with untrusted_store(path) as file:
        where = f"file {file.name!r}"
        if file.damage:
            raise InputError(where, f"it is damaged ({file.damage})", "ask for the pack again")
        file.check_definitions()
        studies = [file.rows_of_study(study, with_events=False) for study in file.studies()]
        seal = studies[0].seal if len(studies) == 1 else None
        if seal is None:
            raise InputError(
                where, "it is not a pack", "give a pack, or a study's name with --rater and --store"
            )
        altered = next(alterations(studies[0], seal), None)
        if altered:
            raise InputError(where, f"{altered} since it was packed", "ask for the pack again")
    return Database.open(str(path), must_exist=True, protocols=protocols), seal


def _rows_for_rater(
    bundle: StudyBundle, assignment: Assignment, events: Sequence[Event], bare: bool
) -> StudyRows:
    named = may_see_generators(bundle.protocol, owes=True)
    rows = _rows_of(bundle, _untold(bundle.sample, with_generators=named), assignment, events)
    return replace(
        rows,
        study=_for_one(bundle, assignment.rater),
        measurements=measurements_for_pack(bundle.protocol, rows.measurements) if bare else rows.measurements,
        findings=findings_on_no_question(rows.findings) if bare else rows.findings,
        known_answers=tuple(
            answer for answer in rows.known_answers if bundle.roles[answer.case] == "training"
        ),
    )


def _rows_of(
    bundle: StudyBundle, sample: Sequence[StudyCase], assignment: Assignment, events: Sequence[Event]
) -> StudyRows:
    """A study with all that belongs to its sample, and with these events of one person."""
    return StudyRows(
        study=bundle.study,
        declarations=bundle.declarations,
        sample=tuple(sample),
        raters=(assignment,),
        cases=tuple(bundle.cases[place.case] for place in sample),
        measurements=tuple(value for place in sample for value in bundle.measurements[place.case]),
        findings=findings_for_pack(finding for place in sample for finding in bundle.findings[place.case]),
        known_answers=tuple(bundle.known.values()),
        events=tuple(events),
        before=tuple(bundle.before.values()),
    )


def _untold(sample: Sequence[StudyCase], *, with_generators: bool) -> tuple[StudyCase, ...]:
    """The sample by digest, with gold cases as counted ones, so that nobody can tell them apart."""
    hidden = {} if with_generators else {"generator": ""}
    ordered = sorted(sample, key=lambda place: place.case)
    role: dict[CaseRole, CaseRole] = {"gold": "counted"}
    return tuple(
        place.model_copy(update={"position": position, "role": role.get(place.role, place.role), **hidden})
        for position, place in enumerate(ordered)
    )


def _for_one(bundle: StudyBundle, rater: str) -> Study:
    """The study as the pack's rater sees it: nobody else may join, and gold cases count like others.

    Who is asked about which other cases, and how cases were chosen, is not in it.
    """
    study = without_draw(bundle.study)
    design = study.design | {
        "raters_declared": True,
        "cases": sum(role != "training" for role in bundle.roles.values()),
        "asked": {question.key: len(bundle.slots(question, BLIND)) for question in bundle.questions},
    }
    if bundle.design.panels:
        design["owed"] = bundle.design.slots_of(rater)
        design["repeated"] = [case for case in bundle.design.repeated if case in bundle.roles]
    if bundle.later_lists:
        design["third_lists"] = {rater: [[*cases] for cases in bundle.later_lists]}
    if bundle.owed_elsewhere:
        design["owed_elsewhere"] = [[*owed, other] for owed, other in sorted(bundle.owed_elsewhere.items())]
    for name in ("panels", "owed_by"):
        design.pop(name, None)
    design.pop("gold", None)
    design.pop("population", None)  # the number of cases that could not be drawn would reveal the gold cases
    return study.model_copy(update={"design": design})


def check_new(path: Path) -> None:
    """Raise RequestError if no new file can be created at a path."""
    if path.exists():
        raise RequestError(f"file {str(path)!r} is there already, and may hold verdicts; give another name.")
    if not path.absolute().parent.is_dir():
        raise RequestError(f"there is no folder {str(path.parent)!r} to write into; make it first.")
    if not os.access(path.absolute().parent, os.W_OK):
        raise RequestError(f"folder {str(path.parent)!r} is read-only for you; give a file in another one.")


def put_in_place(draft: Path, path: Path) -> None:
    """Give a finished file its name; raises FileExistsError if another file has it, and OSError."""
    try:
        os.link(draft, path)  # a rename would replace a file in which somebody may already work
    except FileExistsError:
        raise
    except OSError:
        draft.rename(path)  # on a disk without hard links


def write_new(path: Path, pack: StudyRows, when_written: Callable[[], object] = lambda: None) -> None:
    """Write a new file, all or nothing; raises RequestError if the file exists or cannot be written.

    ``when_written`` is called when the file is whole, before it gets its name.
    """
    check_new(path)
    try:
        with drafted(path) as draft:
            _write_draft(draft, path, pack)
            when_written()
            put_in_place(draft, path)
    except FileExistsError as error:
        raise RequestError(f"file {str(path)!r} is there already, and may hold verdicts.") from error
    except OSError as error:
        raise RequestError(f"file {str(path)!r} cannot be written ({error.strerror}).") from error


def _write_draft(draft: Path, path: Path, pack: StudyRows) -> None:
    try:
        write_study_rows(draft, pack)
    except AlteredRowsError:
        raise
    except StoreError as error:
        reason = getattr(error.__cause__, "orig", None) or "the disk refuses it"
        raise RequestError(
            f"file {str(path)!r} cannot be written ({reason}); free some room, or choose a file elsewhere."
        ) from error


Session = ReviewSession | AdjudicationSession
"""What a rater or an adjudicator works in."""


def rescue(session: Session, path: Path) -> str:
    """Write the session's study with this person's events to a new file, and say how to go on with it.

    The file is a store that stays one file. Raises RequestError where it cannot be written.
    """
    bundle = session.bundle
    rows = _rows_of(bundle, bundle.sample, session.assignment, _events(session))
    study = bundle.study.model_copy(update={"design": {**_design_with_lists(bundle), RESCUED: True}})
    study_rows = replace(rows, study=study)
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


def _design_with_lists(bundle: StudyBundle) -> dict[str, JsonValue]:
    """The stored design, with additions from acts of the study: a new file has no acts."""
    design = bundle.design
    if not design.third_lists:
        return bundle.study.design
    lists = {rater: [[*cases] for cases in held] for rater, held in design.third_lists.items()}
    return {
        **bundle.study.design,
        "third_lists": lists,
        "owed": design.owed,
        "owed_by": dict(design.owed_by),
    }


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
