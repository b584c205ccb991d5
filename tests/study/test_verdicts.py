"""What events amount to: whatever their order, once or twice."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.study.session.verdicts import History, Slot, State
from store.records import Event

SLOT = Slot("c" * 64, "same_task")


def an_event(number: int, kind: str, value: str | None, *supersedes: int, target: int | None = None) -> Event:
    return Event.sealed(
        id=f"{number:032x}",
        study="s",
        rater="anna",
        case=SLOT.case,
        question=SLOT.question,
        question_digest="0" * 64,
        kind=kind,
        given="app",
        value=value,
        supersedes=[f"{other:032x}" for other in supersedes],
        target=None if target is None else f"{target:032x}",
        at="2026-01-01T00:00:00.000Z",
    )


STORY = [
    an_event(1, "label", "True"),
    an_event(2, "label", "False", 1),
    an_event(3, "undo", "True", 2, target=2),
    an_event(4, "comment", "why"),
    an_event(5, "flag", "flagged"),
    an_event(6, "flag", None, 5),
    an_event(7, "skip", None, 3),
    an_event(8, "label", "False", 7),
]


@given(st.permutations(STORY), st.lists(st.sampled_from(STORY)))
def test_the_order_and_repetition_of_events_change_nothing(order: list[Event], again: list[Event]) -> None:
    verdict = History.of([*order, *again]).verdict(SLOT)
    assert (verdict.state, verdict.label, verdict.comment, verdict.flagged) == (
        State.LABELLED,
        "False",
        "why",
        False,
    )
    assert not verdict.forked


def test_each_step_of_the_story() -> None:
    states = []
    for length in range(len(STORY) + 1):
        verdict = History.of(STORY[:length]).verdict(SLOT)
        states.append((str(verdict.state), verdict.label))
    assert states == [
        ("open", None),
        ("labelled", "True"),
        ("labelled", "False"),
        ("labelled", "True"),
        ("labelled", "True"),
        ("labelled", "True"),
        ("labelled", "True"),
        ("skipped", None),
        ("labelled", "False"),
    ]


def test_two_machines_that_superseded_the_same_event_fork_and_the_greatest_id_counts() -> None:
    events = [an_event(1, "label", "True"), an_event(2, "label", "False", 1), an_event(3, "label", "True", 1)]
    verdict = History.of(events).verdict(SLOT)
    assert verdict.forked
    assert verdict.label == "True"
    settled = History.of([*events, an_event(4, "label", "False", 2, 3)]).verdict(SLOT)
    assert (settled.forked, settled.label) == (False, "False")


def test_the_last_action_passes_over_what_was_taken_back() -> None:
    history = History.of(STORY[:3])
    action = history.last_action()
    assert action == STORY[0]
    assert history.label_before(STORY[1]) == "True"
    assert history.label_before(STORY[0]) is None
    assert history.label_before(STORY[7]) is None


def test_undo_in_a_fork_never_brings_back_what_was_taken_back_before() -> None:
    fork = [
        an_event(1, "label", "True"),
        an_event(2, "undo", None, 1, target=1),
        an_event(3, "label", "False", 1),
    ]
    history = History.of(fork)
    assert history.last_action() == fork[2]
    history.add(an_event(4, "undo", "True", 2, 3, target=3))
    assert history.verdict(SLOT).label == "True"
    history.add(an_event(5, "undo", None, 4, target=1))
    assert history.verdict(SLOT).state is State.OPEN
    assert history.last_action() is None


def test_what_refers_to_no_answer_of_its_slot_brings_nothing_back() -> None:
    """As events may that were made elsewhere, by another program."""
    comment = an_event(1, "comment", "why")
    history = History.of([comment, an_event(2, "label", "True", 1), an_event(3, "undo", None, 2, target=2)])
    assert history.verdict(SLOT).state is State.OPEN
    history.add(an_event(4, "undo", None, 3, target=1))
    assert history.verdict(SLOT).state is State.OPEN
