"""The items of a cell on which raters disagree, and one of them with the verdicts side by side."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from reviewer.core.plaintext import one_line
from reviewer.study.bundle import StudyBundle
from reviewer.study.disagreements import Disagreement
from reviewer.study.sheet import sheet_for
from reviewer.tui.literal import literal, literal_line
from reviewer.tui.typesetting.leaf import Form, Leaf, leaves_of
from reviewer.tui.widgets.key_hints import hints
from reviewer.tui.widgets.paper import Paper

_BACK = Binding("q,escape", "leave", "back", id="disagreements.leave", tooltip="Go back")
_ROOMY = 118


class DisagreementsScreen(Screen[None]):
    """A list of items; enter opens one."""

    BINDINGS: ClassVar[list[BindingType]] = [_BACK]
    DEFAULT_CSS = """
    DisagreementsScreen {
        background: $background; padding: 0 1;
        #head { height: 1; color: $foreground 75%; margin-bottom: 1; }
        OptionList, OptionList:focus {
            height: 1fr; border: none; padding: 0; background: $background; background-tint: $background 0%;
            scrollbar-size-vertical: 1; scrollbar-background: $background; scrollbar-color: $foreground 15%;
        }
        OptionList > .option-list--option-highlighted { background: $foreground 8%; text-style: none; }
        OptionList:focus > .option-list--option-highlighted { background: $foreground 12%; text-style: none; }
        #keys { dock: bottom; height: 1; padding: 0 1; color: $foreground 60%; }
    }
    """

    def __init__(self, bundle: StudyBundle, found: Sequence[Disagreement], where: Mapping[str, str]) -> None:
        super().__init__()
        self._bundle, self._found, self._where = bundle, found, where

    def compose(self) -> ComposeResult:
        """The cell, its items, the keys."""
        place = " · ".join(self._where.values()) or "all"
        yield Static(literal(one_line(f"{len(self._found)} disagreements · {place}", 200)), id="head")
        yield OptionList(*(Option(_item(each)) for each in self._found), markup=False)
        yield Static(hints([("enter", "the case and its verdicts"), ("q", "back")]), id="keys")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open an item."""
        event.stop()
        self.app.push_screen(VerdictsScreen(self._bundle, self._found, event.option_index))

    def action_leave(self) -> None:
        """Go back."""
        self.app.pop_screen()


def _item(each: Disagreement) -> Content:
    """Two lines: which case, and who says what; a third for comments."""
    head = literal_line(f"{each.place.key} · {each.place.generator}", 76, "bold $foreground")
    title = Content.styled(f"  {one_line(each.question.title, 30)}", "$foreground 60%")
    votes = literal("  " + _votes(each))
    comments = [
        Content.assemble("  ", literal_line(f"✎ {who}: {text}", 160, "$foreground 75%"))
        for who, text in each.comments.items()
    ]
    return Content("\n").join([Content.assemble(head, title), votes, *comments])


def _votes(each: Disagreement) -> str:
    return "   ".join(
        f"{one_line(who, 24)}: {one_line(label or '–', 24)}" for who, label in each.votes.items()
    )


class VerdictsScreen(Screen[None]):
    """One case as the question shows it, under a row with everybody's verdict and comment."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,right", "step(1)", "next", id="verdicts.next", tooltip="The next disagreement"),
        Binding("b,left", "step(-1)", "before", id="verdicts.previous", tooltip="The disagreement before"),
        _BACK,
    ]
    DEFAULT_CSS = """
    VerdictsScreen {
        background: $background;
        #head { height: 1; padding: 0 1; color: $foreground 75%; }
        #question { height: auto; max-height: 4; padding: 0 1; }
        #verdicts { height: auto; max-height: 30%; }
        .verdict {
            width: 1fr; height: auto; max-height: 100%; padding: 0 1;
            border: round $foreground 18%; border-title-color: $foreground 75%;
        }
        #panes { height: 1fr; }
        #keys { dock: bottom; height: 1; padding: 0 1; color: $foreground 60%; }
    }
    """

    def __init__(self, bundle: StudyBundle, found: Sequence[Disagreement], index: int) -> None:
        super().__init__()
        self._bundle, self._found, self._index = bundle, found, index

    def compose(self) -> ComposeResult:
        """Verdicts side by side over the panes of the question."""
        yield Static(id="head")
        yield Static(id="question")
        with Vertical(id="body"):
            yield Horizontal(id="verdicts")
            yield Horizontal(id="panes")
        yield Static(hints([("n", "next"), ("b", "before"), ("tab", "next pane"), ("q", "back")]), id="keys")

    async def on_mount(self) -> None:
        """Show the case that was chosen."""
        await self._draw()

    async def action_step(self, by: int) -> None:
        """Show another disagreement of the same cell, where there is one."""
        self._index = max(0, min(len(self._found) - 1, self._index + by))
        await self._draw()

    def action_leave(self) -> None:
        """Go back to the list."""
        self.app.pop_screen()

    async def _draw(self) -> None:
        each = self._found[self._index]
        place, bundle = each.place, self._bundle
        at = f"{self._index + 1} of {len(self._found)}"
        told = f"{at} · {place.key} · {place.generator} · {each.question.title}"
        self.query_one("#head", Static).update(literal(one_line(told, 200)))
        wording = each.question.wording(bundle.terms(place.case))
        self.query_one("#question", Static).update(literal(wording, "bold"))
        verdicts, panes = self.query_one("#verdicts"), self.query_one("#panes")
        await verdicts.remove_children()
        await verdicts.mount(*(_verdict(each, who) for who in each.votes))
        await panes.remove_children()
        papers = [(Paper(), leaf) for leaf in self._leaves(each)]
        await panes.mount(*(paper for paper, _ in papers))
        for paper, leaf in papers:
            paper.show(leaf)
        papers[0][0].focus()

    def _leaves(self, each: Disagreement) -> list[Leaf]:
        """What the question shows first; pairs side by side where there is room."""
        bundle, case = self._bundle, self._bundle.cases[each.place.case]
        answered = [question.key for question in bundle.questions]
        sheet = sheet_for(
            bundle.protocol, each.question, case, bundle.measurements[case.digest], answered, "full"
        )
        form: Form = "columns" if self.size.width >= _ROOMY else "unified"
        return [leaf for pane in sheet.first for leaf in leaves_of(pane, form)]


def _verdict(each: Disagreement, who: str) -> Static:
    """One rater's verdict with the comment below it."""
    label, comment = each.votes[who], each.comments.get(who, "")
    parts = [literal(label or "– no answer", "bold $foreground")]
    if comment:
        parts.append(literal(f"✎ {comment}", "$foreground 75%"))
    shown = Static(Content("\n").join(parts), classes="verdict")
    shown.border_title = literal_line(who, 30)
    return shown
