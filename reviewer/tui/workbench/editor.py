"""Editors of the texts of a case, and their grid: coloured source, marked faults, undo, the stored text."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Paste
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea

from reviewer.core.sanitize import visible
from reviewer.oracle.oracle_program import SOURCE_LANGUAGE
from reviewer.protocols.repairs import EditorPane
from reviewer.runs.repair.trial import SourceFault
from reviewer.tui.rendering.colouring import coloured
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.widgets.label import PlainLabel
from store.records import Finding

MOST_CHARACTERS = 200_000
"""The longest text of a case."""
_TITLE_CELLS = 60
_CODE_STYLES = ("code-comment", "code-string", "code-number", "code-operator", "code-variable")


class Editor(TextArea):
    """Edits one pane of a case. Every letter is text; a reset goes back to ``stored``."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape",
            "leave_editor",
            "leave the editor",
            id="editor.leave",
            tooltip="Leave the editor, so that letters are keys again",
        ),
        Binding("tab", "screen.next_editor(1)", "next text", id="editor.next", tooltip="Go to the next text"),
        Binding(
            "shift+tab",
            "screen.next_editor(-1)",
            "text before",
            id="editor.before",
            tooltip="Go to the text before",
        ),
        Binding("ctrl+z", "undo", "undo", id="editor.undo", tooltip="Undo the last change of this text"),
        Binding("ctrl+y", "redo", "redo", id="editor.redo", tooltip="Redo what was undone in this text"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"editor--{name}" for name in _CODE_STYLES),
        "editor--fault",
    }
    DEFAULT_CSS = """
    Editor, Editor:focus { border: round $line; padding: 0; background: $background; }
    Editor {
        height: 1fr; width: 1fr; color: $foreground 92%;
        border-title-color: $soft; border-subtitle-color: $quiet;
        scrollbar-size-vertical: 1;
        &.-fault { border-subtitle-color: $text-error; border-subtitle-style: bold; }
        &:focus { border: round $line-strong; border-title-color: $foreground; border-title-style: bold; }
        & .text-area--cursor-line { background: $foreground 5%; }
        & .text-area--cursor-gutter { background: $foreground 5%; }
    }
    Editor > .editor--code-comment { color: $quiet; text-style: italic; }
    Editor > .editor--code-string { color: $soft; text-style: italic; }
    Editor > .editor--code-number { color: $foreground; }
    Editor > .editor--code-operator { color: $quiet; }
    Editor > .editor--code-variable { color: $text-primary; }
    Editor > .editor--fault { color: $text-error; text-style: bold underline; }
    """

    class Left(Message):
        """The person left the editor with escape."""

    class TooLong(Message):
        """A text was not put in, because the pane would be longer than a text of a case may be."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def __init__(self, pane: EditorPane, number: int) -> None:
        source = pane.kind == "program"
        super().__init__(
            pane.text,
            highlight_cursor_line=False,
            show_line_numbers=source,
            max_checkpoints=500,
            id=f"edit-{number}",
        )
        self.key, self.kind, self.stored = pane.key, pane.kind, pane.text
        self._language = SOURCE_LANGUAGE if source else ""
        self._pane_title = pane.title
        self._spans: dict[int, list[tuple[int, int, str]]] = {}
        self._faults: Sequence[SourceFault] = ()
        self._problem = ""
        self._coloured = Content("")

    def on_mount(self) -> None:
        """Name the pane."""
        self.put_title()

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def changed(self) -> bool:
        """Whether the text is another one than the stored text."""
        return self.text.strip() != self.stored.strip()

    @property
    def title_words(self) -> str:
        """The name of the pane, with a sign if its text was changed."""
        return f"{self._pane_title}{' ●' if self.changed else ''}"

    def put_title(self) -> None:
        """Show the name, and the first fault of the text."""
        self.border_title = literal_line(self.title_words, _TITLE_CELLS)
        first = min(self._faults, key=lambda fault: (not fault.loses_clause, fault.line), default=None)
        self.set_class(bool(self._problem) or (first is not None and first.loses_clause), "-fault")
        words = self._problem or (f"line {self._line_of(first)}: {first.why}" if first else "")
        self.border_subtitle = literal_line(words, max(10, self.size.width - 6))

    def show_faults(self, faults: Sequence[SourceFault], problem: str = "") -> None:
        """Mark what the parser and the gate said about this text, or say why no case can have it."""
        self._problem = problem
        if faults != self._faults:
            self._faults = faults
            self.notify_style_update()
            self.refresh()
        self.put_title()

    def _line_of(self, fault: SourceFault) -> int:
        return fault.line + self._blank_lines_above

    @property
    def _blank_lines_above(self) -> int:
        """How many blank lines stand in the editor above the text of the case, which begins without any."""
        text = self.text
        return text[: len(text) - len(text.lstrip())].count("\n")

    def render_lines(self, crop: Region) -> list[Strip]:
        """The visible lines, coloured as the text is now."""
        text = self.text
        if text != self._coloured.plain:
            self._coloured = coloured(text, self._language) if self._language else Content(text)
        self._spans = _by_line(self._coloured, self._fault_spans(text))
        return super().render_lines(crop)

    def _fault_spans(self, text: str) -> list[tuple[int, int, str]]:
        begin = len(text) - len(text.lstrip())
        return [
            (begin + fault.start, begin + fault.end, "fault") for fault in self._faults if fault.loses_clause
        ]

    def get_line(self, line_index: int) -> Text:
        """A line with its colours and marks; controls are shown by visible signs."""
        line = Text(visible(self.document.get_line(line_index)), end="", no_wrap=True)
        for start, end, name in self._spans.get(line_index, ()):
            line.stylize(self.get_component_rich_style(f"editor--{name}", partial=True), start, end)
        return line

    # -- changing the text -------------------------------------------------------------------------

    def put(self, text: str) -> None:
        """Put another text in, so that undo brings the present one back."""
        if text == self.text:
            return
        if len(text) > MOST_CHARACTERS:
            self.post_message(self.TooLong(_too_long("The text", len(text))))
            return
        self.history.checkpoint()
        self.replace(text, (0, 0), self.document.end)
        self.history.checkpoint()

    def go_to(self, line: int) -> None:
        """Put the cursor in a line of the text of the case (from 1)."""
        self.move_cursor((line - 1 + self._blank_lines_above, 0), center=True)

    def reset(self) -> None:
        """Go back to the stored text."""
        self.put(self.stored)

    def on_paste(self, event: Paste) -> None:
        """Refuse a text that no case may have."""
        if self._is_too_long(event.text):
            event.prevent_default()
            event.stop()

    def action_paste(self) -> None:
        """Paste what was copied here, unless the text would be too long."""
        if not self._is_too_long(self.app.clipboard):
            super().action_paste()

    def _is_too_long(self, pasted: str) -> bool:
        whole = len(self.text) - len(self.selected_text) + len(pasted)
        if whole > MOST_CHARACTERS:
            self.post_message(self.TooLong(_too_long("With what you pasted the text", whole)))
        return whole > MOST_CHARACTERS

    def action_leave_editor(self) -> None:
        """Give the keys back to the screen."""
        self.post_message(self.Left())


def _too_long(what: str, characters: int) -> str:
    return f"{what} has {characters:,} characters, and one may have {MOST_CHARACTERS:,}; it is as before."


def _by_line(source: Content, marks: Sequence[tuple[int, int, str]]) -> dict[int, list[tuple[int, int, str]]]:
    """The spans of a source on each line (start, end, name), marks after colours."""
    starts = [0, *(at + 1 for at, character in enumerate(source.plain) if character == "\n")]
    spans = [(span.start, span.end, str(span.style)) for span in source.spans]
    lines: dict[int, list[tuple[int, int, str]]] = {}
    for start, end, name in [*spans, *marks]:
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, max(start, end - 1)) - 1
        for number in range(first, last + 1):
            lines.setdefault(number, []).append((max(0, start - starts[number]), end - starts[number], name))
    return lines


_ALL_FROM = (140, 40)
_ROW_FROM = 100
_GAP = "  "


class EditorGrid(Vertical):
    """Lays the editors out for the size of the screen; ``current`` is the one that was used last."""

    DEFAULT_CSS = """
    EditorGrid {
        height: 1fr;
        #tabs { height: 1; padding: 0 1; display: none; }
        &.-rows #tabs, &.-one #tabs { display: block; }
        Horizontal { height: 1fr; }
        #row-program { height: 4fr; }
        #row-prose { height: 3fr; }
    }
    """

    def __init__(self, panes: Sequence[EditorPane]) -> None:
        super().__init__()
        self.editors = [Editor(pane, number) for number, pane in enumerate(panes)]
        self._kinds = [pane.kind for pane in panes]
        self._programs = [pane.program for pane in panes]
        self.current = self.editors[0]

    def compose(self) -> ComposeResult:
        """The names where not all editors are seen, and a row for each kind of text."""
        yield PlainLabel(id="tabs")
        for kind in dict.fromkeys(self._kinds):
            with Horizontal(id=f"row-{kind}"):
                yield from self._of_kind(kind)

    def _of_kind(self, kind: str) -> Iterator[Editor]:
        return (editor for editor, known in zip(self.editors, self._kinds, strict=True) if known == kind)

    @property
    def texts(self) -> dict[str, str]:
        """The text of each pane as it is now."""
        return {editor.key: editor.text for editor in self.editors}

    @property
    def ordered(self) -> list[Editor]:
        """The editors in the order in which they are seen: row by row."""
        return [editor for kind in dict.fromkeys(self._kinds) for editor in self._of_kind(kind)]

    def go_to(self, finding: Finding) -> None:
        """Make the editor of the first place of a finding the current one, with the cursor in its line."""
        for place in finding.places or ():
            at = (str(place["variant"]), str(place["part"]))
            if at in self._programs:
                self.current = self.editors[self._programs.index(at)]
                self.current.go_to(int(str(place["line"])))
                return

    def fit(self, width: int, height: int) -> tuple[bool, bool]:
        """Whether all editors, or else those of a row, have room; the classes follow from it."""
        everything = width >= _ALL_FROM[0] and height >= _ALL_FROM[1]
        row = not everything and width >= _ROW_FROM
        self.set_class(row, "-rows")
        self.set_class(not everything and not row, "-one")
        return everything, row

    def lay_out(self, width: int, height: int) -> None:
        """Show all editors, or the row of the current one, or only that one."""
        everything, row = self.fit(width, height)
        kind = self._kinds[self.editors.index(self.current)]
        for name in dict.fromkeys(self._kinds):
            self.query_one(f"#row-{name}").display = everything or name == kind
        for editor in self.editors:
            editor.display = everything or row or editor is self.current
        self.put_titles()

    def put_titles(self) -> None:
        """Show the names of the editors, each with a sign if its text was changed."""
        for editor in self.editors:
            editor.put_title()
        self.query_one("#tabs", PlainLabel).put(self._tabs(self.app.size.width - 2))

    def _tabs(self, width: int) -> Content:
        """The names of the editors; where there is no room for all, those near the current one."""
        names = [
            literal(editor.title_words, "bold underline" if editor is self.current else "$foreground 70%")
            for editor in self.ordered
        ]
        at = self.ordered.index(self.current)
        while len(names) > 1 and Content(_GAP).join(names).cell_length > width:
            farthest = 0 if at > len(names) - 1 - at else -1
            names.pop(farthest)
            at -= farthest == 0
        return Content(_GAP).join(names)
