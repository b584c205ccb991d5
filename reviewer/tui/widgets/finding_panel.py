"""One finding of the audit and its case: why, the texts, and the marked lines that it is about."""

from collections.abc import Iterator, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from reviewer.core.pane import Pane
from reviewer.runs.audit.audit_findings import AuditedCase, finding_panes
from reviewer.tui.rendering.line import EMPTY, Line, plain_lines
from reviewer.tui.rendering.literal import literal
from reviewer.tui.rendering.pane_text import PairForm, PaneText, pane_texts_of
from reviewer.tui.widgets.finding_content import finding_words, marked_words
from reviewer.tui.widgets.pane_row import PaneRow
from reviewer.tui.widgets.text_pane import TextPane
from store.findings import PlacedFinding

_ROOMY = 78
"""From this width in cells, texts and evidence have panes of their own; below it, one pane holds all."""
_COLUMN = 34
_TEXT_COLUMN = 48


class FindingPanel(Vertical):
    """Shows a finding; ``other_panes`` shows the other panes of its case."""

    DEFAULT_CSS = """
    FindingPanel {
        width: 1fr;
        #why { height: auto; max-height: 8; padding: 0 2; }
        #texts.-low { max-height: 45%; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[PlacedFinding, AuditedCase] | None = None
        self._group = 0

    def compose(self) -> ComposeResult:
        """Why, texts, evidence."""
        yield Static(id="why")
        yield PaneRow(id="texts", classes="-low")
        yield PaneRow(id="evidence")

    def show(self, placed: PlacedFinding, audited: AuditedCase) -> None:
        """Show a finding and its case."""
        self._shown, self._group = (placed, audited), 0
        self._draw()

    def other_panes(self) -> None:
        """Show the next panes of the case; after the last, the first."""
        self._group += 1
        self._draw()

    def on_resize(self) -> None:
        """Panes beside each other where there is room."""
        self._draw()

    def _draw(self) -> None:
        if self._shown is None or not self.size.width:
            return
        placed, audited = self._shown
        panes = [*finding_panes(audited, placed.finding)]
        roomy = self.size.width >= _ROOMY and len(panes) > 1
        self.query_one("#why", Static).update(finding_words(placed))
        texts = self.query_one("#texts", PaneRow)
        texts.display = roomy
        if roomy:
            form: PairForm = "columns" if self.size.width >= 2 * _TEXT_COLUMN else "unified"
            texts.show(pane_texts_of(panes[0], form), self.size.width)
            groups = _fitting(panes[1:], self.size.width // _COLUMN)
            self.query_one("#evidence", PaneRow).show(groups[self._group % len(groups)] if groups else ())
        else:
            self._show_on_one(panes)
        self.call_after_refresh(self._bring_marks_in_sight)

    def _show_on_one(self, panes: Sequence[Pane]) -> None:
        placed, audited = self._shown or (None, None)
        if placed is None or audited is None:
            return
        at = self._group % max(1, len(panes))
        lines = partial(_all_lines, placed, audited, [*panes[at:], *panes[:at]])
        self.query_one("#evidence", PaneRow).show([PaneText("finding", 0, placed.place.key, lines)])

    def _bring_marks_in_sight(self) -> None:
        if self.query_one("#texts").display:
            for text_pane in self.query_one("#evidence", PaneRow).in_sight():
                text_pane.bring_finding_in_sight()

    def focus_evidence(self) -> None:
        """Give the keys to the pane that the finding is about."""
        self.query_one("#evidence", PaneRow).query(TextPane).first().focus(scroll_visible=False)


def _fitting(panes: Sequence[Pane], columns: int) -> list[list[PaneText]]:
    """The panes' texts in groups of at most ``columns``; a pair that does not fit is shown as one text."""
    groups: list[list[PaneText]] = []
    for pane in panes:
        pane_texts = pane_texts_of(pane, "columns")
        if len(pane_texts) > columns:
            pane_texts = pane_texts_of(pane, "unified")
        if not groups or len(groups[-1]) + len(pane_texts) > columns:
            groups.append([])
        groups[-1] += pane_texts
    return groups


def _all_lines(
    placed: PlacedFinding, audited: AuditedCase, panes: Sequence[Pane], width: int
) -> tuple[Line, ...]:
    """The clauses that the finding is about, then all panes below each other."""
    marked = marked_words(placed, audited)
    head = (*plain_lines(marked, width, source=True), EMPTY) if marked.plain else ()
    return (*head, *_pane_lines(panes, width))


def _pane_lines(panes: Sequence[Pane], width: int) -> Iterator[Line]:
    for pane in panes:
        for pane_text in pane_texts_of(pane, "unified"):
            head = literal(f"── {pane_text.title}   {pane_text.legend}".rstrip(), "muted")
            yield from (*plain_lines(head, width), *pane_text.lines(width), EMPTY)
