"""What the keys of answers do: one label is saved at once, several are chosen first, a text is written."""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from textual.content import Content
from textual.screen import Screen

from reviewer.core.answer_keys import MOST_DIGITS
from reviewer.core.question import Question, answer_fault, labels_of
from reviewer.core.sanitize import enumerated, one_line
from reviewer.core.spans import Spans, kept_spans, marks_fault, quoted_spans, spans_in
from reviewer.study.session.verdicts import Slot
from reviewer.tui.answer_drafts import AnswerDrafts
from reviewer.tui.base_app import base_app
from reviewer.tui.case.span_marking import Move, SpanMarking
from reviewer.tui.dialogs.label_list import LabelListDialog
from reviewer.tui.dialogs.text_dialog import FreeTextDialog
from reviewer.tui.rendering.line import Line
from reviewer.tui.widgets.text_pane import TextPane

_LONGEST_SAID = 40
_NOTHING = ""
"""A choice from which every label was taken away again: that says nothing yet."""

_TO_CHOOSE = "Choose the labels that hold, or that none of them does; then save."
_TO_MARK = "Mark spans, or say that there is nothing to mark; then save."
_NOT_TAKEN_BACK = "These spans were marked earlier and are not saved: save them, or take single ones away."

OnFailure = Callable[[Content], None]
"""Takes the reason why an answer could not be saved."""


@dataclass(frozen=True)
class Answerable:
    """What the keys answer now: a question at a slot, the answer that is saved there, and the wording.

    ``answers`` are all answers of this person to the question, the last one last. ``word`` is the effect of
    choosing a label of the list.
    """

    question: Question
    slot: Slot
    answer: str | None
    wording: str
    answers: Callable[[], Iterable[str]] = tuple
    word: str = "save and go on"
    text: str = ""
    """What a question of spans has parts marked in."""
    offered: tuple[str, ...] = ()
    """Answers of others, with whose spans an adjudicator may begin."""


