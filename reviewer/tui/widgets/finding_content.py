"""A finding of the audit as content: in the list, and above the panes of its case."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from textual.content import Content

from reviewer.core.check_result import check_words
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import Protocol
from reviewer.runs.audit.audit_findings import DISMISSED_EARLIER, AuditedCase, marked_clauses
from reviewer.runs.audit.check_texts import asks, severity_meaning
from reviewer.runs.audit.reader_reports import REPORTED
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.widgets.case_content import case_name
from reviewer.tui.widgets.item_list import ListedLines
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
