"""The editors of a case: prose above programs where there is room, else one row, else one at a time."""

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content

from reviewer.protocols.repairs import EditorPane
from reviewer.tui.rendering.literal import literal
from reviewer.tui.widgets.label import PlainLabel
from reviewer.tui.workbench.editor import Editor
from store.records import Finding

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
