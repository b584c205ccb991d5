"""The reason why a finding is dismissed, or why many are."""

from collections import Counter
from collections.abc import Sequence

from textual.content import Content

from reviewer.core.check_result import check_words
from reviewer.core.sanitize import counted, is_blank, one_line
from reviewer.tui.dialogs.text_dialog import PlainTextDialog, ReasonDialog, effect_line, reason_dialog
from reviewer.tui.rendering.literal import literal_line
from store.findings import PlacedFinding
from store.records import Finding

Reasons = list[tuple[Finding, str]]
"""Findings, each with the reason why it is dismissed."""
_MOST_CHECKS = 4


def dismissal_dialog(check: str) -> ReasonDialog:
    """Asks why a finding is dismissed."""
    effect = "It is left out of lists and counts from now on, and kept with your name and reason."
    return reason_dialog(f"why dismiss this finding: {check_words(check)}?", effect)


def dataset_dismissal_dialog(check: str) -> ReasonDialog:
    """Asks why a finding about a whole dataset is dismissed."""
    effect = "It is shown as dismissed, with your name and reason, until the check finds something else."
    return reason_dialog(f"why dismiss this finding: {check_words(check)}?", effect)


def bulk_dialog(found: Sequence[PlacedFinding]) -> PlainTextDialog:
    """Asks for one reason to dismiss all of these, or again if all were dismissed for an earlier version."""
    if all(placed.earlier for placed in found):
        return _again_dialog(found)
    effect = "Each is dismissed with this reason and your name, and can be restored by itself."
    return reason_dialog(f"why dismiss {counted(len(found), 'finding')}?", effect, about=_what(found))


def _again_dialog(found: Sequence[PlacedFinding]) -> PlainTextDialog:
    """Asks about findings that were dismissed for an earlier version of their check: "" keeps the earlier
    reason of each.
    """
    said = Counter(placed.earlier.why for placed in found if placed.earlier)

    def above(width: int) -> list[Content]:
        reasons = [literal_line(f"{number:,} × {why}", width) for why, number in said.most_common(3)]
        effect = "Leave the line empty to keep each reason, or write one for all."
        return [literal_line(_what(found), width), *reasons, effect_line(effect)]

    return PlainTextDialog(one_line(f"dismiss again: {counted(len(found), 'finding')}?", 60), above)


def open_ones(found: Sequence[PlacedFinding]) -> list[PlacedFinding]:
    """The findings that can be dismissed."""
    return [placed for placed in found if placed.finding.tested and placed.dismissal is None]


def reasons_for(found: Sequence[PlacedFinding], why: str) -> Reasons:
    """Each finding with the reason for all, or with its own earlier one if there is none for all."""
    return [
        (placed.finding, placed.earlier.why if is_blank(why) and placed.earlier else why) for placed in found
    ]


def _what(found: Sequence[PlacedFinding]) -> str:
    """ "12 × both derivable, 3 × gate · 14 cases"."""
    checks = Counter(placed.finding.check for placed in found).most_common()
    named = ", ".join(f"{number:,} × {check_words(check)}" for check, number in checks[:_MOST_CHECKS])
    more = " …" if len(checks) > _MOST_CHECKS else ""
    return f"{named}{more} · {counted(len({placed.place.case for placed in found}), 'case')}"
