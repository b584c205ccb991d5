"""A pane: lines of text that scroll, with a margin that marks what differs."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.css.styles import RenderStyles
from textual.events import Click, Resize
from textual.filter import ANSIToTruecolor, LineFilter
from textual.geometry import Region, Size
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style

from reviewer.tui.keys.case_keys import MARK_KEYS
from reviewer.tui.rendering.line import (
    Line,
    WordSpans,
    find_words,
    is_difference,
    is_shown,
    link_style,
    links_on,
)
from reviewer.tui.rendering.literal import literal
from reviewer.tui.rendering.pane_text import PaneText
from reviewer.tui.rendering.signed_text import line_of_cursor
from reviewer.tui.widgets.pointed_lines import PointedLines

MARGIN = 2
"""Cells before each line, for signs."""
_RIGHT_PADDING = 1
_ABOVE = 3
# Between two explanations of a legend; cells of a border beside it; the room while the width is not known.
_BETWEEN, _CORNERS, _WIDEST_LEGEND = "  ", 8, 200

PANE_KEYS = (
    Binding("up,k", "scroll_up", "up", id="pane.up", tooltip="Scroll this pane up"),
    Binding("down,j", "scroll_down", "down", id="pane.down", tooltip="Scroll this pane down"),
    Binding("pageup", "page_up", "page up", id="pane.page-up", tooltip="Scroll a page up"),
    Binding("pagedown,space", "page_down", "page down", id="pane.page-down", tooltip="Scroll a page down"),
    Binding("home", "scroll_home", "top", id="pane.top", tooltip="Go to the top of this pane"),
    Binding("end", "scroll_end", "end", id="pane.end", tooltip="Go to the end of this pane"),
    Binding("minus,plus", "fold", "unfold", id="pane.fold", tooltip="Unfold or fold what is pointed at"),
    Binding("e", "fold_all", "unfold all", id="pane.fold-all", tooltip="Unfold or fold all"),
)


_Row = tuple[object, ...]
CommentedLines = Callable[[tuple[Line, ...]], frozenset[int]]
"""The numbers of the lines that a comment is about."""


def no_comment(lines: tuple[Line, ...]) -> frozenset[int]:
    """No line: no comment is about a passage here."""
    return frozenset()


class TextPane(PointedLines, inherit_bindings=False):
    """Shows one pane text; only visible lines are rendered."""

    BINDINGS: ClassVar[list[BindingType]] = [*MARK_KEYS, *PANE_KEYS]
    DEFAULT_CSS = """
    TextPane {
        height: 1fr; width: 1fr;
        overflow-x: hidden; overflow-y: scroll;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background; scrollbar-background-hover: $background;
        scrollbar-color: $foreground 15%; scrollbar-color-hover: $foreground 30%;
        background: $background; color: $foreground 92%;
        border: round $foreground 18%;
        border-title-color: $foreground 60%; border-subtitle-color: $foreground 62%;
        &:focus { border: round $foreground 45%; border-title-color: $foreground; border-title-style: bold; }
        &.-bare { border: none; }
    }
    """

    class Followed(Message):
        """The user clicked a text that belongs to these links."""

        def __init__(self, names: Sequence[str]) -> None:
            self.names = names
            super().__init__()

    class Marking(Message):
        """A key about marking spans; ``lines`` are those of the text as they stand on the screen."""

        def __init__(self, what: str, extend: bool, lines: Sequence[Line]) -> None:
            self.what, self.extend, self.lines = what, extend, lines
            super().__init__()

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._set_at: int | None = None
        self._link: str | None = None
        self._words = self._legend = ""
        self._matches: WordSpans = {}
        self._commented_lines: CommentedLines = no_comment
        self._commented: frozenset[int] = frozenset()
        self._base = Style()
        self._named_styles: dict[tuple[str, bool], Style] = {}
        self._selection: Selection | None = None
        self._most_rows: int | None = None
        self._paints = False
        self.rendered_at: float | None = None
        """When it was first rendered since this was None, by the monotonic clock."""

    def show(self, pane_text: PaneText, commented: CommentedLines | None = None) -> None:
        """Show a text; ``commented`` finds the lines that a comment is about."""
        before, shown = self._rows(), self.pane_text
        trail = self._pointed_trail if self.pane_text and self.pane_text.key == pane_text.key else ()
        self.pane_text = pane_text
        self._commented_lines = commented or no_comment
        self._set_at = None
        self._lay_out()
        self._point_at_trail(trail)
        if shown is None or shown.title != pane_text.title:
            self.border_title = literal(pane_text.title)
        self._show_legend()
        self._paint_changes(before)

    def _show_legend(self) -> None:
        """Show as many explanations of signs as there is room for."""
        explanations = self.pane_text.legend.split(_BETWEEN) if self.pane_text else []
        room = self._next_width - _CORNERS if self._next_width else _WIDEST_LEGEND
        while len(explanations) > 1 and len(_BETWEEN.join(explanations)) > room:
            explanations.pop()
        legend = _BETWEEN.join(explanations)
        if legend != self._legend:
            self._legend, self.border_subtitle = legend, literal(legend)

    def _rows(self) -> list[_Row | None]:
        """What each visible row shows, from the top; None where there is no line."""
        top = self.scroll_offset.y
        numbers = range(top, top + self.scrollable_content_region.height)
        return [self._row(number) if number < len(self._lines) else None for number in numbers]

    def _row(self, number: int) -> _Row:
        line = self._lines[number]
        marks = number == self._pointer, number in self._commented, self._matches.get(number, ())
        return line.sign, line.remark, line.content, line.content.spans, *marks

    def _paint_changes(self, before: list[_Row | None]) -> None:
        """Paint only the rows that have changed: much of a screen is the same from case to case."""
        changed = [y for y, (old, new) in enumerate(zip(before, self._rows(), strict=True)) if old != new]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    @property
    def chosen_lines(self) -> list[int]:
        """The lines selected with the mouse, or else those of the difference at the pointer."""
        selection = self.text_selection
        if selection is not None:
            return [n for n in range(len(self._lines)) if selection.get_span(n) is not None]
        if self._pointer is None:
            return []
        ends = (n for n in range(self._pointer, len(self._lines)) if self._lines[n].sign == " ")
        return list(range(self._pointer, max(self._pointer + 1, next(ends, len(self._lines)))))

    @property
    def top_line(self) -> list[int]:
        """The first visible line with text."""
        top = round(self.scroll_y)
        return [n for n in range(top, len(self._lines)) if self._lines[n].content.plain.strip()][:1]

    def on_resize(self, event: Resize) -> None:
        """Lay the text out again where the width has changed, unless it is painted at this width already."""
        is_painted = self._set_at == self.text_width
        self._lay_out()
        self._show_legend()
        if not is_painted:
            self.refresh()

    def mark(self, words: str) -> None:
        """Mark these words wherever they are in the text."""
        if words != self._words:
            self._words = words
            self._matches = find_words(self._lines, words)
            self.refresh()

    def matching_lines(self) -> list[int]:
        """The numbers of the lines with a marked word."""
        return sorted(self._matches)

    def matches_above(self, line: int | None = None) -> int:
        """How many matches there are above a line; in all without one."""
        return sum(len(spans) for number, spans in self._matches.items() if line is None or number < line)

    def bring_finding_in_sight(self) -> None:
        """Scroll to the first line that a finding is about, with a few lines above it."""
        marked = (number for number, line in enumerate(self._lines) if line.sign == "◆")
        first = next(marked, 0)
        if first >= self.scrollable_content_region.height:
            self.scroll_to(y=first - _ABOVE, animate=False, immediate=True)

    # -- marking -----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys mark only where a text is marked."""
        if action == "mark":
            return self.pane_text is not None and self.pane_text.is_marked
        return super().check_action(action, parameters)

    def action_mark(self, what: str, extend: bool = False) -> None:
        """Move the cursor, or do what else a key of marking does."""
        self.post_message(self.Marking(what, extend, self._lines))

    def keep_cursor_in_sight(self) -> None:
        """Scroll so that the line with the cursor is visible."""
        self._set_lines()
        line = line_of_cursor(self._lines)
        top, height = round(self.scroll_y), self.scrollable_content_region.height
        if line is not None and height and not top <= line < top + height:
            y = line if line < top else line - height + 1
            self.scroll_to(y=y, animate=False, immediate=True)

    # -- links -------------------------------------------------------------------------------------

    def link_lines(self) -> dict[str, list[int]]:
        """The numbers of the lines of each link; links are in the order in which they begin."""
        lines_by_link: dict[str, list[int]] = {}
        for number, line in enumerate(self._lines):
            for _, _, name in links_on(line):
                lines_by_link.setdefault(name, []).append(number)
        return lines_by_link

    def show_link(self, name: str | None) -> None:
        """Mark the parts of a link and scroll to its first line; None marks nothing."""
        if name is None and self._link is None:
            return
        self._link = None if name is None else link_style(name)
        if name is not None and (numbers := self.link_lines().get(name)):
            self.point_at(numbers[0])
        self.refresh()

    def _may_point_at(self, number: int) -> bool:
        line = self._lines[number]
        linked = any(link_style(name) == self._link for _, _, name in links_on(line))
        return linked or line.fold is not None or number in self._matches

    def on_click(self, event: Click) -> None:
        """Fold or unfold the clicked step; elsewhere, follow the links of the clicked text."""
        at = event.get_content_offset_capture(self)
        number, x = self.scroll_offset.y + at.y, at.x - MARGIN
        if number >= len(self._lines) or self.text_selection:
            return
        if (trail := self._lines[number].fold) is not None:
            self._fold(number, trail)
        elif names := [name for start, end, name in links_on(self._lines[number]) if start <= x < end]:
            self.post_message(self.Followed(names))

    def limit_height(self, rows: int | None) -> None:
        """Be at most so high, in cells; None for any height. Only a change lays the screen out again."""
        if rows != self._most_rows:
            self._most_rows = self.styles.max_height = rows

    def _lay_out(self) -> None:
        self._set_lines()
        room = self.scrollable_content_region
        size = Size(room.width, len(self._lines))
        if size != self.virtual_size:
            # Set without laying out the screen again: only the scroll bar depends on it, if there is any.
            self.set_reactive(TextPane.virtual_size, size)
            bar = self.vertical_scrollbar
            if max(size.height, bar.window_virtual_size) > bar.window_size:
                bar.window_virtual_size = size.height
            self.scroll_y = self.validate_scroll_y(self.scroll_y)

    @property
    def text_width(self) -> int:
        """The room for text, in cells; after a change of the pane's width, that of the next layout."""
        room = self.scrollable_content_region.width
        return (room + self._next_width - self.outer_size.width if room > 0 else 0) - MARGIN - _RIGHT_PADDING

    @property
    def _next_width(self) -> int:
        """The width of the pane in the next layout, in cells; 0 if it is not known yet."""
        width = self.styles.width
        return self.outer_size.width if width is None or width.cells is None else width.cells

    def _set_lines(self) -> None:
        width = self.text_width
        if self.pane_text is not None and width > 0 and width != self._set_at:
            self._lines, self._set_at = self.pane_text.lines(width), width
            self._matches = find_words(self._lines, self._words)
            self._commented = self._commented_lines(self._lines)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The visible lines; a paint may come before the message about a new width."""
        self.rendered_at = self.rendered_at or monotonic()
        self._set_lines()
        # Looked up once for all lines: each of them asks every widget up to the screen.
        self._base, self._selection = self.visual_style, self.text_selection
        self._named_styles.clear()
        self._paints = True
        try:
            return super().render_lines(crop)
        finally:
            self._paints = False

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The height of the text at this width, for rows that are no higher than their texts."""
        bar = self.styles.scrollbar_size_vertical
        return (
            len(self.pane_text.lines(max(1, width - MARGIN - _RIGHT_PADDING - bar))) if self.pane_text else 0
        )

    def render_line(self, y: int) -> Strip:
        """One visible line: margin, then text."""
        number, width = self.scroll_offset.y + y, self.size.width
        base = self._base
        if number >= len(self._lines):
            return Strip.blank(width, base.rich_style)
        line = self._lines[number]
        pointed = number == self._pointer and (line.sign != " " or self._may_point_at(number))
        sign = "▶" if pointed else line.sign
        marked = line.sign == "◆" or is_difference(line)
        margin = self._component_style("margin" if marked else "muted")
        about = "✎" if number in self._commented else line.remark
        segments = [Segment((sign + about).ljust(MARGIN), margin.rich_style)]
        x = 0
        for part, style in self._marked(line.content, number).render(base, "", self._style_named):
            # For selecting, Textual asks the line at the mouse which place in the text each segment has. A
            # paint does without: it would have to work out as many styles as there are segments.
            placed = style.rich_style if self._paints else style.rich_style_with_offset(x, number)
            segments.append(Segment(part, placed))
            x += len(part)
        blank = width - MARGIN - line.content.cell_length
        return Strip([*segments, Segment(" " * max(0, blank), base.rich_style)]).crop(0, width)

    def _marked(self, content: Content, number: int) -> Content:
        # Without spans that nothing shows: they would cut the line into more segments, and each takes time.
        content = Content(content.plain, [span for span in content.spans if is_shown(span, self._link)])
        for start, end in self._matches.get(number, ()):
            content = content.stylize("match", start, end)
        return self._selected(content, number)

    def _style_named(self, name: str | Style) -> Style:
        if isinstance(name, Style):
            return name
        if name == self._link:
            return self._component_style("link")
        # A partial style cannot have a background.
        return self._component_style(name, partial=name not in ("match", "cursor"))

    def _component_style(self, name: str, *, partial: bool = False) -> Style:
        key = name, partial
        if key not in self._named_styles:
            self._named_styles[key] = self.get_visual_style(f"part--{name}", partial=partial)
        return self._named_styles[key]

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Those of the app but for one that gives dim text, and colours that the terminal chooses, colours of
        their own: texts have neither, and it would make each of their lines again.
        """
        return [each for each in super().get_line_filters() if not isinstance(each, ANSIToTruecolor)]

    def get_component_styles(self, *names: str) -> RenderStyles:
        """Those of the app: styles of its own would be worked out again for each of many panes."""
        return self.app.get_component_styles(*names)

    # -- selecting with the mouse ------------------------------------------------------------------

    def _selected(self, content: Content, number: int) -> Content:
        span = self._selection.get_span(number) if self._selection else None
        if span is None:
            return content
        start, end = span
        style = self.screen.get_visual_style("screen--selection")
        return content.stylize(style, start, len(content) if end == -1 else end)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, for copying."""
        return selection.extract("\n".join(line.content.plain for line in self._lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Show the selection."""
        self.refresh()
