"""A finding of the audit: in the list, and over the case with the panes that show what logic did."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from textual.content import Content

from reviewer.core.pane import Pane
from reviewer.core.plaintext import one_line
from reviewer.runs.audit_findings import ASKS, MEANINGS, AuditedCase, check_words
from reviewer.tui.literal import literal, literal_line
from reviewer.tui.typesetting.leaf import leaves_of
from reviewer.tui.typesetting.line import EMPTY, Line, plain_lines
from reviewer.tui.widgets.case_content import case_name
from reviewer.tui.widgets.item_list import Item
from store.findings import Placed
from store.records import Dismissal

_LONGEST = 160


def finding_items(found: Sequence[Placed]) -> Iterator[Item]:
    """Which case, and what was found unless it is the same on all; over the first of a check how many."""
    of_check = Counter(placed.finding.check for placed in found)
    said = {(placed.finding.check, placed.finding.why) for placed in found}
    varied = Counter(check for check, _ in said)
    before = None
    for placed in found:
        check = placed.finding.check
        lines = [] if check == before else [_check_line(placed, of_check[check])]
        lines = [Content(""), *lines] if lines and before else lines
        lines.append(_case_line(placed))
        if placed.dismissal or varied[check] > 1:
            lines.append(_why_line(placed))
        yield Item(len(lines), partial(Content("\n").join, lines))
        before = check


def _check_line(placed: Placed, count: int) -> Content:
    words = f"{placed.finding.severity} · {check_words(placed.finding.check)} · {count:,}"
    return literal_line(words, _LONGEST, "bold $foreground 75%")


def _case_line(placed: Placed) -> Content:
    return Content.assemble(
        literal_line(case_name(placed.place), _LONGEST, "bold"),
        "  ",
        literal_line(placed.group, _LONGEST, "$foreground 70%"),
    )


def _why_line(placed: Placed) -> Content:
    told = dismissed_words(placed.dismissal) if placed.dismissal else placed.finding.why
    return literal_line(told, _LONGEST, "$foreground 60%")


def dismissed_words(dismissal: Dismissal) -> str:
    """Who says that it is nothing, and why."""
    return f"✓ dismissed by {one_line(dismissal.who, 24)}: {dismissal.why}"


def finding_words(placed: Placed) -> Content:
    """What was found, what the check looks for, what that says about the case, and who dismissed it."""
    finding = placed.finding
    told = [literal(finding.why, "strong")]
    told.append(literal(f"{check_words(finding.check)}: {ASKS[finding.check]}", "muted"))
    told.append(literal(f"{finding.severity}: {MEANINGS[finding.severity]}", "muted"))
    if placed.dismissal:
        told.append(literal(dismissed_words(placed.dismissal)))
    return Content("\n").join(told)


def finding_lines(placed: Placed, audited: AuditedCase, width: int) -> tuple[Line, ...]:
    """The finding, then the panes that show what logic did, one below the other."""
    return (*plain_lines(finding_words(placed), width), EMPTY, *_pane_lines(audited.sheet.first, width))


def _pane_lines(panes: tuple[Pane, ...], width: int) -> Iterator[Line]:
    for pane in panes:
        for leaf in leaves_of(pane, "unified"):
            head = literal(f"── {leaf.title}   {leaf.legend}".rstrip(), "muted")
            yield from (*plain_lines(head, width), *leaf.lines(width), EMPTY)
