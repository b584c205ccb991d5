"""Merges events that were made elsewhere: a union by id, which does not depend on the order of merges."""

import hmac
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.errors import RequestError, StoreError
from reviewer.core.question import Question
from reviewer.core.sanitize import one_line
from reviewer.protocols.registry import protocols_of
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.study_design import panels_of, study_protocol
from reviewer.study.integrity.quarantine import Acceptable
from reviewer.study.session.verdicts import History
from reviewer.study.transfer.pack_manifest import alterations, is_signed
from store.clock import id_time, instant, is_event_id, now_ms
from store.database import Database
from store.event_import import Aside, ImportedEvents, import_events, waiting_events
from store.event_limits import length_fault
from store.ledger import Ledger
from store.records import Assignment, Case, Event, PackSeal, Study, StudyAct, digest_of
from store.studies import cases_of, find_study, raters_of, sample_of, secret_of
from store.study_log import acts_of
from store.study_rows import StudyRows


@dataclass(frozen=True, slots=True)
class Merged:
    """The result of merging one rater's events in one study from one source.

    ``added`` includes the ``late`` ones. ``refused`` has a sentence for each refused event, or one for all.
    ``aside`` counts events that wait because their ids lie in the future; ``until`` is the latest of these
    times. ``missing`` has a sentence for each missing event that an added one refers to. ``forks`` counts
    places where two machines continued from the same event, so that the newest one counts. If study and
    rater are "", it is the result of merging the ``revisions`` of cases. ``remarks`` are sentences without a
    full stop: about revisions, or on acts of the study that only the file has.
    """

    study: str
    rater: str
    added: int = 0
    known: int = 0
    late: int = 0
    forks: int = 0
    refused: tuple[str, ...] = ()
    aside: int = 0
    until: str = ""
    missing: tuple[str, ...] = ()
    revisions: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trust:
    """What the person who merges vouches for.

    ``people``: that a store without the study's secret names the right raters for its events.
    ``clock``: that ids in the future are correct. Without it, such events are kept aside.
    """

    people: bool = False
    clock: bool = False


NO_TRUST = Trust()
_AHEAD_MS = 24 * 60 * 60 * 1000
"""How far ahead of this machine's clock an id may be. Clocks differ, and time zones may be wrong."""


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of the target study that a merge needs, read again for each file."""

    study: Study
    sample: frozenset[str]
    people: tuple[Assignment, ...]
    acts: tuple[StudyAct, ...]
    secret: str | None
    texts: Mapping[str, Mapping[str, str]]
    """The texts of cases that questions of spans are about, by the case's digest and the question's key."""

    def acceptable(self, newcomers: Iterable[Assignment]) -> Acceptable:
        """What the study accepts, with ``newcomers`` among its people."""
        people = (*self.people, *newcomers)
        return Acceptable(
            self.study.name,
            people,
            self.acts,
            self.sample,
            _questions(self.study),
            panels_of(self.study, self.acts),
            lambda question, case: self.texts.get(case, {}).get(question.key),
        )


def merge_study_rows(
    database: Database, study_rows: StudyRows, source: str, *, trust: Trust = NO_TRUST, dry_run: bool = False
) -> list[Merged]:
    """Merge the events of a pack, or of one study of a whole store; nothing if the study is refused."""
    name = study_rows.study.name
    target = _target(database, name)
    if target is None:
        return [_refused(study_rows, f"study {name!r} is not in this store")]
    if study_rows.seal is not None:
        refusal = _why_pack_refused(study_rows, study_rows.seal, target)
    else:
        refusal = _why_store_refused(study_rows, _cases(database, name), target, trust.people)
    refusal = refusal or _why_protocol_refused(database, study_rows)
    if refusal:
        return [_refused(study_rows, refusal)]
    newcomers = _newcomers(target, study_rows.raters)
    accounts = _merged(database, target, study_rows.events, source, newcomers, trust=trust, dry_run=dry_run)
    first, *others = accounts or [Merged(name, _only_rater(study_rows))]
    return [replace(first, remarks=tuple(_acts_elsewhere(study_rows, target))), *others]


def merge_waiting(database: Database, *, dry_run: bool = False) -> list[tuple[str, Merged]]:
    """Merge events that earlier merges kept aside because of their ids' time; (file, result) pairs."""
    return [
        (source, account)
        for (study, source), events in waiting_events(database).items()
        if (target := _target(database, study)) is not None
        for account in _merged(database, target, events, source, trust=Trust(clock=True), dry_run=dry_run)
    ]


