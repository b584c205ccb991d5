"""Merging is a set union: commutative, associative and idempotent, over random ledgers."""

import itertools
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.session.verdicts import History
from store.database import Database
from store.ledger import Ledger
from store.records import Event, EventKind
from tests.merging import merge_between, merge_events
from tests.studies import AT, a_study, open_store

RATERS = ("anna", "ben")
START = 1_767_225_600_000


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    database = open_store(folder)
    a_study(database, raters=RATERS)
    database.close()
    return folder / "reviewer.db"


@pytest.fixture(scope="module")
def bundle(template: Path) -> StudyBundle:
    return load_study(Database.open(str(template)), "pilot")


@contextmanager
def fresh(template: Path) -> Iterator[Database]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database.open(str(shutil.copy(template, folder)))
        yield database
        database.close()


@st.composite
def ledgers(draw: st.DrawFn) -> list[tuple[int, int, int, EventKind, tuple[int, ...], str | None]]:
    """Events in outline: rater, case, question, kind, which earlier ones are superseded, and value."""
    kinds: list[EventKind] = ["label", "undo", "skip", "comment", "flag"]
    outline = []
    for number in range(draw(st.integers(0, 14))):
        kind = draw(st.sampled_from(kinds))
        earlier = draw(st.lists(st.integers(0, number - 1), max_size=2, unique=True)) if number else []
        value = draw(st.sampled_from(["True", "False"] if kind == "label" else ["True", None]))
        where = draw(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1)))
        outline.append((*where, kind, tuple(earlier), value))
    return outline


def events_of(
    bundle: StudyBundle, outline: Sequence[tuple[int, int, int, EventKind, tuple[int, ...], str | None]]
) -> list[Event]:
    cases, events = sorted(bundle.cases), list[Event]()
    for number, (rater, case, question, kind, earlier, value) in enumerate(outline):
        event_id = f"{START + number:012x}7{number:03x}8{number:015x}"
        supersedes = [events[other].id for other in earlier if events[other].rater == RATERS[rater]]
        events.append(
            Event.sealed(
                id=event_id,
                study="pilot",
                rater=RATERS[rater],
                case=cases[case],
                question=bundle.questions[question].key,
                question_digest="0" * 64,
                kind=kind,
                given="app",
                value=value,
                supersedes=supersedes,
                target=supersedes[0] if kind == "undo" and supersedes else None,
                at=AT,
            )
        )
    return events


def state(database: Database) -> tuple[list[Event], list[object]]:
    """The whole ledger, and the verdicts that result from it."""
    events = Ledger(database).events("pilot")
    histories = [History.of(event for event in events if event.rater == rater) for rater in RATERS]
    return events, [[history.verdict(slot) for slot in history.slots()] for history in histories]


@settings(max_examples=10, deadline=None)
@given(outline=ledgers(), shares=st.lists(st.sets(st.integers(0, 2)), min_size=14, max_size=14))
def test_any_order_any_grouping_and_again(
    template: Path,
    bundle: StudyBundle,
    outline: list[tuple[int, int, int, EventKind, tuple[int, ...], str | None]],
    shares: list[set[int]],
) -> None:
    events = events_of(bundle, outline)
    files = [[e for e, where in zip(events, shares, strict=False) if file in where] for file in range(3)]
    results = []
    for order in itertools.permutations(files):
        with fresh(template) as database:
            for file in (*order, order[0]):
                for account in merge_events(database, "pilot", file, "a file"):
                    assert account.refused == ()
            results.append(state(database))
    with fresh(template) as left, fresh(template) as right:
        merge_events(left, "pilot", files[0], "a file")
        for file in files[1:]:
            merge_events(right, "pilot", file, "a file")
        for rater in RATERS:
            merge_between(right, left, "pilot", rater)
        results.append(state(left))
    assert all(result == results[0] for result in results)
    assert {event.id for event in results[0][0]} == {event.id for file in files for event in file}


def test_the_property_can_fail(template: Path, bundle: StudyBundle) -> None:
    """What is left out of a merge is missing: the states above are compared for real."""
    events = events_of(bundle, [(0, 0, 0, "label", (), "True"), (0, 0, 0, "label", (0,), "False")])
    with fresh(template) as database:
        merge_events(database, "pilot", events[:1], "a file")
        before = state(database)
        merge_events(database, "pilot", events, "a file")
        assert before != state(database)
