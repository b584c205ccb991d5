"""A sheet of paper: lines of text that scroll, with a margin that says where something differs."""

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style

from reviewer.tui.literal import literal
from reviewer.tui.typesetting.finding import Places, find_words
from reviewer.tui.typesetting.leaf import Leaf
from reviewer.tui.typesetting.line import Line, Trail

_MARGIN = 2
_AIR = 1
_STYLES = (
    "difference",
    "left-only",
    "right-only",
    "muted",
    "strong",
    "match",
    "code-comment",
    "code-string",
    "code-number",
    "code-operator",
    "code-variable",
)

PANE_KEYS = (
    Binding("up,k", "scroll_up", "up", id="pane.up", tooltip="Scroll this pane up"),
    Binding("down,j", "scroll_down", "down", id="pane.down", tooltip="Scroll this pane down"),
    Binding("pageup", "page_up", "page up", id="pane.page-up", tooltip="Scroll a page up"),
    Binding("pagedown,space", "page_down", "page down", id="pane.page-down", tooltip="Scroll a page down"),
    Binding("home", "scroll_home", "top", id="pane.top", tooltip="Go to the top of this pane"),
    Binding("end", "scroll_end", "end", id="pane.end", tooltip="Go to the end of this pane"),
    Binding("enter", "fold", "unfold", id="pane.fold", tooltip="Unfold or fold the step pointed at"),
    Binding("e", "fold_all", "unfold all", id="pane.fold-all", tooltip="Unfold or fold every step"),
)


