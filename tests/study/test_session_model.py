"""Random keys against a model that is too simple to be wrong: a stack of answers for each place."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.core.errors import RequestError
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.review_stages import Stage
from reviewer.study.session.verdicts import Slot, State
from store.database import Database
from store.ledger import Ledger
from store.records import Event
from tests.rounds import rounds
from tests.studies import a_study

STUDIES = {
    "on-key": {"reveal": "back"},
    "none": {"reveal": "none", "asking": "case"},
    "findings": {"reveal": "findings", "swap": True},
    "by-case": {"reveal": "findings", "asking": "case"},
    "repeats": {"repeats": 0.5, "asking": "case"},
}
_raters = count()


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    opened = Database.open(str(tmp_path_factory.mktemp("model") / "reviewer.db"))
    for name, options in STUDIES.items():
        a_study(opened, name, cases=2, **options)  # type: ignore[arg-type]
    yield opened
    opened.close()


class Model:
    """What was said at each place, newest last; None is a skip."""

    def __init__(self) -> None:
        self.said: dict[Slot, list[tuple[int, str | None]]] = {}
        self._clock = count()

    def say(self, slot: Slot, label: str | None) -> None:
        self.said.setdefault(slot, []).append((next(self._clock), label))

    def newest(self) -> Slot | None:
        standing = [(stack[-1][0], slot) for slot, stack in self.said.items() if stack]
        return max(standing, key=lambda each: each[0])[1] if standing else None

    def label(self, slot: Slot) -> str | None:
        stack = self.said.get(slot)
        return stack[-1][1] if stack else None


def press(session: ReviewSession, model: Model, key: str, seen: set[Slot]) -> None:
    """One key on both; ``seen`` are the slots whose reveal the ledger knows to be seen."""
    slot, stage = session.slot, session.stage
    place = slot.second if slot in seen else slot
    match key:
        case "True" | "False":
            confirms = stage is Stage.CLASH and session.verdict.label == key
            session.answer(key)
            if not confirms:
                model.say(place, key)
        case "go on":
            keeps = session.waiting and stage is Stage.SECOND
            label = session.verdict.label
            session.proceed()
            if keeps:
                model.say(place, label)
        case "undo":
            newest = model.newest()
            if newest is not None and newest.phase == "before" and newest in seen:
                with pytest.raises(RequestError, match="is final"):
                    session.undo()
            elif (session.undo() is None) != (newest is None):
                raise AssertionError("one of both had nothing to take back")
            elif newest is not None:
                model.said[newest].pop()
        case "skip":
            if session.skip() is not None:
                model.say(place, None)
        case "next":
            session.next()
        case "back":
            session.previous()
        case "reveal":
            with suppress(RequestError):
                session.reveal()
        case _:
            session.next_open()


def seen_in(events: list[Event]) -> set[Slot]:
    return {Slot(event.case, event.question, event.showing) for event in events if event.phase == "after"}


def check(session: ReviewSession, model: Model, events: list[Event], reveal: str) -> None:
    for position, slot in enumerate(session.slots):
        for place in (slot, slot.second):
            assert session.history.verdict(place).label == model.label(place)
        second = reveal == "findings" and model.label(slot) is not None
        done = model.label(slot.second if second else slot) is not None
        assert (session.state_at(position) is State.LABELLED) == done
    shown = "0.9" in str(session.sheet())
    if session.question.key == "reconstruction" and model.said.get(session.slot):
        assert shown == (reveal != "none" and session.slot in seen_in(events))
    elif session.question.key == "reconstruction":
        assert not shown


def check_strict(events: list[Event]) -> None:
    """Nothing is said as a first verdict once the rater has seen what it reveals."""
    seen: set[Slot] = set()
    for event in events:
        slot = Slot(event.case, event.question, event.showing)
        if event.phase == "after":
            seen.add(slot)
        elif event.kind in ("label", "undo", "skip"):
            assert slot not in seen


KEYS = ("True", "False", "go on", "undo", "skip", "next", "back", "reveal", "next open")


@pytest.mark.parametrize("examples", rounds(10, [40]))
def test_the_session_says_what_the_model_says(database: Database, examples: int) -> None:
    @settings(max_examples=examples, deadline=None)
    @given(
        study=st.sampled_from(sorted(STUDIES)),
        keys=st.lists(st.sampled_from(KEYS), max_size=30),
        restart=st.integers(0, 30),
    )
    def says_the_same(study: str, keys: list[str], restart: int) -> None:
        _assert_same(database, study, keys, restart)

    says_the_same()


def _assert_same(database: Database, study: str, keys: list[str], restart: int) -> None:
    rater, model = f"rater-{next(_raters)}", Model()
    session = ReviewSession(database, study, rater)
    reveal = session.bundle.design.reveal
    for number, key in enumerate(keys):
        if number == restart:
            session = ReviewSession(database, study, rater)
        press(session, model, key, seen_in(Ledger(database).events(study, rater)))
        check(session, model, Ledger(database).events(study, rater), reveal)
    events = Ledger(database).events(study, rater)
    check_strict(events)
    again = ReviewSession(database, study, rater)
    positions = range(len(session.slots))
    assert [again.state_at(at) for at in positions] == [session.state_at(at) for at in positions]
