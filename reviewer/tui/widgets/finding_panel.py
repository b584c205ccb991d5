"""One finding of the audit over its case: why, both texts, and what the finding is about, marked."""

from collections.abc import Iterator, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from reviewer.core.pane import Pane
from reviewer.runs.audit.audit_findings import AuditedCase
from reviewer.runs.audit.finding_panes import finding_panes
from reviewer.tui.rendering.line import EMPTY, Line, plain_lines
from reviewer.tui.rendering.literal import literal
from reviewer.tui.rendering.pane_text import PairForm, PaneText, pane_texts_of
from reviewer.tui.widgets.finding_content import finding_words, marked_words
from reviewer.tui.widgets.pane_row import PaneRow
from reviewer.tui.widgets.text_pane import TextPane
from store.findings import PlacedFinding

_ROOMY = 78
"""From so many cells on, texts and evidence have papers of their own; below, all is on one."""
_COLUMN = 34
_TEXT_COLUMN = 48


class FindingPanel(Vertical):
    """Shows a finding; ``other_panes`` turns to what else there is of its case."""

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
        """Show a finding over its case."""
        self._shown, self._group = (placed, audited), 0
        self._draw()

    def other_panes(self) -> None:
        """Turn to the next panes of the case, and after the last to the first."""
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
            for paper in self.query_one("#evidence", PaneRow).in_sight():
                paper.bring_finding_in_sight()

    def focus_evidence(self) -> None:
        """Let keys scroll what the finding is about."""
        self.query_one("#evidence", PaneRow).query(TextPane).first().focus(scroll_visible=False)


def _fitting(panes: Sequence[Pane], columns: int) -> list[list[PaneText]]:
    """Leaves in groups of so many columns; a pair that does not fit is shown as one."""
    groups: list[list[PaneText]] = []
    for pane in panes:
        leaves = pane_texts_of(pane, "columns")
        if len(leaves) > columns:
            leaves = pane_texts_of(pane, "unified")
        if not groups or len(groups[-1]) + len(leaves) > columns:
            groups.append([])
        groups[-1] += leaves
    return groups


def _all_lines(
    placed: PlacedFinding, audited: AuditedCase, panes: Sequence[Pane], width: int
) -> tuple[Line, ...]:
    """The clauses that the finding is about, then every pane, one below the other."""
    marked = marked_words(placed, audited)
    head = (*plain_lines(marked, width, source=True), EMPTY) if marked.plain else ()
    return (*head, *_pane_lines(panes, width))


def _pane_lines(panes: Sequence[Pane], width: int) -> Iterator[Line]:
    for pane in panes:
        for leaf in pane_texts_of(pane, "unified"):
            head = literal(f"── {leaf.title}   {leaf.legend}".rstrip(), "muted")
            yield from (*plain_lines(head, width), *leaf.lines(width), EMPTY)
