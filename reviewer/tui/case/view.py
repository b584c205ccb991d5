"""One way to look at a case: its panes, and the keys that show them in another way and save nothing."""

from collections.abc import Callable, Container, Hashable, Sequence
from dataclasses import replace
from math import inf
from time import monotonic
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Offset, Size
from textual.widget import Widget

from reviewer.core.pane import Pane, Tree
from reviewer.core.sanitize import counted, visible
from reviewer.tui.case.pane_search import CaseSearch
from reviewer.tui.dialogs.jump import JumpDialog
from reviewer.tui.keys.case_keys import CASE_KEYS
from reviewer.tui.rendering import notices
from reviewer.tui.rendering.line import Line, Trail, links_on
from reviewer.tui.rendering.notices import Notice
from reviewer.tui.rendering.pane_layout import Layout, ViewOptions, is_narrow
from reviewer.tui.rendering.pane_parts import PaneParts, PartKind
from reviewer.tui.rendering.passages import CommentedLinesOf
from reviewer.tui.widgets.key_hints import keys_by_id
from reviewer.tui.widgets.label import Covered
from reviewer.tui.widgets.narrow_lines import PartLine, TabLine
from reviewer.tui.widgets.pane_grid import PaneGrid
from reviewer.tui.widgets.text_pane import TextPane

_BOTH_ENDS = 2
# The place of a letter on a pane without a border, where it hides no text.
_ABOVE = Offset(2, -1)

_KINDS: dict[str, PartKind] = {"step_variant": "variants", "next_speaker": "speakers"}
"""Which parts of a pane an action is about."""
_IDS = {binding.action: binding.id or "" for binding in CASE_KEYS}

LayoutOf = Callable[[int, int, ViewOptions], Layout]
"""Lays a case out on a screen of a width and height in cells, as the user chose to see it."""


