"""Where a rater is in a study, and what is shown there: the reading half of a session."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from reviewer.core.errors import StoreError
from reviewer.core.pane import Sheet
from reviewer.core.question import Question
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.review_state import ReviewStages, Stage
from reviewer.study.session.slot_order import Order, RaterPosition
from reviewer.study.session.verdicts import History, Slot, State, Verdict, slot_of
from store.records import Case, Event


@dataclass(frozen=True, slots=True)
class Coming:
    """A slot that is not shown yet: what is asked there, and what makes its panes (in any thread)."""

    question: Question
    sheet: Callable[[], Sheet]


class SessionState:
    """A rater's own order of slots, how far each is by the rater's events, and the one that is shown."""

    def __init__(
        self, bundle: StudyBundle, order_seed: int, events: Iterable[Event], stopwatch: Callable[[], float]
    ) -> None:
        self.bundle = bundle
        self.history = History()
        self._order = Order(bundle, order_seed)
        self._stages = ReviewStages(bundle, self.history, order_seed)
        self.slots = self._order.slots
        if not self.slots:
            raise StoreError(
                f"study {bundle.study.name!r} asks nothing: it was altered or damaged; "
                "see `reviewer store check`."
            )
        self._positions = {slot: position for position, slot in enumerate(self.slots)}
        self._states = [State.OPEN] * len(self.slots)
        self._learn_all(events)
        self._stopwatch = stopwatch
        self._position = 0
        self._seen: set[str] = set()
        self._show(self._resume_position())

    @property
    def position(self) -> int:
        """Index into ``slots``."""
        return self._position

    @property
    def slot(self) -> Slot:
        """The slot that is shown, by the place of its first verdict."""
        return self.slots[self._position]

    @property
    def question(self) -> Question:
        """The question that is asked."""
        return self.bundle.question(self.slot.question)

    @property
    def case(self) -> Case:
        """The case that is shown."""
        return self.bundle.cases[self.slot.case]

    @property
    def stage(self) -> Stage:
        """What the rater is asked here: a first verdict, a second one, why two answers clash; or is told."""
        return self._stages.at(self.slot)

    @property
    def waiting(self) -> bool:
        """Whether the answer that was given here asks for one more key."""
        stage = self.stage
        return stage is Stage.CLASH or (stage is Stage.SECOND and self._stages.state(self.slot) is State.OPEN)

    @property
    def remark(self) -> str:
        """What there is to say at this stage, for people; "" where a first verdict is asked for."""
        return self._stages.remark(self.slot)

    @property
    def verdict(self) -> Verdict:
        """What the rater currently says here: the second verdict once there is one, in labels as shown."""
        return self._stages.verdict(self.slot)

    @property
    def stale(self) -> bool:
        """Whether the case has other content at its place by now, or the question was put otherwise."""
        return self.is_stale(self.slot)

    def is_stale(self, slot: Slot) -> bool:
        """The same of any slot."""
        event = self.history.standing(slot)
        reworded = event is not None and event.question_digest != self.bundle.shown_digest(slot)
        return slot.case in self.bundle.stale or reworded

    @property
    def place(self) -> RaterPosition:
        """Where this is, in numbers for people."""
        return self._order.place(self._position)

    @property
    def wording(self) -> str:
        """The question as put for this case."""
        return self.question.wording(self.bundle.terms(self.slot.case))

    @property
    def done_count(self) -> int:
        """How many slots the rater is done with."""
        return self._states.count(State.LABELLED)

    @property
    def closed(self) -> bool:
        """Whether the study was closed when this session began: there is only looking then."""
        return self.bundle.study.closed_at is not None

    @property
    def finished(self) -> bool:
        """Whether the rater is done with every slot."""
        return self.done_count == len(self.slots)

    def state_at(self, position: int) -> State:
        """Where the rater stands at an index of ``slots``."""
        return self._states[position]

    def verdict_at(self, position: int) -> Verdict:
        """What the rater currently says at an index of ``slots``, in labels as shown."""
        return self._stages.verdict(self.slots[position])

    def sheet(self) -> Sheet:
        """The panes that the rater may see here."""
        return self._stages.sheet(self.slot)

    def see(self, panes: Iterable[str]) -> None:
        """Note which panes (by key) are on the screen, or were read out, at the slot that is shown.

        They add up until another slot is shown: where one pane is seen at a time, all that were looked at.
        """
        self._seen.update(panes)

    @property
    def seen(self) -> list[str] | None:
        """The panes that were visible since the slot is shown; None where nobody said."""
        return sorted(self._seen) or None

    def coming(self) -> list[Coming]:
        """What the keys that go on may show next."""
        positions = dict.fromkeys((self._next_open(), self._position + 1))
        slots = [self.slots[at] for at in positions if at is not None and at < len(self.slots)]
        return [Coming(self.bundle.question(slot.question), self._stages.foreseen(slot)) for slot in slots]

    # -- moving, and learning of events ------------------------------------------------------------

    def _show(self, position: int) -> None:
        """Be at a slot, and start its watch."""
        if position != self._position:
            self._seen.clear()
        self._position = position
        self._shown_at = self._stopwatch()

    def _active_ms(self) -> int:
        return round((self._stopwatch() - self._shown_at) * 1000)

    def _learn_all(self, events: Iterable[Event]) -> None:
        for event in events:
            self._learn(event)

    def _learn(self, event: Event) -> None:
        self.history.add(event)
        slot = slot_of(event).first
        if slot in self._positions:
            self._states[self._positions[slot]] = self._stages.state(slot)

    def _next_open(self) -> int | None:
        """The position that is open, or was skipped, and comes next."""
        return next(
            (
                position
                for positions, wanted in self._order.coming(self._position)
                for position in positions
                if self._states[position] is wanted
            ),
            None,
        )

    def _resume_position(self) -> int:
        """Where the rater stopped: at the slot after the last answer, at the slot of any other last event."""
        if not self.history.events:
            return 0
        last = self.history.events[self.history.newest]
        self._position = self._positions.get(slot_of(last).first, 0)
        if self.waiting or last.kind not in ("label", "skip", "reason"):
            return self._position
        following = self._next_open()
        return self._position if following is None else following
