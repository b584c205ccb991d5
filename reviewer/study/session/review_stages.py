"""The review stage of a slot: the rater's present question, and the panes that they may see.

The stages are: first verdict, the question about a contradiction, the question whether to reveal what an
answer reveals, second verdict. Most slots have only the first. When the ledger
has recorded that the rater saw what an answer reveals, that answer is final, and any later answer is a second
verdict.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from functools import partial

from reviewer.core.errors import RequestError
from reviewer.core.pane import Pane, Sheet
from reviewer.core.question import Question, answer_from_other_side, answer_in_words
from reviewer.core.sanitize import agreeing, counted, enumerated, one_line
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.blinded_panes import (
    has_seen_what_is_asked_about,
    may_see_what_is_asked_about,
    questions_revealed_at,
    sheet_for,
    showings,
    why_not_reveal,
    why_values_wait,
    why_wait_for_another_study,
)
from reviewer.study.session.contradictions import Clash, Contradictions
from reviewer.study.session.side_order import (
    output_letters,
    output_orders,
    sides_exchanged,
    under_letters,
    with_outputs,
    with_sides,
)
from reviewer.study.session.verdicts import History, Slot, State, Verdict
from store.records import JsonValue

_LONGEST_ENTRY = 40


class Stage(StrEnum):
    """What the rater is asked or told at a slot."""

    FIRST = "first verdict"
    CLASH = "contradiction"
    REVEAL = "reveal"
    SECOND = "second look"
    FEEDBACK = "training"


class ReviewStages:
    """The stages of one rater's slots. Slots are given as those of the first verdicts."""

    def __init__(self, bundle: StudyBundle, history: History, order_seed: int) -> None:
        self._bundle, self._history, self._seed = bundle, history, order_seed
        self._questions = {question.key: question for question in bundle.questions}
        self._contradictions = Contradictions(bundle, history)
        self._told: dict[Slot, frozenset[str]] = {}
        """The slots that were shown, each with the questions whose findings it showed."""
        self._values_shown: set[tuple[str, str]] = set()
        """Cases with a question that was shown with the values that it is about."""

    # -- the stage of a slot -----------------------------------------------------------------------

    def at(self, slot: Slot) -> Stage:
        """The stage of a slot, unless the rater has just asked what is revealed there."""
        if not self._is_labelled(slot):
            return Stage.FIRST
        if self.is_training(slot):
            return Stage.FEEDBACK
        if self.clash(slot) is not None:
            return Stage.CLASH
        seen = self._history.revealed(slot) or self._has_seen_values(slot)
        return Stage.SECOND if seen else Stage.FIRST

    def state(self, slot: Slot) -> State:
        """The state of a slot. If a second verdict can be given, its state counts."""
        first = self._history.verdict(slot).state
        if first is State.LABELLED and self._looks_twice(slot) and not self._wait(slot):
            return self._history.verdict(slot.second).state
        return first

    def is_final(self, slot: Slot, here: Slot) -> bool:
        """Whether the values that the slot ``here`` is about, which is shown next, make an answer final."""
        asks = here.case == slot.case and here.question != slot.question
        asks = asks and here.question in self._bundle.protocol.questions_with_values
        return self._has_seen_values(slot) or (asks and self._shows_values(here))

    def answering(self, slot: Slot) -> Slot:
        """The slot that a new answer belongs to: that of the first or of the second verdict."""
        return slot.second if self._history.revealed(slot) or self._has_seen_values(slot) else slot

    def verdict(self, slot: Slot) -> Verdict:
        """The rater's newest verdict at a slot, with labels as they are shown."""
        first, second = self._history.verdict(slot), self._history.verdict(slot.second)
        said = second if second.state is State.LABELLED else first
        label = said.label and self.as_shown(slot, said.label)
        passage = self.kept_passage(slot, said.passage, back=True)
        return replace(said, label=label, comment=first.comment, flagged=first.flagged, passage=passage)

    def clash(self, slot: Slot) -> Clash | None:
        """The contradiction that the rater is asked about at this slot now."""
        return self._contradictions.at(slot, self._history.verdict(slot).label)

    def is_training(self, slot: Slot) -> bool:
        """Whether the slot belongs to the training round."""
        return self._bundle.roles[slot.case] == "training"

    def check_undo(self, slot: Slot) -> None:
        """Raise RequestError if the answer is final."""
        if self.is_training(slot):
            raise RequestError(
                "training answers are final, because the known answer was shown; nothing was taken back."
            )
        told = self._was_told_elsewhere(slot) or self._has_seen_values(slot)
        if slot.phase == "before" and (self._history.revealed(slot) or told):
            raise RequestError(
                "your newest answer is final, because you have seen what it reveals; "
                "answer that case again instead, and both answers are kept."
            )

    # -- what is revealed --------------------------------------------------------------------------

    def revealed_by(self, slot: Slot, label: str) -> Iterator[Slot]:
        """The slots whose first verdict becomes final when this label is saved."""
        if slot.phase == "after" or self.is_training(slot) or self._wait(slot):
            return
        if self._looks_twice(slot) and self._contradictions.at(slot, label) is None:
            yield slot

    def revealed_after(self, clash: Clash) -> Iterator[Slot]:
        """The slots whose first verdict becomes final after the question about a contradiction."""
        here = clash.here
        if self._looks_twice(here) and not self._wait(here) and not self._history.revealed(here):
            yield here

    def reveals_on_return(self, slot: Slot) -> bool:
        """Whether the rater would see what the answer reveals by going back to this slot."""
        if self._bundle.study.closed_at is not None or self._history.revealed(slot) or self._wait(slot):
            return False
        if self._bundle.design.reveal == "none" or self.at(slot) is not Stage.FIRST:
            return False
        return self._looks_twice(slot) and all(
            self._is_labelled(showing) for showing in showings(self._bundle.repeated, slot)
        )

    def reveal_obstacle(self, slot: Slot) -> str | None:
        """A sentence on why the rater may not ask now for the reveal of the answer; None if they may."""
        if self.at(slot) is Stage.CLASH:
            return "Answer first what you are asked about your two answers."
        if why := why_not_reveal(self._bundle, self._history, slot):
            return why
        return None if self._holds_back(slot) else "Nothing more is known about this case."

    def revealed_with(self, slot: Slot) -> list[Slot]:
        """The slots whose first verdict becomes final when the rater asks for the reveal at this one."""
        return [shown for shown in showings(self._bundle.repeated, slot) if not self._history.revealed(shown)]

    def sheet(self, slot: Slot) -> Sheet:
        """The panes that the rater may see at a slot; what it shows is remembered."""
        self._told[slot] = self._told.get(slot, frozenset()) | self._revealed_at(slot)
        if slot.question in self._bundle.protocol.questions_with_values and self._shows_values(slot):
            self._values_shown.add((slot.case, slot.question))
        return self._sheet(slot, set())

    def foreseen(self, slot: Slot) -> Callable[[], Sheet]:
        """A function that makes the panes of a slot before it is shown; any thread may call it."""
        return self._sheet_maker(slot, set())

    # -- sides -------------------------------------------------------------------------------------

    def exchanged(self, slot: Slot) -> bool | None:
        """Whether the sides are exchanged at this slot; None if the study or question does not allow it."""
        if not self._bundle.design.swap or self._questions[slot.question].sides is None:
            return None
        return sides_exchanged(self._seed, slot)

    def question(self, slot: Slot) -> Question:
        """The question as it is asked at a slot: with the labels that the case has, with outputs under
        letters in the order of this rater, and with the entry of a list in its title.
        """
        question = self._bundle.protocol.asked_about(
            self._questions[slot.question], self._bundle.cases[slot.case]
        )
        letters, entry = self._letters(slot), self.entry(slot)
        question = under_letters(question, letters) if letters else question
        if not entry:
            return question
        return question.model_copy(update={"title": f"{question.title} · {one_line(entry, _LONGEST_ENTRY)}"})

    def kept(self, slot: Slot, label: str) -> str:
        """Translate an answer from how it is shown to how it is kept."""
        question, letters = self._questions[slot.question], self._letters(slot)
        if question.answer_kind.is_ranked:
            outputs = {letter: output for output, letter in letters.items()}
            return question.answer_kind.renamed(question, label, outputs)
        return answer_from_other_side(question, label) if self.exchanged(slot) else label

    def as_shown(self, slot: Slot, label: str) -> str:
        """Translate an answer from how it is kept to how it is shown."""
        question = self.question(slot)
        if question.answer_kind.is_ranked:
            return question.answer_kind.renamed(question, label, self._letters(slot))
        return self.kept(slot, label)

    def entry(self, slot: Slot) -> str:
        """What the question at a slot is about among the entries of its case: the letter of an output."""
        question = self._questions[slot.question]
        if question.outputs:
            return self._letters(slot)[question.output]
        return self._bundle.entry_text(question, slot.case)

    def kept_passage(self, slot: Slot, passage: JsonValue, *, back: bool = False) -> JsonValue:
        """A passage of outputs at their own place, from the place where they are shown; or ``back``."""
        if not isinstance(passage, dict) or not (
            order := self._output_orders(slot).get(str(passage["pane"]))
        ):
            return passage
        own = {str(at): str(place + 1) for at, place in enumerate(order, 1)}
        names = {place: at for at, place in own.items()} if back else own
        return {**passage, "side": names.get(str(passage["side"]), passage["side"])}

    def _letters(self, slot: Slot) -> dict[str, str]:
        """The letter of each output; empty where the question is about none."""
        return output_letters(self._questions[slot.question], self._seed, slot)

    def _output_orders(self, slot: Slot) -> dict[str, tuple[int, ...]]:
        """The order of outputs in each pane whose texts a question is about, also before a repair."""
        return output_orders(self._questions.values(), self._seed, slot)

    # -- in words ----------------------------------------------------------------------------------

    def remark(self, slot: Slot) -> str:
        """The sentence that a slot shows at its stage; "" if no verdict was given yet."""
        stage = self.at(slot)
        if stage is Stage.FEEDBACK:
            return self._feedback(slot)
        if stage is Stage.CLASH:
            clash = self.clash(slot)
            return f"≠ {clash.why} Do both stand?" if clash else ""
        if stage is Stage.SECOND:
            said = self._in_words(slot, self.as_shown(slot, self._history.verdict(slot).label or ""))
            if self.state(slot) is State.LABELLED:
                return f"Your first answer was {said}; another one is kept as a second verdict."
            return f"You said {said}. With what is shown now: answer once more, or keep it."
        if self._is_labelled(slot) and self._bundle.study.closed_at is None:
            verdict = self.verdict(slot)
            said = self._in_words(slot, verdict.label)
            said += f" ({verdict.confidence})" if verdict.confidence else ""
            wait = self._wait(slot) if self._looks_twice(slot) else None
            return f"You answered {said}. You can still correct it." + (f" {wait}" if wait else "")
        return why_values_wait(self._bundle, slot) or ""

    def later(self, slots: Iterable[Slot]) -> str:
        """The sentence on second verdicts that wait for another study; "" if none do."""
        waiting = [slot for slot in slots if self._looks_twice(slot) and self._wait(slot)]
        if not waiting:
            return ""
        others = sorted({self._bundle.owed_elsewhere[slot.case, slot.question] for slot in waiting})
        where = f"{agreeing(len(others), 'study', 'studies')} {enumerated(others)}"
        return f"{counted(len(waiting), 'second verdict')} will be asked for after your answers in {where}."

    def reveal_remark(self, slot: Slot) -> str:
        """A sentence on the answer that becomes final when the rater asks for the reveal."""
        return (
            "You will see what checks and models found on this question. Your answer "
            f"{self._in_words(slot, self.verdict(slot).label)} is final from then on; "
            "another one is kept as a second verdict."
        )

    def _feedback(self, slot: Slot) -> str:
        if wait := self._wait(slot):
            return f"Training: {wait}"
        known = self._bundle.known[slot.case, slot.question]
        right = self._history.verdict(slot).label == known.label
        answer = self._in_words(slot, self.as_shown(slot, known.label))
        result = "✓ Right." if right else f"✗ The known answer is {answer}."
        return f"Training: {result} {known.why}".rstrip()

    def _in_words(self, slot: Slot, answer: str | None) -> str:
        question = self.question(slot)
        words = answer_in_words(question, answer or "")
        return f"“{one_line(words)}”" if question.answer_kind.is_written else words

    # -- predicates --------------------------------------------------------------------------------

    def _wait(self, slot: Slot) -> str | None:
        """Why what the answer at a slot reveals waits for another study; None if it does not."""
        return why_wait_for_another_study(self._bundle, self._history, slot)

    def _is_labelled(self, slot: Slot) -> bool:
        return self._history.verdict(slot).state is State.LABELLED

    def _looks_twice(self, slot: Slot) -> bool:
        """Whether the slot needs a second verdict."""
        return self._bundle.design.reveal == "findings" and not self.is_training(slot)

    def _shows_values(self, slot: Slot) -> bool:
        """Whether a slot shows the values that its question is about."""
        return may_see_what_is_asked_about(self._bundle, self._history, slot)

    def _has_seen_values(self, slot: Slot) -> bool:
        """Whether another question about the case has shown values that influence the answer at a slot."""
        others = any(case == slot.case and asked != slot.question for case, asked in self._values_shown)
        return others or has_seen_what_is_asked_about(self._bundle, self._history, slot)

    def _was_told_elsewhere(self, slot: Slot) -> bool:
        """Whether another question about the case has already shown the findings on this slot's question."""
        key = slot.question
        telling = [shown for shown, told in self._told.items() if shown.case == slot.case and key in told]
        return any(
            self._sheet(other, {key}) != self._sheet(other, set(), but=key)
            for other in telling
            if other.question != key
        )

    def _holds_back(self, slot: Slot) -> bool:
        """Whether a slot would show more if its own question were revealed."""
        return self._sheet(slot, {slot.question}) != self._sheet(slot, set())

    def _revealed_at(self, slot: Slot) -> frozenset[str]:
        """The questions whose findings a slot shows now."""
        is_asked = self.at(slot) is Stage.CLASH
        return questions_revealed_at(self._bundle, self._history, slot, is_asked=is_asked)

    def _sheet(self, slot: Slot, more: set[str], but: str = "") -> Sheet:
        """The panes at a slot, as if the questions in ``more`` were also revealed and ``but`` were not."""
        return self._sheet_maker(slot, more, but)()

    def _sheet_maker(self, slot: Slot, more: set[str], but: str = "") -> Callable[[], Sheet]:
        """A function that makes these panes. Everything it needs from the ledger is read before."""
        bundle, question = self._bundle, self._questions[slot.question]
        revealed = (self._revealed_at(slot) | more) - {but}
        make = partial(
            sheet_for,
            bundle.protocol,
            question,
            bundle.cases[slot.case],
            bundle.measurements[slot.case],
            revealed,
            bundle.study.view,
            bundle.findings[slot.case],
            bundle.before.get(slot.case),
        )
        make = partial(make, all_others_answered=self._shows_values(slot))
        if bundle.machine is not None and slot.question in revealed:
            is_exchanged = bool(self.exchanged(slot))
            answer = partial(bundle.machine.pane, slot.case, question, exchanged=is_exchanged)
            make = partial(_with_machine, make, answer)
        sides, exchanged = question.sides, self.exchanged(slot)
        if orders := self._output_orders(slot):
            make = partial(_with_outputs, make, orders, slot.question in revealed)
        if sides is None or exchanged is None:
            return make
        return lambda: with_sides(make(), sides, exchanged=exchanged, named=slot.question in revealed)


def _with_outputs(make: Callable[[], Sheet], orders: Mapping[str, tuple[int, ...]], named: bool) -> Sheet:
    """The panes with outputs in the order of the rater."""
    return with_outputs(make(), orders, named=named)


def _with_machine(make: Callable[[], Sheet], answer: Callable[[], Pane | None]) -> Sheet:
    """The panes with the machine rater's answer, first of those at the side, where it was asked."""
    sheet, pane = make(), answer()
    return sheet if pane is None else replace(sheet, beside=(pane, *sheet.beside))
