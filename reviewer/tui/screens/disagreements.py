"""The items of a cell on which raters disagree, and one of them with its verdicts side by side."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static

from reviewer.core.pane import Sheet
from reviewer.core.sanitize import counted, one_line
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.blinding import sheet_without_blinding
from reviewer.study.statistics.disagreements import Disagreement
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.screens.case_screen import CaseScreen, statement
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.key_hints import hints


class DisagreementsScreen(Screen[None]):
    """A list of items; enter opens one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "leave", "back", id="disagreements.leave", tooltip="Go back")
    ]
    DEFAULT_CSS = """
    DisagreementsScreen {
        background: $background; padding: 0 1;
        #head { height: 1; padding: 0 1; color: $foreground 75%; margin-bottom: 1; }
        #keys { dock: bottom; height: 1; padding: 0 1; color: $foreground 60%; }
    }
    """

    def __init__(self, bundle: StudyBundle, found: Sequence[Disagreement], where: Mapping[str, str]) -> None:
        super().__init__()
        self._bundle, self._found, self._where = bundle, found, where

    def compose(self) -> ComposeResult:
        """The cell, its items, the keys."""
        place = " · ".join(self._where.values()) or "all"
        yield Static(
            literal(one_line(f"{counted(len(self._found), 'disagreement')} · {place}", 200)), id="head"
        )
        yield ItemList(map(_item, self._found))
        yield Static(hints([("enter", "the case and its verdicts"), ("q", "back")]), id="keys")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open an item."""
        event.stop()
        self.app.push_screen(VerdictsScreen(self._bundle, self._found, event.option_index))

    def action_leave(self) -> None:
        """Go back."""
        self.app.pop_screen()


def _item(item: Disagreement) -> ListedLines:
    """Two lines: the case, and each rater's label; another line for each comment."""
    return ListedLines(2 + len(item.comments), partial(_item_text, item))


def _item_text(item: Disagreement) -> Content:
    head = literal_line(f"{item.place.key} · {item.place.generator}", 76, "bold $foreground")
    title = Content.styled(f"  {one_line(item.question.title, 30)}", "$foreground 60%")
    votes = literal("  " + _votes(item))
    comments = [
        Content.assemble("  ", literal_line(f"✎ {who}: {text}", 160, "$foreground 75%"))
        for who, text in item.comments.items()
    ]
    return Content("\n").join([Content.assemble(head, title), votes, *comments])


def _votes(item: Disagreement) -> str:
    return "   ".join(
        f"{one_line(who, 24)}: {one_line(label or '–', 24)}" for who, label in item.votes.items()
    )


class VerdictsScreen(CaseScreen):
    """One case, below the verdict and comment of each rater."""

    def __init__(self, bundle: StudyBundle, found: Sequence[Disagreement], index: int) -> None:
        super().__init__()
        self._bundle, self._found, self._index = bundle, found, index

    def heading(self) -> str:
        """Which disagreement."""
        place, at = self._shown.place, f"{self._index + 1} of {len(self._found)}"
        return f"{at} · {self._shown.question.title} · {place.key} · {place.generator}"

    def wording(self) -> str:
        """The question."""
        return self._shown.question.wording(self._bundle.terms(self._shown.place.case))

    def statements(self) -> list[PaneText]:
        """A pane for each rater."""
        return [_verdict(part, self._shown, who) for part, who in enumerate(self._shown.votes)]

    def sheet(self) -> Sheet:
        """What the question shows to somebody who has answered everything."""
        bundle, item = self._bundle, self._shown
        return sheet_without_blinding(bundle, item.question, bundle.cases[item.place.case])

    def step(self, by: int) -> None:
        """Go to another disagreement of the same cell."""
        self._index = max(0, min(len(self._found) - 1, self._index + by))

    @property
    def _shown(self) -> Disagreement:
        return self._found[self._index]


def _verdict(part: int, item: Disagreement, who: str) -> PaneText:
    """One rater's verdict, with the comment below it."""
    label, comment = item.votes[who], item.comments.get(who, "")
    parts = [literal(label or "– no answer", "strong")]
    if comment:
        parts.append(literal(f"✎ {comment}"))
    return statement(part, one_line(who, 30), Content("\n").join(parts))
