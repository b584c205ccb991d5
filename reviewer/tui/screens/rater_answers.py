"""What one rater has answered, in the order of their work, for the lead of a study."""

from collections.abc import Sequence
from functools import partial

from textual.content import Content

from reviewer.core.number_text import short_seconds
from reviewer.core.question import answer_in_words
from reviewer.core.sanitize import counted, one_line
from reviewer.results.labels.disagreements import VotedItem
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.disagreements_screen import VerdictsScreen
from reviewer.tui.screens.list_screen import ListScreen
from reviewer.tui.widgets.item_list import ListedLines

_BEFORE, _LABEL, _QUESTION, _LINE = 10, 18, 24, 160


class RaterAnswersScreen(ListScreen):
    """A line for each answer; enter opens the case with it.

    ``hidden`` says why answers may not be seen yet; "" if they may. Without them, the list has their times,
    comments and flags.
    """

    def __init__(self, bundle: StudyBundle, rows: Sequence[LabelRow], rater: str, hidden: str) -> None:
        super().__init__("" if hidden else "the case and the answer", self._open)
        self._bundle, self._rater, self._hidden = bundle, rater, hidden
        self._rows = in_order_of_work(rows, rater)

    def on_mount(self) -> None:
        """List the answers, and say why they are hidden if they are."""
        head = (
            f"{self._bundle.study.name} · {self._rater} · {counted(len(self._rows), 'answer')}, first to last"
        )
        lines = [ListedLines(1 + bool(row.verdict.comment), partial(self._line, row)) for row in self._rows]
        self.show_items(head, lines, nothing=f"{self._rater} has answered nothing yet.")
        if self._hidden:
            self.say(self._hidden)

    def _open(self, index: int) -> None:
        if self._hidden:
            self.say(self._hidden)
        else:
            items = [_item(row) for row in self._rows]
            self.app.push_screen(VerdictsScreen(self._bundle, items, index))

    def _line(self, row: LabelRow) -> Content:
        said = one_line(answer_in_words(row.question, row.label or ""), _LABEL - 2)
        label = "" if self._hidden else f"{said:{_LABEL}}"
        question = f"{one_line(row.question.title, _QUESTION - 2):{_QUESTION}}"
        flag = "  ⚑" if row.verdict.flagged else ""
        first = literal(f"{_seconds(row):>8}  {label}{question}")
        lines = [Content.assemble(first, literal_line(f"{row.place.key}{flag}", _LINE))]
        if row.verdict.comment:
            comment = literal_line(f"✎ {row.verdict.comment}", _LINE, "$foreground 75%")
            lines.append(comment.pad_left(_BEFORE))
        return Content("\n").join(lines)


def _seconds(row: LabelRow) -> str:
    """How long the answer took; a dash if that was not measured."""
    event = row.verdict.event
    return "–" if event is None or event.active_ms is None else f"{short_seconds(event.active_ms / 1000)} s"


def in_order_of_work(rows: Sequence[LabelRow], rater: str) -> list[LabelRow]:
    """The rows of a rater's labels in the order in which they were given, second showings left out."""
    own = [
        row for row in rows if row.rater == rater and row.label is not None and not row.verdict.slot.showing
    ]
    return sorted(own, key=lambda row: row.verdict.event.id if row.verdict.event else "")


def _item(row: LabelRow) -> VotedItem:
    return VotedItem(row.question, row.place, {row.rater: row.label}, {row.rater: row.verdict.comment})
