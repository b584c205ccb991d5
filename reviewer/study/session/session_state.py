"""The reading half of a session: the rater's position in the study, and the panes shown there."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from reviewer.core.errors import StoreError
from reviewer.core.pane import Sheet
from reviewer.core.question import Question
from reviewer.study.design.act_words import answer_to
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_design import common_order_seed
from reviewer.study.session.briefing import Card, briefing, part_card
from reviewer.study.session.review_stages import ReviewStages, Stage
from reviewer.study.session.slot_order import Order, RaterPosition
from reviewer.study.session.stopwatch import minutes_left
from reviewer.study.session.verdicts import History, Slot, State, Verdict, confidence_in, slot_of
from store.records import Case, Event


@dataclass(frozen=True, slots=True)
class Coming:
    """A slot that may be shown next: its question, and a function that makes its panes in any thread."""

    question: Question
    sheet: Callable[[], Sheet]


class SessionState:
    """A rater's slots in their own order, the state of each by the rater's events, and the current slot."""

    def __init__(
        self, bundle: StudyBundle, order_seed: int, events: Iterable[Event], stopwatch: Callable[[], float]
    ) -> None:
        self.bundle = bundle
        self.history = History()
        # Where a study may be stopped early, all raters see cases in one order.
        stops = bundle.design.stop is not None
        seed = common_order_seed(bundle.study.seed) if stops else order_seed
        self._order = Order(bundle, seed, order_seed)
        self._stages = ReviewStages(bundle, self.history, order_seed)
        self.slots = self._order.slots
        if not self.slots:
            raise StoreError(
                f"study {bundle.study.name!r} asks no question: it was altered or damaged; "
                "run `reviewer store check`."
            )
        self._positions = {slot: position for position, slot in enumerate(self.slots)}
        self._states = [State.OPEN] * len(self.slots)
        self._learn_all(events)
        self._stopwatch = stopwatch
        self._position = 0
        self._asks_to_reveal = False
        self._seen: set[str] = set()
        self.card: Card | None = None
        """What the rater reads before going on here; None if there is nothing."""
        self._show(self._resume_position())
        self.card = self._first_card()

    @property
    def position(self) -> int:
        """Index into ``slots``."""
        return self._position

    @property
    def slot(self) -> Slot:
        """The current slot, as that of its first verdict."""
        return self.slots[self._position]

    @property
    def question(self) -> Question:
        """The current question."""
        return self.question_at(self._position)

    def question_at(self, position: int) -> Question:
        """The question at an index of ``slots``, with labels as shown."""
        return self._stages.question(self.slots[position])

    @property
    def case(self) -> Case:
        """The current case."""
        return self.bundle.cases[self.slot.case]

    @property
    def stage(self) -> Stage:
        """What the rater is asked here (a verdict, a second one, a contradiction), or training feedback."""
        stage = self._stages.at(self.slot)
        return Stage.REVEAL if self._asks_to_reveal and stage is Stage.FIRST else stage

    @property
    def waiting(self) -> bool:
        """Whether the answer given here needs one more key."""
        stage = self.stage
        return stage is Stage.CLASH or (stage is Stage.SECOND and self._stages.state(self.slot) is State.OPEN)

    def is_final(self, slot: Slot) -> bool:
        """Whether the answer at a slot is final because of values that the present slot shows."""
        return self._stages.is_final(slot, self.slot)

    @property
    def remark(self) -> str:
        """The sentence that people see at this stage; "" if no verdict was given yet."""
        if self.stage is Stage.REVEAL:
            return self._stages.reveal_remark(self.slot)
        return self._stages.remark(self.slot)

    @property
    def later(self) -> str:
        """What the rater is asked for here after answers in another study, as a sentence; "" if nothing."""
        return self._stages.later(self.slots)

    @property
    def reveal_obstacle(self) -> str | None:
        """A sentence on why ``reveal`` would do nothing here; None if it reveals something."""
        return self._stages.reveal_obstacle(self.slot)

    @property
    def verdict(self) -> Verdict:
        """The rater's current verdict here: the second one if there is one, with labels as shown."""
        return self._stages.verdict(self.slot)

    @property
    def cards(self) -> tuple[Card, Card]:
        """The briefing, and the card to be read before this part of the work."""
        return briefing(self.bundle, self._order), part_card(self.bundle, self._order, self._position)

    def put_card_away(self) -> None:
        """Go on after the card was read or skipped."""
        self.card = None

    @property
    def stale(self) -> bool:
        """Whether the dataset now holds other content at the case's place, or the wording changed."""
        return self.is_stale(self.slot)

    def is_stale(self, slot: Slot) -> bool:
        """The same for any slot."""
        event = self.history.current_answer(slot)
        reworded = event is not None and event.question_digest != self.bundle.shown_digest(slot)
        return slot.case in self.bundle.stale or reworded

    @property
    def place(self) -> RaterPosition:
        """The current position, in numbers for people."""
        return self.place_at(self._position)

    def place_at(self, position: int) -> RaterPosition:
        """The position at an index of ``slots``, in numbers for people."""
        return self._order.place(position)

    @property
    def block(self) -> range:
        """The positions of the questions about the current case that follow each other."""
        return self._order.together(self._position)

    @property
    def wording(self) -> str:
        """The question as it is worded for this case."""
        return self.question.wording(self.bundle.terms(self.slot.case))

    @property
    def done_count(self) -> int:
        """How many slots the rater is done with."""
        return self._states.count(State.LABELLED)

    @property
    def minutes_left(self) -> int | None:
        """Rounded minutes that the rater still needs at their pace; None while that is not known."""
        left = Counter(
            slot.question
            for slot, state in zip(self.slots, self._states, strict=True)
            if state is not State.LABELLED
        )
        return minutes_left(self.history.events.values(), left)

    @property
    def closed(self) -> bool:
        """Whether the study was closed when this session began. The rater can then only read."""
        return self.bundle.study.closed_at is not None

    @property
    def finished(self) -> bool:
        """Whether the rater is done with every slot."""
        return self.done_count == len(self.slots)

    def state_at(self, position: int) -> State:
        """The state of the slot at an index of ``slots``."""
        return self._states[position]

    def answer_to_comment(self, slot: Slot) -> str:
        """What the study's lead answered to the rater's comment at a slot; "" for nothing."""
        comment = self.history.current(slot, "comment")
        return answer_to(self.bundle.acts, comment.id) if comment and comment.value else ""

    def entry_at(self, position: int) -> str:
        """The entry of a list that the question at an index of ``slots`` is about, as the rater sees it."""
        return self._stages.entry(self.slots[position])

    def verdict_at(self, position: int) -> Verdict:
        """The rater's current verdict at an index of ``slots``, with labels as shown."""
        return self._stages.verdict(self.slots[position])

    def sheet(self) -> Sheet:
        """The panes that the rater may see here."""
        return self._stages.sheet(self.slot)

    def see(self, panes: Iterable[str]) -> None:
        """Record which panes (by key) the rater can see at the current slot, or was read aloud.

        They add up until another slot is shown. A rater who sees one pane at a time collects all of them.
        """
        self._seen.update(panes)

    @property
    def seen(self) -> list[str] | None:
        """The panes that were visible since the slot is shown; None if none were recorded."""
        return sorted(self._seen) or None

    def coming(self) -> list[Coming]:
        """The slots that the next key may show."""
        positions = dict.fromkeys((self._next_open(), self._position + 1))
        slots = [self.slots[i] for i in positions if i is not None and i < len(self.slots)]
        return [Coming(self._stages.question(slot), self._stages.foreseen(slot)) for slot in slots]

    # -- moving, and reading new events ------------------------------------------------------------

    def _show(self, position: int) -> None:
        """Make a slot the current one, and start its stopwatch."""
        if position != self._position:
            self._seen.clear()
        self._position, self._asks_to_reveal, self.card = position, False, None
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
        """The position of the next open or skipped slot."""
        return next(
            (
                position
                for positions, wanted in self._order.coming(self._position)
                for position in positions
                if self._states[position] is wanted
            ),
            None,
        )

    def _first_card(self) -> Card | None:
        """The briefing for a rater who begins; the card of a part in which nothing is answered yet."""
        if self.closed or self.finished:
            return None
        if not self.history.events:
            return self.cards[0]
        part = self._order.part(self._position)
        states = (state for at, state in enumerate(self._states) if self._order.part(at) == part)
        return self.cards[1] if all(state is State.OPEN for state in states) else None

    def _resume_position(self) -> int:
        """Where the rater stopped: after the last answer, or at the slot of any other last event."""
        if not self.history.events:
            return 0
        last = self.history.events[self.history.newest]
        self._position = self._positions.get(slot_of(last).first, 0)
        is_done = last.kind in ("label", "skip", "reason") or confidence_in(last)
        if self.waiting or not is_done:
            return self._position
        following = self._next_open()
        return self._position if following is None else following