class Answering:
    """The labels that have keys now, and the chosen or written answer that is not saved yet.

    ``asked`` returns what the keys answer now. ``save`` saves an answer; it calls its second argument where
    that fails. ``changed`` draws the screen again, and ``say`` shows a sentence on it.
    """

    def __init__(
        self,
        screen: Screen[None],
        asked: Callable[[], Answerable],
        save: Callable[[str, OnFailure | None], None],
        changed: Callable[[], None],
        say: Callable[[str], None],
        drafts: AnswerDrafts,
    ) -> None:
        self._screen, self._asked, self._save = screen, asked, save
        self._changed, self._say, self._drafts = changed, say, drafts
        self._choices: dict[Slot, str] = {}
        self._cursors: dict[Slot, SpanMarking] = {}
        self._steps: dict[Slot, list[str]] = {}
        """What was chosen before each key, of answers that are not saved."""
        self._bound: Answerable | None = None
        self.labels: tuple[str, ...] = ()
        """The labels that are shown with keys, in their places."""

    def bind(self, taken: Set[str]) -> None:
        """Give the labels of the question their keys; ``taken`` are keys that already do something else."""
        self._bound = asked = self._asked()
        many = len(asked.question.labels) > MOST_DIGITS
        used = (label for answer in asked.answers() for label in labels_of(asked.question, answer))
        keyed = base_app(self._screen).bind_answers(asked.question, used if many else (), taken)
        self.labels = keyed.labels

    def works(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Whether a key of an answer does something at this question."""
        if self._bound is None:
            return False
        kind = self._bound.question.answer_kind
        if action == "answer":
            return kind.has_labels and parameters[0] in range(len(self.labels))
        if action == "save_choice":
            return kind.is_collected and self._unsaved(self._bound) is not None
        if action == "tie":
            return kind.is_ranked
        return action != "no_label" or bool(kind.all_at_once)

    @property
    def choice(self) -> str | None:
        """The answer that is put together and not saved yet, "" for nothing; None if there is none."""
        return self._unsaved(self._asked())

    @property
    def draft(self) -> str:
        """The text that is not saved yet; "" if there is none."""
        asked = self._asked()
        return self._drafts.text(asked.slot) if asked.question.answer_kind.is_written else ""

    def _unsaved(self, asked: Answerable) -> str | None:
        """The choice of several labels that is not saved; before anything is chosen, that of nothing."""
        if not asked.question.answer_kind.is_collected:
            return None
        choice = self._choices.get(asked.slot)
        if choice is None and asked.question.answer_kind.is_marked:
            choice = self._kept_marks(asked)
        if choice is None and asked.answer is None:
            return _NOTHING
        return None if choice == asked.answer else choice

    def _kept_marks(self, asked: Answerable) -> str | None:
        """The spans that were marked before the app was left, if they fit."""
        draft = self._drafts.text(asked.slot)
        fits = draft and not answer_fault(asked.question, draft) and not marks_fault(asked.text, draft)
        return draft if fits else None

    # -- spans -------------------------------------------------------------------------------------

    @property
    def marking(self) -> SpanMarking | None:
        """The text with the spans that are marked now; None if the question has none."""
        asked = self._asked()
        if not asked.question.answer_kind.is_marked:
            return None
        answer = self._unsaved(asked)
        answer = asked.answer if answer is None else answer
        spans = spans_in(answer)[1] if answer else ()
        known = self._cursors.get(asked.slot, SpanMarking(asked.text))
        return replace(known, spans=tuple(span for span in spans if span.end <= len(asked.text)))

    def mark(self, what: str, extend: bool, lines: Sequence[Line]) -> None:
        """Do what a key of marking does: go elsewhere, select, or take a span away."""
        marking, labels = self.marking, self._asked().question.labels
        if marking is None:
            return
        if what == "select":
            self._show_marking(marking.begun())
        elif what == "remove":
            self._keep_marking(marking.without_span())
            self._say(_told(marking.spans, marking.without_span().spans, marking.text))
        else:
            self._show_marking(marking.moved(cast(Move, what), extend, lines, labels))

    def _show_marking(self, marking: SpanMarking) -> None:
        self._cursors[self._asked().slot] = marking
        self._changed()
        if marking.selected is not None:
            start, end = marking.selected
            words = one_line(marking.text[start:end], _LONGEST_SAID)
            self._say(f"Selected: “{words}” {start}–{end}; a label marks it, space drops it.")

    def _keep_marking(self, marking: SpanMarking) -> None:
        asked = self._asked()
        self._cursors[asked.slot] = marking
        choice = kept_spans(len(asked.text), marking.spans) if marking.spans else _NOTHING
        self._choose(choice)
        self._drafts.keep(asked.slot, "" if choice == asked.answer else choice)

    # -- keys --------------------------------------------------------------------------------------

    def press(self, index: int) -> None:
        """Take the label at a place."""
        self._take(self.labels[index])

    def press_none(self) -> None:
        """Choose the answer about all labels: that none of them holds, or that all outputs are equal."""
        asked = self._asked()
        kind = asked.question.answer_kind
        self._choose(kept_spans(len(asked.text), ()) if kind.is_marked else kind.at_once(asked.question))

    def press_tie(self) -> None:
        """Tie the output that was ranked last with those before it, or part them again."""
        asked = self._asked()
        self._choose(asked.question.answer_kind.tied(self._draft_of(asked)))

    def press_more(self) -> None:
        """List all labels; or write a text."""
        asked = self._asked()
        if asked.question.answer_kind.is_written:
            self._write(asked, self._drafts.text(asked.slot) or asked.answer or "", None)
            return
        if asked.question.answer_kind.is_marked and asked.offered:
            self._begin_with_next(asked)
            return
        given = asked.question.answer_kind.signs(asked.question, self._draft_of(asked))
        dialog = LabelListDialog(asked.question, given, asked.word)

        def take(label: str | None) -> None:
            if label is not None and self._asked().slot == asked.slot:
                self._take(label)

        self._screen.app.push_screen(dialog, take)

    def _begin_with_next(self, asked: Answerable) -> None:
        """Take over the spans of an answer that was given; of another one each time."""
        now, fitting = (
            self._unsaved(asked),
            [one for one in asked.offered if not marks_fault(asked.text, one)],
        )
        if not fitting:
            return
        at = (fitting.index(now) + 1) % len(fitting) if now in fitting else 0
        self._cursors.pop(asked.slot, None)
        self._choose(fitting[at])
        self._say(f"These are the spans of answer {at + 1} of {len(fitting)}; change them, or save them so.")

    def save_choice(self) -> None:
        """Save the chosen labels, once there are any or it was said that there are none."""
        asked = self._asked()
        kind, choice = asked.question.answer_kind, self._unsaved(asked)
        if choice and kind.is_ranked and (missing := kind.unranked(asked.question, choice)):
            self._say(f"Rank {enumerated(missing)} too; then save.")
        elif choice:
            self._save(kind.read(asked.question, choice), None)
        elif kind.is_ranked:
            self._say("Press the outputs from the best to the worst; then save.")
        else:
            self._say(_TO_MARK if self.marking else _TO_CHOOSE)

    def take_back(self) -> bool:
        """Take back the last key of an answer that is not saved; False if everything is saved."""
        asked = self._asked()
        choice, kept = self._unsaved(asked), asked.answer or _NOTHING
        if choice is None or choice == kept:
            return False
        steps = self._steps.get(asked.slot)
        self._say("✓ taken back" if steps else _NOT_TAKEN_BACK)
        if steps:
            self._choices[asked.slot] = before = steps.pop()
            if asked.question.answer_kind.is_marked:
                self._drafts.keep(asked.slot, "" if before == kept else before)
            self._changed()
        return True

    def saved(self, slot: Slot) -> None:
        """Forget what was chosen or written at a slot, since it is saved."""
        self._choices.pop(slot, None)
        self._steps.pop(slot, None)
        self._cursors.pop(slot, None)
        self._drafts.keep(slot, "")

    def _take(self, label: str) -> None:
        asked = self._asked()
        if not asked.question.answer_kind.is_collected:
            self._save(label, None)
            return
        if marking := self.marking:
            self._keep_marking(marking.labelled(label))
            self._say(_told(marking.spans, marking.labelled(label).spans, asked.text))
            return
        self._choose(asked.question.answer_kind.pressed(asked.question, self._draft_of(asked), label))

    def _draft_of(self, asked: Answerable) -> str:
        """What the next key changes: the choice that is not saved, or the saved answer."""
        choice = self._choices.get(asked.slot)
        return (asked.answer or _NOTHING) if choice is None else choice

    def _choose(self, choice: str) -> None:
        asked = self._asked()
        before = self._unsaved(asked)
        before = (asked.answer or _NOTHING) if before is None else before
        if before != choice:
            self._steps.setdefault(asked.slot, []).append(before)
        self._choices[asked.slot] = choice
        self._changed()

    def _write(self, asked: Answerable, text: str, wrong: Content | None) -> None:
        about = f"Your saved answer: {asked.answer}" if asked.answer and asked.answer != text else ""
        keep = partial(self._keep, asked)

        def write(text: str | None) -> None:
            if text is None:
                self._changed()
            elif self._asked().slot == asked.slot:
                self._save(text, lambda why: self._write(asked, text, why))

        self._screen.app.push_screen(FreeTextDialog(asked.wording, text, keep, about, wrong), write)

    def _keep(self, asked: Answerable, text: str) -> None:
        self._drafts.keep(asked.slot, "" if text.strip() == asked.answer else text)


def _told(before: Spans, after: Spans, text: str) -> str:
    """What was marked, or is no longer."""
    changes = {"Marked": {*after} - {*before}, "No longer marked": {*before} - {*after}}
    said = (f"{verb}: {quoted_spans(text, spans)[0]}." for verb, spans in changes.items() if spans)
    return next(said, "There is no span at the cursor.")


class AnswerActions:
    """The actions of answer keys, for a screen that has an ``Answering``."""

    _answering: Answering

    def action_answer(self, index: int) -> None:
        """Take a label: save it, or choose it if the question takes several."""
        self._take_answer(partial(self._answering.press, index))

    def action_no_label(self) -> None:
        """Choose none of several labels."""
        self._take_answer(self._answering.press_none)

    def action_tie(self) -> None:
        """Tie the output that was ranked last with those before it."""
        self._take_answer(self._answering.press_tie)

    def action_more_answers(self) -> None:
        """List all labels, or write a text."""
        self._take_answer(self._answering.press_more)

    def on_text_pane_marking(self, message: TextPane.Marking) -> None:
        """Move the cursor in a text, select, or take a span away."""
        self._take_answer(partial(self._answering.mark, message.what, message.extend, message.lines))

    def action_save_choice(self) -> None:
        """Save the chosen labels."""
        self._take_answer(self._answering.save_choice)

    def _take_answer(self, take: Callable[[], None]) -> None:
        """Do what the key does, unless the screen has to refuse it now."""
        raise NotImplementedError
