"""Bringing events together that were made elsewhere: a union by id, the same whatever came first."""

import hmac
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.study.bundle import StudyBundle, load_study
from reviewer.study.event_faults import Acceptable
from reviewer.study.manifest import alterations, is_signed
from reviewer.study.verdicts import History
from store.arrivals import Taken, take_in
from store.database import Database
from store.ledger import Ledger
from store.parcel import Parcel
from store.records import Assignment, Event
from store.studies import find_study, secret_of


@dataclass(frozen=True, slots=True)
class Merged:
    """What became of one rater's events in one study from one source.

    ``late`` are among the ``added``; ``refused`` has a sentence for each event, or one for them all.
    ``forks`` counts places where two machines went on from the same event, so that the latest counts.
    """

    study: str
    rater: str
    added: int = 0
    known: int = 0
    late: int = 0
    forks: int = 0
    refused: tuple[str, ...] = ()


def merge_parcel(
    database: Database, parcel: Parcel, source: str, *, trusted: bool = False, dry_run: bool = False
) -> list[Merged]:
    """Take in the events of a pack, or of a whole store's study; nothing where the parcel is refused whole.

    ``trusted`` takes a whole store's word for whose events it brings, where it does not share the secret.
    """
    name = parcel.study.name
    with database.read() as session:
        known = find_study(session, name) is not None
        secret = secret_of(session, name) if known else None
    if not known:
        return [_refused(parcel, f"study {name!r} is not in this store")]
    bundle = load_study(database, name)
    refusal = _why_refused(bundle, parcel, secret, trusted)
    if refusal:
        return [_refused(parcel, refusal)]
    accounts = merge_events(database, bundle, parcel.events, source, parcel.raters, dry_run=dry_run)
    return accounts or [Merged(name, _only_rater(parcel))]


def merge_between(source: Database, target: Database, study: str, rater: str) -> list[Merged]:
    """Bring one rater's events from an open store into another that has the study; both are trusted."""
    events = Ledger(source).events(study, rater)
    return merge_events(target, load_study(target, study), events, source.location)


def merge_events(
    database: Database,
    bundle: StudyBundle,
    events: Sequence[Event],
    source: str,
    raters: Sequence[Assignment] = (),
    *,
    dry_run: bool = False,
) -> list[Merged]:
    """Check each event by itself, then take in the good ones in one transaction."""
    newcomers = _newcomers(bundle, raters)
    acceptable = Acceptable(bundle, newcomers)
    faults = {event.id: fault for event in events if (fault := acceptable.fault(event))}
    good = [event for event in events if event.id not in faults]
    taken = take_in(database, bundle.study.name, good, source, newcomers, dry_run=dry_run)
    faults |= {event.id: "the ledger holds other content under its id" for event in taken.clashing}
    return _accounts(database, bundle, events, taken, faults)


def _why_refused(bundle: StudyBundle, parcel: Parcel, secret: str | None, trusted: bool) -> str | None:
    if parcel.seal is not None:
        return _why_pack_refused(parcel, secret)
    return _why_store_refused(bundle, parcel, secret, trusted)


def _why_pack_refused(parcel: Parcel, secret: str | None) -> str | None:
    name, seal = parcel.study.name, parcel.seal
    if secret is None or seal is None:
        return f"study {name!r} came here in a pack itself; merge into the store of its lead"
    if not is_signed(seal, secret):
        return f"its seal is not of this store's study {name!r}: made elsewhere, or its manifest was altered"
    altered = next(alterations(parcel, seal), None)
    if altered:
        return f"{altered} since it was packed"
    stranger = next((event for event in parcel.events if event.rater != seal.rater), None)
    if stranger:
        return f"it was made for {seal.rater!r} and holds event {stranger.id} of {stranger.rater!r}"
    return None


def _why_store_refused(bundle: StudyBundle, parcel: Parcel, secret: str | None, trusted: bool) -> str | None:
    name = bundle.study.name
    if parcel.study.protocol != bundle.study.protocol or parcel.study.questions != bundle.study.questions:
        return f"its study {name!r} is another study: its questions differ"
    others = {place.case for place in parcel.sample} ^ bundle.cases.keys()
    if others:
        return f"its study {name!r} is another study: its sample differs (case {min(others)[:12]})"
    altered = next((case for case in parcel.cases if case != bundle.cases[case.digest]), None)
    if altered:
        return f"case {altered.digest[:12]} was altered"
    shared = bool(secret and parcel.secret and hmac.compare_digest(secret, parcel.secret))
    if not (shared or trusted):
        return (
            "it is neither a pack nor a copy of this store, so nothing vouches for whose verdicts it holds; "
            "give --trust if you do"
        )
    return None


def _newcomers(bundle: StudyBundle, raters: Iterable[Assignment]) -> list[Assignment]:
    """Raters of a whole store who are not known here, where the study is open to anybody."""
    if bundle.study.design.get("raters_declared"):
        return []
    known = {person.rater for person in (*bundle.raters, *bundle.adjudicators)}
    return [rater for rater in raters if rater.rater not in known and rater.role == "rater"]


def _refused(parcel: Parcel, why: str) -> Merged:
    return Merged(parcel.study.name, _only_rater(parcel), refused=(why,))


def _only_rater(parcel: Parcel) -> str:
    """Whose pack it is; "" for a whole store."""
    return parcel.seal.rater if parcel.seal else ""


def _accounts(
    database: Database, bundle: StudyBundle, events: Sequence[Event], taken: Taken, faults: Mapping[str, str]
) -> list[Merged]:
    added, known = (Counter(event.rater for event in some) for some in (taken.added, taken.known))
    return [
        Merged(
            study=bundle.study.name,
            rater=rater,
            added=added[rater],
            known=known[rater],
            late=added[rater] if taken.closed_at else 0,
            forks=_forks(database, bundle.study.name, rater, taken),
            refused=tuple(
                f"event {event.id}: {faults[event.id]}"
                for event in events
                if event.rater == rater and event.id in faults
            ),
        )
        for rater in sorted({event.rater for event in events})
    ]


def _forks(database: Database, study: str, rater: str, taken: Taken) -> int:
    """Forks of the rater's whole history, as it is now or, after a dry run, would be."""
    history = History.of(event for event in (*taken.added, *taken.known) if event.rater == rater)
    if rater in taken.elsewhere:
        for event in Ledger(database).events(study, rater):
            history.add(event)
    return history.forks