class CaseView(Vertical, Covered):
    """The panes of a case, with everything that a key shows in them; the screen says which case.

    ``redraw`` draws the present case again after the user chose to see it in another way. ``say`` shows a
    notice. ``side`` is a widget at the right of the first panes, such as the question. ``takes_focus`` gives
    the keys to the panes whenever a case is shown; a list keeps them otherwise. ``search_answers`` looks for
    words in the rater's answers to all cases, where somebody rates.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*CASE_KEYS]
    DEFAULT_CSS = """
    CaseView {
        height: 1fr;
        TabLine { display: none; }
        &.-narrow TabLine { display: block; }
    }
    """

    def __init__(
        self,
        redraw: Callable[[], None],
        say: Callable[[Notice], None],
        side: Widget | None = None,
        *,
        takes_focus: bool = True,
        search_answers: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__()
        self.options = ViewOptions()
        self.gives_way: Container[str] = ()
        """The ids of keys that do nothing here, since the settings give them to actions of the screen."""
        self.arranged: Layout | None = None
        self._redraw, self._say, self._side = redraw, say, side
        self._takes_focus = takes_focus
        self._search = CaseSearch(self, say, search_answers)
        self._shown: Hashable = None
        self._refreshed_at = inf

    def compose(self) -> ComposeResult:
        """The names of the panes where they are tabs, the parts of panes, and the panes."""
        self.set_class(is_narrow(*self.app.size), "-narrow")  # before there are widgets to style again
        yield TabLine()
        yield PartLine()
        yield PaneGrid(self._side)

    def show(
        self,
        case: Hashable,
        layout_of: LayoutOf,
        tab: str | None = None,
        commented: CommentedLinesOf | None = None,
        size: Size | None = None,
    ) -> Layout:
        """Draw a case. If ``case`` is another than before, it is shown from its beginning, or from ``tab``.

        ``commented`` finds the lines of a text that a comment is about. ``size`` is the room in cells, if it
        is not the whole screen.
        """
        grid, size, is_new = self.grid, size or self.app.size, case != self._shown
        if is_new:
            self._shown, self.options = case, self.options.for_next_case(tab, self.arranged)
            grid.mark("")
            self._refreshed_at = inf
            self.call_after_refresh(self._painted, case)
            for text_pane in grid.all_text_panes():
                text_pane.rendered_at = None
        layout = self.arranged = layout_of(*size, self.options)
        self.set_class(layout.narrow, "-narrow")
        tabs = self.query_one(TabLine)
        tabs.tabs, tabs.chosen = layout.tabs, tuple(layout.shown_tabs)
        tabs.legend = layout.first[0].legend
        keys = keys_by_id(self.screen) if layout.parts else {}
        self.query_one(PartLine).show(layout.parts, keys, size.width)
        grid.show(layout, size - Offset(0, len(layout.parts)), is_new, commented)
        if self._takes_focus or grid.focused_pane is not None:
            grid.keep_focus()
        return layout

    def _painted(self, case: Hashable) -> None:
        if case == self._shown:
            self._refreshed_at = monotonic()

    @property
    def painted_at(self) -> float:
        """When this case was first painted, by the monotonic clock; infinite until then."""
        rendered = [pane.rendered_at for pane in self.grid.visible_panes() if pane.rendered_at]
        # Panes that show the same as before are not rendered, as where only the question is another.
        return min(rendered, default=self._refreshed_at)

    def tell_dropped(self, answer: str, *others: str) -> None:
        """Say that an answer, and keys after it, were pressed before this case was in sight."""
        also = f", nor did {counted(len(others), 'key')} after it" if others else ""
        self._say(
            notices.remark(f"“{answer}” was pressed before this case was in sight: it did nothing{also}.")
        )

    @property
    def grid(self) -> PaneGrid:
        """The panes."""
        return self.query_one(PaneGrid)

    @property
    def narrow(self) -> bool:
        """Whether one pane is shown at a time."""
        return self.arranged is not None and self.arranged.narrow

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Other panes or parts can be shown where there are any. A key that the screen has given away does
        nothing.
        """
        call = f"{action}({parameters[0]})" if parameters else action
        if _IDS.get(call) in self.gives_way:
            return False
        if action in _KINDS:
            return self._parts(_KINDS[action]) is not None
        return action != "other_panes" or (self.arranged is not None and self.arranged.can_fold)

    # -- which panes -------------------------------------------------------------------------------

    def on_tab_line_chosen(self, message: TabLine.Chosen) -> None:
        """Show the pane of a tab."""
        self.show_tab(message.pane)

    def show_tab(self, pane: str) -> None:
        """In the narrow layout, show this pane."""
        self._choose(tab=pane, zoomed=None)

    def action_other_panes(self) -> None:
        """Hide the panes beside the texts or show them again; else show the next panes."""
        if self.narrow:
            self.action_next_pane(1)
        else:
            folded, page = not self.options.folded, self.options.page + 1
            self._choose(folded=folded, page=page, tab=None, zoomed=None)

    def on_pointed_lines_folded(self, message: TextPane.Folded) -> None:
        """Fold or unfold branches of a tree."""
        self._choose(toggled=self.options.toggled ^ {(message.pane, trail) for trail in message.trails})

    def action_zoom(self) -> None:
        """Show the focused pane alone, or all panes again."""
        text_pane = self.grid.focused_pane
        if self.narrow:
            self._say(notices.remark("The pane has all the room already; tab shows the next."))
        elif self.options.zoomed or text_pane is None or text_pane.pane_text is None:
            self.end_zoom()
        else:
            self._choose(zoomed=text_pane.pane_text.pane, tab=None)

    def end_zoom(self) -> None:
        """Show all panes again."""
        self._choose(zoomed=None)

    def action_read_in_words(self) -> None:
        """Read the derivation in sentences, or step by step again."""
        words = {"in_words": not self.options.in_words, "toggled": frozenset[tuple[str, Trail]]()}
        if any(pane.pane_text and pane.pane_text.has_words for pane in self.grid.visible_panes()):
            self._choose(**words)
        elif tab := self._tab_with_words():
            self._choose(tab=tab, zoomed=None, **(words | {"in_words": True}))
        else:
            self._say(notices.remark("No derivation is in sight."))

    def _tab_with_words(self) -> str | None:
        """In the narrow layout, the tab of a derivation that can be read in words."""
        tabs = self.arranged.tabs if self.arranged else ()
        return next((pane.key for pane in tabs if isinstance(pane.body, Tree) and pane.body.in_words), None)

    def action_next_pane(self, step: int) -> None:
        """Go to the next tab, or to the next pane."""
        layout = self.arranged
        if layout is None or not layout.narrow:
            self.screen.focus_next(TextPane) if step > 0 else self.screen.focus_previous(TextPane)
            return
        keys = [pane.key for pane in layout.tabs]
        at = keys.index(layout.shown_tabs[-1 if step > 0 else 0])
        self.show_tab(keys[(at + step) % len(keys)])

    def action_jump(self) -> None:
        """Give every pane, or every tab, a letter that goes there."""
        tabs = self.query_one(TabLine)
        text_panes = [
            text_pane for text_pane in self.screen.query(TextPane) if text_pane.region and text_pane.pane_text
        ]

        def jump(index: int | None) -> None:
            if index is not None and self.narrow:
                self.show_tab(tabs.tabs[index].key)
            elif index is not None:
                text_panes[index].focus(scroll_visible=False)

        corners = [
            text_pane.region.offset + (_ABOVE if text_pane.has_class("-bare") else Offset(0, 0))
            for text_pane in text_panes
        ]
        self.app.push_screen(JumpDialog(tabs.corners() if self.narrow else corners), jump)

    # -- parts of a pane ---------------------------------------------------------------------------

    def _parts(self, kind: PartKind) -> PaneParts | None:
        """The parts of the focused pane, or else of the first pane, that has parts of this kind."""
        shown = [parts for parts in (self.arranged.parts if self.arranged else ()) if parts.kind == kind]
        focused = self.grid.focused_pane
        at = focused.pane_text.pane if focused and focused.pane_text else ""
        return next((parts for parts in shown if parts.pane == at), next(iter(shown), None))

    def action_step_variant(self, step: int) -> None:
        """Move along the variants."""
        self._step_part("variants", step)

    def action_next_speaker(self) -> None:
        """Show the turns of one speaker alone, then those of the next; after the last, all turns."""
        self._step_part("speakers", 1)

    def _step_part(self, kind: PartKind, step: int) -> None:
        parts = self._parts(kind)
        if parts is None:
            return
        position = parts.after(step)
        if position is None:
            end = "last" if step > 0 else "first"
            self._say(notices.remark(f"This is the {end} of {counted(len(parts.parts), 'text')}."))
        else:
            self.show_part(parts.pane, position)

    def options_of_other_parts(self) -> list[ViewOptions]:
        """The options after each key that shows other parts of a pane in sight."""
        shown = self.arranged.parts if self.arranged else ()
        moves = ((parts.pane, parts.after(step)) for parts in shown for step in (1, -1))
        return [self.options.at_position(pane, position) for pane, position in moves if position is not None]

    def on_part_line_chosen(self, message: PartLine.Chosen) -> None:
        """Show the clicked part."""
        self.show_part(message.pane, message.position)

    def show_part(self, pane: str, position: int) -> None:
        """Show other parts of a pane; a dialogue stays at the turn that was at the top."""
        turn = self.grid.turn_at_top(pane)
        self.options = self.options.at_position(pane, position)
        self._redraw()
        self.grid.scroll_to_turn(pane, turn)

    def _choose(self, **chosen: Any) -> None:
        """Change how the case is shown, and draw it again."""
        self.options = replace(self.options, **chosen)
        self._redraw()

    # -- differences, and links of clauses ----------------------------------------------------------

    def action_step_difference(self, step: int) -> None:
        """Point at the next difference, or at the one before."""
        at = self.grid.step_difference(step)
        if at is None:
            self._say(notices.remark("No difference is marked in the panes in sight."))
        else:
            number, count = at
            said = f"Difference {number} of {count}." if count > 1 else "This is the only difference."
            self._say(notices.remark(said))

    def action_step_link(self, step: int) -> None:
        """Mark the next clause with its words, or the one before."""
        name = self.grid.step_link(step)
        self._say(notices.remark(self._linked(name) if name else "No further link in this pane."))

    def on_text_pane_followed(self, message: TextPane.Followed) -> None:
        """Mark everything that is linked with the clicked text."""
        self._say(notices.remark(self._linked(self.grid.follow(message.names))))

    def _linked(self, name: str) -> str:
        """In which panes a link has parts, and on how many lines."""
        counts = [
            (title, sum(any(name == other for *_, other in links_on(line)) for line in lines))
            for title, lines in self.pages()
        ]
        places = [f"{count} in {title}" for title, count in counts if count]
        if len(places) < _BOTH_ENDS:
            return f"{', '.join(places)}: the other panes have nothing that belongs to it"
        return f"lines that belong together: {', '.join(places)}"

    def pages(self) -> list[tuple[str, Sequence[Line]]]:
        """The title and the lines of each visible pane; in the narrow layout, of all panes."""
        text_panes = self.grid.visible_panes()
        if self.arranged is None or not self.arranged.narrow:
            return [
                (text_pane.pane_text.title, text_pane.lines)
                for text_pane in text_panes
                if text_pane.pane_text
            ]
        return [(pane.title, self.tab_lines(pane)) for pane in self.arranged.tabs]

    def tab_lines(self, pane: Pane) -> Sequence[Line]:
        """The lines of a pane as its tab shows it."""
        pane_text, *_ = self.options.texts_of(pane, "unified")
        return pane_text.lines(self.grid.visible_panes()[0].text_width)

    # -- searching ---------------------------------------------------------------------------------

    def action_search(self) -> None:
        """Ask for words, and mark them while they are typed."""
        self._search.ask()

    def action_step_match(self, step: int) -> None:
        """Point at the next match, or at the one before, also in other tabs."""
        self._search.step_match(step)

    # -- copying -----------------------------------------------------------------------------------

    def action_copy_pane(self) -> None:
        """Copy the text of the focused pane, made safe, through the terminal (OSC 52)."""
        text_pane = self.grid.focused_pane or self.grid.visible_panes()[0]
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
