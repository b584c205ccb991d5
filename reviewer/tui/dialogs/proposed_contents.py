"""Contents that a rule or a model proposes for a case, each with its changes."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from reviewer.protocols.registry import Protocols
from reviewer.tui.rendering.line import Line, plain_lines
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.styles import StyledOnce
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from reviewer.tui.widgets.text_pane import TextPane
from reviewer.tui.workbench.background import ProposedContent
from reviewer.tui.workbench.trial_lines import TrialView, beside_pane, result_lines

_NARROW = 100


class CandidatesDialog(StyledOnce, ModalScreen[int | None]):
    """Returns the number of the content to take into the editors, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape,q",
            "leave",
            "leave as it was",
            id="candidates.leave",
            tooltip="Close this and change nothing",
        ),
    ]
    DEFAULT_CSS = """
    CandidatesDialog {
        align: center middle; background: $background 40%;
        #box {
            width: 100%; max-width: 150; height: 90%; padding: 0 1; background: $background;
            border: round $line-strong; border-title-color: $foreground; border-subtitle-color: $quiet;
        }
        ItemList, ItemList:focus { width: 34; border: none; padding: 0; }
        #does { height: auto; max-height: 4; padding: 0 1; color: $soft; }
        &.-narrow Horizontal { layout: vertical; }
        &.-narrow ItemList { width: 100%; height: auto; max-height: 8; }
    }
    """

    def __init__(self, title: str, candidates: Sequence[ProposedContent], protocols: Protocols) -> None:
        super().__init__()
        self._heading, self._candidates, self._protocols = title, candidates, protocols

    def compose(self) -> ComposeResult:
        """The list, and the description and changes of the highlighted content."""
        with Vertical(id="box") as box:
            box.border_title = literal(self._heading)
            box.border_subtitle = literal("enter takes it into the editors, where nothing is saved yet")
            with Horizontal():
                yield ItemList()
                with Vertical():
                    yield Static(id="does")
                    yield TextPane()

    def on_mount(self) -> None:
        """List the contents; those that change something come first."""
        self.set_class(self.app.size.width < _NARROW, "-narrow")
        items = self.query_one(ItemList)
        items.show([ListedLines(1, partial(_item, candidate)) for candidate in self._candidates], 0)
        items.focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the changes that the highlighted content would make."""
        candidate = self._candidates[event.option_index]
        self.query_one("#does", Static).update(literal(candidate.does))
        lines = partial(_preview, candidate, self._protocols)
        self.query_one(TextPane).show(PaneText("preview", event.option_index, "what would change", lines))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the content, if there is one."""
        if self._candidates[event.option_index].trial is not None:
            self.dismiss(event.option_index)

    def action_leave(self) -> None:
        """Return None."""
        self.dismiss(None)


def _item(candidate: ProposedContent) -> Content:
    return literal_line(f"{'✎' if candidate.trial else '–'} {candidate.name}", 32)


def _preview(candidate: ProposedContent, protocols: Protocols, width: int) -> tuple[Line, ...]:
    """What the content changes, or why there is none."""
    if candidate.trial is None:
        return plain_lines(literal(candidate.why), width)
    beside = beside_pane(protocols, candidate.trial, 0)
    return result_lines(TrialView(candidate.trial.before, candidate.trial), beside, width)
