"""The keys of the review screen that show panes in another way and save nothing."""

from collections.abc import Sequence
from dataclasses import replace

from textual.geometry import Offset
from textual.screen import Screen

from reviewer.core.pane import Pane
from reviewer.core.sanitize import counted, visible
from reviewer.tui.dialogs.jump import JumpDialog
from reviewer.tui.dialogs.search import SearchDialog
from reviewer.tui.rendering import notices
from reviewer.tui.rendering.layout import Layout, ViewOptions, is_narrow
from reviewer.tui.rendering.line import Line, links_on
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.rendering.pane_text import PaneText, pane_texts_of
from reviewer.tui.rendering.view_state import GUIDELINE, ViewState
from reviewer.tui.rendering.word_search import find_words
from reviewer.tui.widgets.narrow_lines import TabLine
from reviewer.tui.widgets.pane_grid import PaneGrid
from reviewer.tui.widgets.text_pane import TextPane

_BOTH_ENDS = 2
# The place of a letter on a pane without a border, where it hides no text.
_ABOVE = Offset(2, -1)


class PaneActionsScreen(Screen[None]):
    """Holds the rater's view options; the subclass draws, and shows notices."""

    def __init__(self) -> None:
        super().__init__()
        self._options = ViewOptions()
        self._view: ViewState | None = None
        self._pane_layout: Layout | None = None

    def _draw(self) -> None:
        """Draw the present view."""
        raise NotImplementedError

    def _say(self, notice: Notice) -> None:
        """Show a notice."""
        raise NotImplementedError

    @property
    def _pane_grid(self) -> PaneGrid:
        return self.query_one(PaneGrid)

    @property
    def _narrow(self) -> bool:
        return is_narrow(*self.app.size)

    @property
    def _can_fold(self) -> bool:
        return not self._narrow and self._view is not None and bool(self._view.sheet.beside)

    # -- which panes -------------------------------------------------------------------------------

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        """Show the pane of a tab."""
        self._show_tab(message.pane)

    def _show_tab(self, pane: str) -> None:
        self._options = replace(self._options, tab=pane, zoomed=None)
        self._draw()

    def action_fold(self) -> None:
        """Hide the panes beside the texts, or show them again."""
        self._options = replace(self._options, folded=not self._options.folded, tab=None, zoomed=None)
        self._draw()

    def on_pointed_lines_folded(self, message: TextPane.Folded) -> None:
        """Fold or unfold branches of a tree."""
        toggled = self._options.toggled ^ {(message.pane, trail) for trail in message.trails}
        self._options = replace(self._options, toggled=toggled)
        self._draw()

    def action_zoom(self) -> None:
        """Show the focused pane alone, or all panes again."""
        text_pane = self._pane_grid.focused_pane
        if self._narrow:
            self._say(notices.remark("The pane has all the room already; tab shows the next."))
        elif self._options.zoomed or text_pane is None or text_pane.pane_text is None:
            self._options = replace(self._options, zoomed=None)
        else:
            self._options = replace(self._options, zoomed=text_pane.pane_text.pane, tab=None)
        self._draw()

    def action_guideline(self) -> None:
        """Go to the guideline: its tab, or its place in the question panel."""
        if self._narrow:
            self._show_tab(GUIDELINE)
        else:
            self.query_one("#guideline", TextPane).focus()

    def action_next_pane(self, step: int) -> None:
        """Go to the next tab, or to the next pane."""
        layout = self._pane_layout
        if layout is None or not layout.narrow:
            self.focus_next(TextPane) if step > 0 else self.focus_previous(TextPane)
            return
        keys = [pane.key for pane in layout.tabs]
        self._show_tab(keys[(keys.index(layout.tab) + step) % len(keys)])

    def action_jump(self) -> None:
        """Give every pane, or every tab, a letter that goes there."""
        tabs = self.query_one(TabLine)
        text_panes = [
            text_pane for text_pane in self.query(TextPane) if text_pane.region and text_pane.pane_text
        ]

        def jump(index: int | None) -> None:
            if index is not None and self._narrow:
                self._show_tab(tabs.tabs[index].key)
            elif index is not None:
                text_panes[index].focus(scroll_visible=False)

        corners = [
            text_pane.region.offset + (_ABOVE if text_pane.has_class("-bare") else Offset(0, 0))
            for text_pane in text_panes
        ]
        self.app.push_screen(JumpDialog(tabs.corners() if self._narrow else corners), jump)

    # -- what differs ------------------------------------------------------------------------------

    def action_step_difference(self, step: int) -> None:
        """Point at the next difference, or at the one before."""
        if not self._pane_grid.step_difference(step):
            self._say(notices.remark("Nothing differs in the panes in sight."))

    # -- what a clause encodes ---------------------------------------------------------------------

    def action_step_link(self, step: int) -> None:
        """Mark the next clause with its words, or the one before."""
        name = self._pane_grid.step_link(step)
        self._say(notices.remark(self._linked(name) if name else "No further link in this pane."))

    def on_text_pane_followed(self, message: TextPane.Followed) -> None:
        """Mark everything that is linked with the clicked text."""
        self._say(notices.remark(self._linked(self._pane_grid.follow(message.names))))

    def _linked(self, name: str) -> str:
        """In which panes a link has parts, and on how many lines."""
        counts = [
            (title, sum(any(name == other for *_, other in links_on(line)) for line in lines))
            for title, lines in self._pages()
        ]
        places = [f"{count} in {title}" for title, count in counts if count]
        if len(places) < _BOTH_ENDS:
            return f"{', '.join(places)}: the other panes have nothing that belongs to it"
        return f"lines that belong together: {', '.join(places)}"

    # -- searching ---------------------------------------------------------------------------------

    def action_search(self) -> None:
        """Ask for words, and mark them while they are typed."""

        def keep(words: str | None) -> None:
            self._mark(words or "")
            if words:
                self.action_step_match(1)

        self.app.push_screen(SearchDialog(self._pane_grid.words, self._mark), keep)

    def action_step_match(self, step: int) -> None:
        """Point at the next match, or at the one before, also in other tabs."""
        grid, words = self._pane_grid, self._pane_grid.words
        if not words:
            self._say(notices.remark("You have not searched in this case yet."))
        elif grid.step_match(step, around=not self._narrow) or self._turn_to_match(step):
            self._say(notices.remark(f"“{words}”: {self._counted()}"))
        else:
            self._say(notices.remark(f"“{words}” is nowhere in this case."))

    def _turn_to_match(self, step: int) -> bool:
        """In the narrow layout, point at the first match in the next tab with one, or in this tab again."""
        if self._pane_layout is None or not self._pane_layout.narrow:
            return False
        tabs = self._pane_layout.tabs[::step]
        here = next(number for number, pane in enumerate(tabs) if pane.key == self._pane_layout.tab)
        for pane in (*tabs[here + 1 :], *tabs[: here + 1]):
            if self._count(self._pane_text(pane).lines(self._pane_grid.visible_panes()[0].text_width)):
                self._show_tab(pane.key)
                self._pane_grid.mark(self._pane_grid.words)
                return self._pane_grid.step_match(step)
        return False

    def _mark(self, words: str) -> str:
        self._pane_grid.mark(words.strip())
        return self._counted() if words.strip() else ""

    def _counted(self) -> str:
        """How many matches there are, and in which panes."""
        counts = [(title, self._count(lines)) for title, lines in self._pages()]
        places = ", ".join(f"{count} in {title}" for title, count in counts if count)
        return f"{sum(count for _, count in counts)} found – {places}" if places else "nothing found"

    def _count(self, lines: Sequence[Line]) -> int:
        return sum(len(spans) for spans in find_words(lines, self._pane_grid.words).values())

    def _pages(self) -> list[tuple[str, Sequence[Line]]]:
        """Title and lines of each visible pane; in the narrow layout, of all panes."""
        text_panes = self._pane_grid.visible_panes()
        if self._pane_layout is None or not self._pane_layout.narrow:
            return [
                (text_pane.pane_text.title, text_pane.lines)
                for text_pane in text_panes
                if text_pane.pane_text
            ]
        width = text_panes[0].text_width
        return [(pane.title, self._pane_text(pane).lines(width)) for pane in self._pane_layout.tabs]

    def _pane_text(self, pane: Pane) -> PaneText:
        return pane_texts_of(pane, "unified", self._options.toggled_in(pane.key))[0]

    # -- copying -----------------------------------------------------------------------------------

    def action_copy_pane(self) -> None:
        """Copy the text of the focused pane, made safe, through the terminal (OSC 52)."""
        text_pane = self._pane_grid.focused_pane or self._pane_grid.visible_panes()[0]
        if text_pane.pane_text is None:
            return
        text = visible(text_pane.pane_text.text)
        self.app.copy_to_clipboard(text)
        lines = text.count("\n") + 1
        self._say(
            notices.remark(
                f"copied: {text_pane.pane_text.title}, {counted(lines, 'line')} (if the terminal allows it)"
            )
        )