def is_copy(database: Database, file: StudyRows) -> bool:
    """Whether a study in a file has the secret that this store keeps for it."""
    with database.read() as session:
        secret = secret_of(session, file.study.name)
    return secret is not None and hmac.compare_digest(secret, file.secret or "")


def _target(database: Database, name: str) -> Target | None:
    with database.read() as session:
        study = find_study(session, name)
        if study is None:
            return None
        return Target(
            study=study,
            sample=frozenset(place.case for place in sample_of(session, name)),
            people=tuple(raters_of(session, name)),
            acts=tuple(acts_of(session, name)),
            secret=secret_of(session, name),
            texts=_marked_texts(database, study),
        )


def _questions(study: Study) -> list[Question]:
    return [Question.model_validate(question) for question in study.questions]


def _marked_texts(database: Database, study: Study) -> dict[str, dict[str, str]]:
    marked = [question for question in _questions(study) if question.answer_kind.is_marked]
    if not marked:
        return {}
    try:
        protocol = study_protocol(protocols_of(database), study)
    except (RequestError, StoreError):  # nothing of this study can be read here, and no answer is counted
        return {}
    cases = _cases(database, study.name)
    return {digest: protocol.marked_texts(marked, case) for digest, case in cases.items() if case.is_whole}


def _cases(database: Database, study: str) -> dict[str, Case]:
    with database.read() as session:
        return cases_of(session, study)


def _merged(
    database: Database,
    target: Target,
    events: Sequence[Event],
    source: str,
    newcomers: Sequence[Assignment] = (),
    *,
    trust: Trust = NO_TRUST,
    dry_run: bool = False,
) -> list[Merged]:
    acceptable = target.acceptable(newcomers)
    faults = {event.id: fault for event in events if (fault := acceptable.fault(event))}
    news = _unknown(database, target.study.name, [event for event in events if event.id not in faults])
    faults |= {
        event.id: fault for event in news if (fault := length_fault(event.kind, event.value, event.passage))
    }
    good = [event for event in events if event.id not in faults]
    ahead = [] if trust.clock else _ahead([event for event in news if event.id not in faults])
    waiting = {event.id for event in ahead}
    aside = Aside(
        [(event, _WAITS) for event in ahead], {key: f"it was refused: {why}" for key, why in faults.items()}
    )
    taken = import_events(
        database,
        target.study.name,
        [event for event in good if event.id not in waiting],
        source,
        newcomers,
        aside=aside,
        dry_run=dry_run,
    )
    faults |= {event.id: "the ledger holds other content under its id" for event in taken.clashing}
    return _accounts(database, target.study.name, events, taken, faults, aside)


_WAITS = "its id lies in the future: the clock of the machine that it comes from was ahead"


def is_ahead(event_id: str, now: int) -> bool:
    """Whether an id lies further in the future than clocks usually differ."""
    return is_event_id(event_id) and id_time(event_id) > now + _AHEAD_MS


def _ahead(events: Sequence[Event]) -> list[Event]:
    now = now_ms()
    return [event for event in events if is_ahead(event.id, now)]


def _unknown(database: Database, study: str, events: Sequence[Event]) -> list[Event]:
    """The events that the ledger does not hold."""
    known = {rater: Ledger(database).ids(study, rater) for rater in {event.rater for event in events}}
    return [event for event in events if event.id not in known[event.rater]]


def _why_pack_refused(study_rows: StudyRows, seal: PackSeal, target: Target) -> str | None:
    name = study_rows.study.name
    if target.secret is None:
        return f"study {name!r} itself came here in a pack; merge into its lead's store"
    if not is_signed(seal, target.secret):
        return f"its seal does not fit this store's study {name!r}: it was made elsewhere or altered"
    altered = next(alterations(study_rows, seal), None)
    if altered:
        return f"{altered} since it was packed"
    stranger = next((event for event in study_rows.events if event.rater != seal.rater), None)
    if stranger:
        return f"it was made for {seal.rater!r} and holds event {stranger.id} of {stranger.rater!r}"
    return None


def _why_store_refused(
    study_rows: StudyRows, cases: Mapping[str, Case], target: Target, trusted: bool
) -> str | None:
    name, study = study_rows.study.name, target.study
    if (study_rows.study.protocol, study_rows.study.questions) != (study.protocol, study.questions):
        return f"its study {name!r} is a different study: the questions differ"
    if study_rows.study.design.get("definitions") != study.design.get("definitions"):
        return f"its study {name!r} is a different study: it defines groups in different words"
    others = {place.case for place in study_rows.sample} ^ target.sample
    if others:
        return f"its study {name!r} is a different study: the sample differs (case {min(others)[:12]})"
    if differs := _other_first_raters(study_rows, target):
        return f"its study {name!r} is a different study: {differs}"
    altered = next((case for case in study_rows.cases if case != cases[case.digest]), None)
    if altered:
        return f"case {altered.digest[:12]} was altered"
    shared = target.secret is not None and hmac.compare_digest(target.secret, study_rows.secret or "")
    if not (shared or trusted):
        return (
            "it is neither a pack nor a copy of this store, so it cannot prove whose verdicts it holds; "
            "if you vouch for it, give --trust"
        )
    return None


