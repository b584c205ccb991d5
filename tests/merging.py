"""Events of an open store, or made by a test, as merging takes them in."""

from collections.abc import Sequence

from reviewer.study.transfer.merge import Merged, _merged, _target
from store.database import Database
from store.ledger import Ledger
from store.records import Event


def merge_events(database: Database, study: str, events: Sequence[Event], source: str) -> list[Merged]:
    """Check each event by itself, then take in the good ones in one transaction."""
    target = _target(database, study)
    assert target is not None
    return _merged(database, target, events, source)


def merge_between(source: Database, target: Database, study: str, rater: str) -> list[Merged]:
    """Bring one rater's events from an open store into another that has the study; both are trusted."""
    return merge_events(target, study, Ledger(source).events(study, rater), source.location)
