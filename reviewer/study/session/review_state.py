"""What a rater is asked at a slot as things stand, and what may be seen there: read from the ledger.

A slot goes through first verdict, the question about a contradiction, what the answer reveals, second
verdict; most have only the first. Once the ledger says that the rater has seen what an answer reveals, that
answer stands, and what follows is a second verdict.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import StrEnum
from functools import partial

from reviewer.core.errors import RequestError
from reviewer.core.pane import Sheet
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.blinding import (
    may_see_findings_on,
    sees_what_the_answer_reveals,
    sheet_for,
    showings,
)
from reviewer.study.session.contradictions import Clash, clash_at
from reviewer.study.session.side_order import sides_exchanged, with_sides
from reviewer.study.session.verdicts import History, Slot, State, Verdict


class Stage(StrEnum):
    """What is asked at a slot, or told."""

    FIRST = "first verdict"
    CLASH = "contradiction"
    SECOND = "second look"
    FEEDBACK = "training"


class ReviewStages:
    """The stages of one rater's slots; a slot is named by the place of its first verdict."""

    def __init__(self, bundle: StudyBundle, history: History, order_seed: int) -> None:
        self._bundle, self._history, self._seed = bundle, history, order_seed
        self._questions = {question.key: question for question in bundle.questions}
        self._shown: set[Slot] = set()

    # -- where the rater stands --------------------------------------------------------------------

    def at(self, slot: Slot) -> Stage:
        """The stage of a slot."""
        if not self._is_labelled(slot):
            return Stage.FIRST
        if self.is_training(slot):
            return Stage.FEEDBACK
        if self.clash(slot) is not None:
            return Stage.CLASH
        return Stage.SECOND if self._history.revealed(slot) else Stage.FIRST

    def state(self, slot: Slot) -> State:
        """Whether the rater is done with a slot: a second verdict may be owed too."""
        first = self._history.verdict(slot).state
        if first is State.LABELLED and self._looks_twice(slot):
            return self._history.verdict(slot.second).state
        return first

    def answering(self, slot: Slot) -> Slot:
        """The place that an answer given now belongs to."""
        return slot.second if self._history.revealed(slot) else slot

    def verdict(self, slot: Slot) -> Verdict:
        """What the rater says at a slot, last of all, in labels as they are shown."""
        first, second = self._history.verdict(slot), self._history.verdict(slot.second)
        said = second if second.state is State.LABELLED else first
        label = said.label and self.kept(slot, said.label)
        return replace(said, label=label, comment=first.comment, flagged=first.flagged)

    def clash(self, slot: Slot) -> Clash | None:
        """The contradiction that the answer at a slot is asked about now."""
        return clash_at(self._bundle, self._history, slot, self._history.verdict(slot).label)

    def is_training(self, slot: Slot) -> bool:
        """Whether the slot is of the training round."""
        return self._bundle.roles[slot.case] == "training"

    def check_undo(self, slot: Slot) -> None:
        """Raise RequestError where an answer stands for good."""
        if self.is_training(slot):
            raise RequestError(
                "training answers stay, for the known answer has been shown; nothing was taken back."
            )
        if slot.phase == "before" and (self._history.revealed(slot) or self._was_told_elsewhere(slot)):
            raise RequestError(
                "your newest answer stays, for you have seen what it reveals; "
                "answer that case again instead, and both answers are kept."
            )

    # -- what is revealed --------------------------------------------------------------------------

    def revealed_by(self, slot: Slot, label: str) -> Iterator[Slot]:
        """The slots whose first verdict stands for good once this label is saved."""
        if slot.phase == "after" or self.is_training(slot):
            return
        clash = clash_at(self._bundle, self._history, slot, label)
        if clash is None and self._looks_twice(slot):
            yield slot
        elif clash is not None and clash.repeated:
            yield from (clash.here, clash.there)

    def revealed_after(self, clash: Clash) -> Iterator[Slot]:
        """The same once a contradiction has been asked about."""
        if self._looks_twice(clash.here) and not self._history.revealed(clash.here):
            yield clash.here

    def reveals_on_return(self, slot: Slot) -> bool:
        """Whether showing a slot now is what lets the rater see what the answer reveals."""
        if self._bundle.study.closed_at is not None or self._history.revealed(slot):
            return False
        if self._bundle.design.reveal == "none" or self.at(slot) is not Stage.FIRST:
            return False
        if not all(self._is_labelled(each) for each in showings(self._bundle, slot)):
            return False
        return self._looks_twice(slot) or self._sheet(slot, {slot.question}) != self._sheet(slot, set())

    def sheet(self, slot: Slot) -> Sheet:
        """The panes that the rater may see at a slot, and sees now."""
        self._shown.add(slot)
        return self._sheet(slot, set())

    def foreseen(self, slot: Slot) -> Callable[[], Sheet]:
        """What makes the panes of a slot that is not shown yet; it may be called in another thread."""
        return self._sheet_maker(slot, set())

    # -- sides -------------------------------------------------------------------------------------

    def exchanged(self, slot: Slot) -> bool | None:
        """Whether the sides of the pair stand the other way round; None where they may not."""
        if not self._bundle.design.swap or self._questions[slot.question].sides is None:
            return None
        return sides_exchanged(self._seed, slot)

    def kept(self, slot: Slot, label: str) -> str:
        """The label to keep for one that was shown, and the other way round."""
        sides = self._questions[slot.question].sides
        return sides.across(label) if sides and self.exchanged(slot) else label

    # -- in words ----------------------------------------------------------------------------------

    def remark(self, slot: Slot) -> str:
        """What there is to say at the stage of a slot; "" for a first verdict."""
        stage = self.at(slot)
        if stage is Stage.FEEDBACK:
            return self._feedback(slot)
        if stage is Stage.CLASH:
            clash = self.clash(slot)
            return f"≠ {clash.why} Do both stand?" if clash else ""
        if stage is Stage.SECOND:
            said = self.kept(slot, self._history.verdict(slot).label or "")
            if self.state(slot) is State.LABELLED:
                return f"Your first answer was {said}; another one is kept as a second verdict."
            return f"You said {said}. With what is shown now: answer once more, or keep it."
        return ""

    def _feedback(self, slot: Slot) -> str:
        known = self._bundle.known[slot.case, slot.question]
        right = self._history.verdict(slot).label == known.label
        told = "✓ Right." if right else f"✗ The known answer is {self.kept(slot, known.label)}."
        return f"Training: {told} {known.why}".rstrip()

    # -- small questions ---------------------------------------------------------------------------

    def _is_labelled(self, slot: Slot) -> bool:
        return self._history.verdict(slot).state is State.LABELLED

    def _looks_twice(self, slot: Slot) -> bool:
        """Whether a second verdict is owed."""
        return self._bundle.design.reveal == "findings" and not self.is_training(slot)

    def _was_told_elsewhere(self, slot: Slot) -> bool:
        """Whether another question about the case has shown what machines think of the one at a slot."""
        key = slot.question
        others = [each for each in self._shown if each.case == slot.case and each.question != key]
        told = [each for each in others if may_see_findings_on(self._bundle, self._history, each, key)]
        return any(self._sheet(each, {key}) != self._sheet(each, set(), but=key) for each in told)

    def _sheet(self, slot: Slot, more: set[str], but: str = "") -> Sheet:
        """The panes at a slot, as if what answers to ``more`` reveal were seen too, and to ``but`` not."""
        return self._sheet_maker(slot, more, but)()

    def _sheet_maker(self, slot: Slot, more: set[str], but: str = "") -> Callable[[], Sheet]:
        """The same, with all that the ledger has to say about it read already."""
        bundle, history, question = self._bundle, self._history, self._questions[slot.question]
        own = slot.question in more or sees_what_the_answer_reveals(bundle, history, slot)
        others = [key for key in self._questions if key != slot.question]
        told = {key for key in others if may_see_findings_on(bundle, history, slot, key)} | more
        revealed = (told | ({slot.question} if own else set())) - {but}
        make = partial(
            sheet_for,
            bundle.protocol,
            question,
            bundle.cases[slot.case],
            bundle.measurements[slot.case],
            revealed,
            bundle.study.view,
            bundle.findings[slot.case],
        )
        sides, exchanged = question.sides, self.exchanged(slot)
        if sides is None or exchanged is None:
            return make
        return lambda: with_sides(make(), sides, exchanged=exchanged, named=own)
