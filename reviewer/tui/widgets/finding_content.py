"""A finding of the audit: in the list, and in a panel with its case and the marked lines that it is about."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from reviewer.core.check_result import check_words
from reviewer.core.pane import Pane
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import Protocol
from reviewer.runs.audit.audit_findings import DISMISSED_EARLIER, AuditedCase, finding_panes, marked_clauses
from reviewer.runs.audit.check_texts import asks, severity_meaning
from reviewer.runs.audit.reader_reports import REPORTED
from reviewer.tui.rendering.line import EMPTY, Line, plain_lines
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.rendering.pane_text import PairForm, PaneText, pane_texts_of
from reviewer.tui.widgets.case_content import case_name
from reviewer.tui.widgets.item_list import ListedLines
from reviewer.tui.widgets.pane_row import PaneRow
from reviewer.tui.widgets.text_pane import TextPane
from store.findings import PlacedFinding

_LONGEST = 160
_MOST_MARKED = 6


def finding_items(found: Sequence[PlacedFinding]) -> Iterator[ListedLines]:
    """One item for each finding: its case, and why, unless all findings of a check say the same.

    Above the first finding of a check is a line with their number.
    """
    of_check = Counter(map(_kind, found))
    varied = Counter(kind for kind, _ in {(_kind(placed), placed.finding.why) for placed in found})
    before = None
    for placed in found:
        kind = _kind(placed)
        lines = [] if kind == before else [_check_line(placed, of_check[kind])]
        lines = [Content(""), *lines] if lines and before else lines
        lines.append(_case_line(placed))
        if placed.dismissal or placed.earlier or varied[kind] > 1:
            lines.append(_why_line(placed))
        yield ListedLines(len(lines), partial(Content("\n").join, lines))
        before = kind


def _kind(placed: PlacedFinding) -> tuple[str, str]:
    """Findings with the same severity and check are listed together."""
    return placed.severity, placed.finding.check


def check_head(placed: PlacedFinding, protocol: Protocol, *, short: bool = False) -> Content:
    """What a check looks for, and unless ``short``, what its findings mean for their cases."""
    severity = placed.severity
    lines = [literal(check_words(placed.finding.check), "bold $foreground")]
    if looked_for := asks(protocol, placed.finding.check):
        lines.append(literal(looked_for, "$foreground 80%"))
    if not short:
        lines.append(
            literal(f"{severity}: {severity_meaning(placed.finding.check, severity)}", "$foreground 65%")
        )
    return Content("\n").join(lines)


def _check_line(placed: PlacedFinding, count: int) -> Content:
    words = f"{count:,} {placed.severity} · {check_words(placed.finding.check)}"
    return literal_line(words, _LONGEST, "bold $foreground 75%")


def _case_line(placed: PlacedFinding) -> Content:
    return Content.assemble(
        literal_line(case_name(placed.place), _LONGEST, "bold"),
        "  ",
        literal_line(placed.group, _LONGEST, "$foreground 70%"),
    )


def _why_line(placed: PlacedFinding) -> Content:
    return literal_line(dismissal_words(placed) or placed.finding.why, _LONGEST, "$foreground 60%")


def dismissal_words(placed: PlacedFinding) -> str:
    """Who dismissed the finding and why, now or for an earlier version of the check; "" if nobody did."""
    dismissal = placed.dismissal or placed.earlier
    if dismissal is None:
        return ""
    sign, how = ("✓", "dismissed") if placed.dismissal else ("↷", _earlier_words(placed))
    return f"{sign} {how} by {one_line(dismissal.who, 24)}: {dismissal.why}"


def _earlier_words(placed: PlacedFinding) -> str:
    return "earlier reports dismissed" if placed.finding.check == REPORTED else DISMISSED_EARLIER


def finding_words(placed: PlacedFinding) -> Content:
    """Which case, what was found, and who dismissed it."""
    place = placed.place
    lines = [literal(f"{place.key} · {place.generator}", "$foreground 65%")]
    lines.append(literal(placed.finding.why, "bold $foreground"))
    if said := dismissal_words(placed):
        lines.append(literal(said))
    return Content("\n").join(lines)


def marked_words(placed: PlacedFinding, audited: AuditedCase) -> Content:
    """The lines that a finding is about, each with its sign; "" where there are none."""
    lines = [literal(line, "finding") for line in marked_clauses(audited, placed.finding)]
    return Content("\n").join(lines[:_MOST_MARKED])


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
