"""What a rater answered so far, to be searched from the case that they are on."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from reviewer.core.sanitize import counted
from reviewer.protocols.altered_case import headline_of
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.study.session.own_answers import OwnAnswer, own_answers
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.dialogs.search import SearchDialog
from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.rendering.literal import literal_line
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.widgets.item_list import ListedLines

_MOST = 200


class OwnAnswersScreen(ListScreen):
    """A list of the rater's own answers, newest first; enter shows the case again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        named_key("own-answers", "slash", "search", "search", "search", "Look for words", shown_as="/"),
    ]
    HINTS = (("own-answers.search", "search"),)

    def __init__(self, session: ReviewSession, words: str, show: Callable[[int], None]) -> None:
        super().__init__("the case", self._open)
        self._session, self._words, self._show = session, words, show
        self._found: list[OwnAnswer] = []

    def on_mount(self) -> None:
        """List the answers that have the words."""
        self._list(self._words)

    def action_search(self) -> None:
        """Ask for words, and list the answers with them while they are typed."""
        dialog = SearchDialog(self._words, self._list, placeholder="words to find in your answers")
        self.app.push_screen(dialog, lambda words: self.say(self._list(words or "")))

    def _list(self, words: str) -> str:
        self._words = words.strip()
        answers = own_answers(self._session, self._words)
        self._found = answers[:_MOST]
        number = "your answers" if self._session.bundle.repeated else counted(len(answers), "answer")
        listed = f", {_MOST} are listed" if len(answers) > _MOST else ""
        having = f" with “{self._words}”" if self._words else ""
        head = f"{self._session.bundle.study.name} · {self._session.rater} · {number}{having}{listed}"
        protocols = protocols_of(self._session.database)
        items = [ListedLines(2 + bool(a.verdict.comment), partial(_item, protocols, a)) for a in self._found]
        self.show_items(head, items, 0, nothing="" if answers else _nothing(self._words))
        return number

    def _open(self, index: int) -> None:
        position = self._found[index].position
        self.dismiss()
        self._show(position)


def _nothing(words: str) -> str:
    if words:
        return (
            f"None of your answers has “{words}” in its case, question, label or comment. / searches again."
        )
    return "You have not answered anything yet."


def _item(protocols: Protocols, answer: OwnAnswer) -> Content:
    """Question, label and case; how the case begins; the comment."""
    verdict, place = answer.verdict, answer.place
    where = answer.case.group
    if place:
        training = "training · " if place.training else ""
        where = f"{training}case {place.case_number} of {place.case_count} · {where}"
    lines = [
        Content.assemble(
            literal_line(f"{answer.question.title} = {answer.words}", 60, "bold $foreground"),
            "  ",
            literal_line(where, 80, "$foreground 70%"),
        ),
        literal_line(headline_of(protocols, answer.case), 160).pad_left(2),
    ]
    if verdict.comment:
        reply = f"  ↳ {answer.reply}" if answer.reply else ""
        lines.append(literal_line(f"✎ {verdict.comment}{reply}", 160, "italic $foreground 80%").pad_left(2))
    return Content("\n").join(lines)
