"""What the keys of answers do: one label is saved at once, several are chosen first, a text is written."""

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from functools import partial

from textual.content import Content
from textual.screen import Screen

from reviewer.core.answer_keys import MOST_DIGITS
from reviewer.core.answers import labels_of
from reviewer.core.question import Question
from reviewer.core.sanitize import enumerated
from reviewer.study.session.verdicts import Slot
from reviewer.tui.answer_drafts import AnswerDrafts
from reviewer.tui.base_app import base_app
from reviewer.tui.dialogs.free_text import FreeTextDialog
from reviewer.tui.dialogs.label_list import LabelListDialog

_NOTHING = ""
"""A choice from which every label was taken away again: that says nothing yet."""

OnFailure = Callable[[Content], None]
"""Takes the reason why an answer could not be saved."""


@dataclass(frozen=True)
class Answerable:
    """What the keys answer now: a question at a slot, the answer that is saved there, and the wording.

    ``answers`` are all answers of this person to the question, the last one last. ``word`` says what becomes
    of a label of the list.
    """

    question: Question
    slot: Slot
    answer: str | None
    wording: str
    answers: Callable[[], Iterable[str]] = tuple
    word: str = "save and go on"


class Answering:
    """The labels that have keys now, and what is chosen or written and not saved yet.

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
        if choice is None and asked.answer is None:
            return _NOTHING
        return None if choice == asked.answer else choice

    # -- keys --------------------------------------------------------------------------------------

    def press(self, index: int) -> None:
        """Take the label at a place."""
        self._take(self.labels[index])

    def press_none(self) -> None:
        """Choose the answer about all labels: that none of them holds, or that all outputs are equal."""
        question = self._asked().question
        self._choose(question.answer_kind.at_once(question))

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
        given = asked.question.answer_kind.signs(asked.question, self._draft_of(asked))
        dialog = LabelListDialog(asked.question, given, asked.word)

        def take(label: str | None) -> None:
            if label is not None and self._asked().slot == asked.slot:
                self._take(label)

        self._screen.app.push_screen(dialog, take)

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
            self._say("Choose the labels that hold, or that none of them does; then save.")

    def saved(self, slot: Slot) -> None:
        """Forget what was chosen or written at a slot, since it is saved."""
        self._choices.pop(slot, None)
        self._drafts.keep(slot, "")

    def _take(self, label: str) -> None:
        asked = self._asked()
        if not asked.question.answer_kind.is_collected:
            self._save(label, None)
            return
        self._choose(asked.question.answer_kind.pressed(asked.question, self._draft_of(asked), label))

    def _draft_of(self, asked: Answerable) -> str:
        """What the next key changes: the choice that is not saved, or the saved answer."""
        choice = self._choices.get(asked.slot)
        return (asked.answer or _NOTHING) if choice is None else choice

    def _choose(self, choice: str) -> None:
        self._choices[self._asked().slot] = choice
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

    def action_save_choice(self) -> None:
        """Save the chosen labels."""
        self._take_answer(self._answering.save_choice)

    def _take_answer(self, take: Callable[[], None]) -> None:
        """Do what the key does, unless the screen has to refuse it now."""
        raise NotImplementedError