def _other_first_raters(study_rows: StudyRows, target: Target) -> str:
    """The first case whose planned raters are others there than here, in words; "" if there is none."""
    there, here = study_rows.study.design.get("panels") or {}, target.study.design.get("panels") or {}
    for place in sorted(study_rows.sample, key=lambda place: place.position):
        theirs, ours = (", ".join(panels.get(place.case, ())) for panels in (there, here))
        if theirs and ours and theirs != ours:
            key, named = one_line(place.key, 60), one_line(theirs, 60)
            return f"case {key!r} was given to {named} there and to {ours} here"
    return ""


def _why_protocol_refused(database: Database, study_rows: StudyRows) -> str | None:
    """Why the declared protocol of a file does not go with the one that this store has as that version."""
    here = (
        {kept.reference: kept.digest for kept in database.declarations()} if study_rows.declarations else {}
    )
    for kept in study_rows.declarations:
        if here.get(kept.reference, digest_of(kept.text)) != digest_of(kept.text):
            return f"it declares protocol {one_line(kept.reference, 60)!r} with other content than this store"
    return None


def _newcomers(target: Target, people: Iterable[Assignment]) -> list[Assignment]:
    """People who are new here: adjudicators, and raters if the study is open to anybody."""
    known = {person.rater for person in target.people}
    roles = {"adjudicator"} if target.study.design.get("raters_declared") else {"adjudicator", "rater"}
    return [person for person in people if person.rater not in known and person.role in roles]


def _acts_elsewhere(study_rows: StudyRows, target: Target) -> Iterator[str]:
    """What was done to the study in a file and not here: a merge brings no acts, but names them."""
    known = {act.id for act in target.acts}
    for act in study_rows.acts:
        if act.id not in known:
            yield (
                f"in it, study {target.study.name} has an act that is not in this store and was not merged: "
                f"{act_in_words(act)}"
            )
    # A pack is made of an open study, and a closing leaves an act unless another program did it.
    if study_rows.study.closed_at and not (study_rows.acts or target.study.closed_at):
        yield f"in it, study {target.study.name} was closed without a record; here it is open"


def _refused(study_rows: StudyRows, why: str) -> Merged:
    return Merged(study_rows.study.name, _only_rater(study_rows), refused=(why,))


def _only_rater(study_rows: StudyRows) -> str:
    """The rater of a pack; "" for a whole store."""
    return study_rows.seal.rater if study_rows.seal else ""


def _accounts(
    database: Database,
    study: str,
    events: Sequence[Event],
    taken: ImportedEvents,
    faults: Mapping[str, str],
    aside: Aside,
) -> list[Merged]:
    added, known = (Counter(event.rater for event in some) for some in (taken.added, taken.known))
    late = Counter(event.rater for event in taken.added if event.kind != "adjudication")
    waiting = Counter(event.rater for event, _ in aside.waiting)
    until = {event.rater: instant(id_time(event.id)) for event, _ in sorted(aside.waiting, key=_by_id)}
    return [
        Merged(
            study=study,
            rater=rater,
            added=added[rater],
            known=known[rater],
            late=late[rater] if taken.closed_at else 0,
            forks=_forks(database, study, rater, taken),
            refused=tuple(
                f"event {event.id}: {faults[event.id]}"
                for event in events
                if event.rater == rater and event.id in faults
            ),
            aside=waiting[rater],
            until=until.get(rater, ""),
            missing=tuple(
                f"event {one_line(lack.event, 64)}, to which event {lack.named_by} of {rater} refers, "
                "is not here: " + aside.refused.get(lack.event, "the file does not hold it")
                for lack in taken.missing
                if lack.rater == rater
            ),
        )
        for rater in sorted({event.rater for event in events})
    ]


def _by_id(waiting: tuple[Event, str]) -> str:
    return waiting[0].id


def _forks(database: Database, study: str, rater: str, taken: ImportedEvents) -> int:
    """The forks in the rater's whole history as it is now, or would be after a dry run."""
    history = History.of(event for event in (*taken.added, *taken.known) if event.rater == rater)
    if rater in taken.elsewhere:
        for event in Ledger(database).events(study, rater):
            history.add(event)
    return history.forks