class Paper(ScrollView, inherit_bindings=False):
    """Shows one leaf; only the lines in sight are rendered."""

    BINDINGS: ClassVar[list[BindingType]] = [*PANE_KEYS]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"paper--margin", *(f"paper--{name}" for name in _STYLES)}
    DEFAULT_CSS = """
    Paper {
        height: 1fr; width: 1fr;
        overflow-x: hidden; overflow-y: auto;
        scrollbar-size-vertical: 1; scrollbar-gutter: stable;
        scrollbar-background: $background; scrollbar-background-hover: $background;
        scrollbar-color: $foreground 15%; scrollbar-color-hover: $foreground 30%;
        background: $background; color: $foreground 92%;
        border: round $foreground 18%;
        border-title-color: $foreground 60%; border-subtitle-color: $foreground 62%;
        &:focus { border: round $foreground 45%; border-title-color: $foreground; border-title-style: bold; }
        &.-bare { border: none; }
    }
    Paper > .paper--margin { color: $warning; }
    Paper > .paper--difference, Paper > .paper--right-only { color: $warning; text-style: bold; }
    Paper > .paper--left-only { color: $warning; text-style: strike; }
    Paper > .paper--muted { color: $foreground 60%; }
    Paper > .paper--strong { color: $foreground; }
    Paper > .paper--match { color: $background; background: $foreground 75%; }
    Paper > .paper--code-comment { color: $foreground 62%; text-style: italic; }
    Paper > .paper--code-string { color: $foreground 75%; text-style: italic; }
    Paper > .paper--code-number { color: $foreground; }
    Paper > .paper--code-operator { color: $foreground 62%; }
    Paper > .paper--code-variable { color: $text-primary; }
    """

    class Folded(Message):
        """Branches of this pane's tree are to be folded, or unfolded where they are folded now."""

        def __init__(self, pane: str, trails: Sequence[Trail]) -> None:
            self.pane, self.trails = pane, trails
            super().__init__()

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.leaf: Leaf | None = None
        self._lines: tuple[Line, ...] = ()
        self._set_at: int | None = None
        self._pointer: int | None = None
        self._words = ""
        self._matches: Places = {}

    def show(self, leaf: Leaf) -> None:
        """Put a leaf on the paper."""
        again = self.leaf is not None and self.leaf.key == leaf.key and bool(leaf.folds)
        self._pointer = self._pointer if again else None
        self.leaf = leaf
        self._set_at = None
        self.border_title = literal(leaf.title)
        self.border_subtitle = literal(leaf.legend)
        self._lay_out()

    @property
    def lines(self) -> tuple[Line, ...]:
        """What is on the paper at its present width."""
        return self._lines

    def on_resize(self, event: Resize) -> None:
        """Lay the leaf out anew where the width has changed."""
        self._lay_out()

    def differences(self) -> list[int]:
        """The line numbers at which a difference begins, from the top."""
        signs = [line.sign != " " for line in self._lines]
        return [n for n, marked in enumerate(signs) if marked and not (n and signs[n - 1])]

    def mark(self, words: str) -> None:
        """Mark these words wherever they stand on the paper."""
        if words != self._words:
            self._words = words
            self._matches = find_words(self._lines, words)
            self.refresh()

    def matching_lines(self) -> list[int]:
        """The numbers of the lines with a marked word."""
        return sorted(self._matches)

    @property
    def match_count(self) -> int:
        """How many places are marked."""
        return sum(map(len, self._matches.values()))

    def point_at(self, number: int) -> None:
        """Put the pointer at a line, and bring it in sight with the line before it."""
        self._pointer = number
        top, height = round(self.scroll_y), self.scrollable_content_region.height
        if not top < number + (number == 0) < top + height - 1:
            self.scroll_to(y=max(0, number - 1), animate=False, immediate=True)
        self.refresh()

    # -- folding -----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Folding is for trees."""
        return action not in {"fold", "fold_all"} or bool(self.leaf and self.leaf.folds)

    def action_fold(self) -> None:
        """Fold or unfold the step pointed at; else the first."""
        numbers = self._fold_numbers()
        if numbers:
            self._fold(self._pointer if self._pointer in numbers else numbers[0])

    def action_fold_all(self) -> None:
        """Unfold everything; where all is unfolded, fold everything."""
        if self.leaf:
            folded = [trail for trail, is_folded in self.leaf.folds.items() if is_folded]
            self.post_message(self.Folded(self.leaf.pane, folded or [*self.leaf.folds]))

    def action_scroll_up(self) -> None:
        """Go to the step above in a tree, else scroll."""
        if not self._step_fold(-1):
            super().action_scroll_up()

    def action_scroll_down(self) -> None:
        """Go to the step below in a tree, else scroll."""
        if not self._step_fold(1):
            super().action_scroll_down()

    def on_click(self, event: Click) -> None:
        """Fold or unfold the step that was clicked."""
        number = self.scroll_offset.y + event.get_content_offset_capture(self).y
        if number < len(self._lines) and self._lines[number].fold is not None:
            self._fold(number)

    def _fold(self, number: int) -> None:
        trail = self._lines[number].fold
        if self.leaf and trail is not None:
            self._pointer = number
            self.post_message(self.Folded(self.leaf.pane, [trail]))

    def _fold_numbers(self) -> list[int]:
        return [number for number, line in enumerate(self._lines) if line.fold is not None]

    def _step_fold(self, step: int) -> bool:
        """Point at the next step that folds in a direction; False where there is none."""
        at = self._pointer if self._pointer is not None else -1
        numbers = [number for number in self._fold_numbers()[::step] if (number - at) * step > 0]
        if numbers:
            self.point_at(numbers[0])
        return bool(numbers)

    def _lay_out(self) -> None:
        self._set_lines()
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._lines))
        self.refresh()

    @property
    def text_width(self) -> int:
        """The room for text, in cells."""
        return self.scrollable_content_region.width - _MARGIN - _AIR

    def _set_lines(self) -> None:
        width = self.text_width
        if self.leaf is not None and width > 0 and width != self._set_at:
            self._lines, self._set_at = self.leaf.lines(width), width
            self._matches = find_words(self._lines, self._words)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines in sight; a paint may come before the news of another width."""
        self._set_lines()
        return super().render_lines(crop)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As high as the leaf is at this width."""
        bar = self.styles.scrollbar_size_vertical
        return len(self.leaf.lines(max(1, width - _MARGIN - _AIR - bar))) if self.leaf else 0

    def render_line(self, y: int) -> Strip:
        """One line in sight: margin, then text."""
        number, width = self.scroll_offset.y + y, self.size.width
        base = self.visual_style
        if number >= len(self._lines):
            return Strip.blank(width, base.rich_style)
        line = self._lines[number]
        remarkable = line.sign != " " or line.fold is not None or number in self._matches
        pointed = number == self._pointer and remarkable
        sign = "▶" if pointed else line.sign
        margin = self.get_visual_style("paper--margin")
        segments = [Segment(sign.ljust(_MARGIN), margin.rich_style)]
        x = 0
        for part, style in self._marked(line.content, number).render(base, "", self._style_named):
            # The place in the text goes with each segment, for selecting with the mouse.
            segments.append(Segment(part, style.rich_style_with_offset(x, number)))
            x += len(part)
        blank = width - _MARGIN - line.content.cell_length
        return Strip([*segments, Segment(" " * max(0, blank), base.rich_style)]).crop(0, width)

    def _marked(self, content: Content, number: int) -> Content:
        for start, end in self._matches.get(number, ()):
            content = content.stylize("match", start, end)
        return self._selected(content, number)

    def _style_named(self, name: str | Style) -> Style:
        if isinstance(name, Style):
            return name
        # A partial style cannot have a background.
        return self.get_visual_style(f"paper--{name}", partial=name != "match")

    # -- selecting with the mouse ------------------------------------------------------------------

    def _selected(self, content: Content, number: int) -> Content:
        selection = self.text_selection
        span = selection.get_span(number) if selection else None
        if span is None:
            return content
        start, end = span
        style = self.screen.get_visual_style("screen--selection")
        return content.stylize(style, start, len(content) if end == -1 else end)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, for copying."""
        return selection.extract("\n".join(line.content.plain for line in self._lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Show what is selected."""
        self.refresh()
