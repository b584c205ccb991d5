"""The reason why a finding is dismissed, or why many are."""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from textual.content import Content

from reviewer.core.check_result import check_words
from reviewer.core.sanitize import counted, is_blank, one_line
from reviewer.tui.dialogs.reason import ReasonDialog
from reviewer.tui.dialogs.text_dialog import TextDialog
from reviewer.tui.rendering.literal import literal_line
from store.findings import PlacedFinding
from store.records import Finding

Reasons = list[tuple[Finding, str]]
"""Findings, each with the reason why it is dismissed."""
_MOST_CHECKS = 4


class DismissalDialog(ReasonDialog):
    """Returns the reason, never an empty one; None where the finding stays."""

    TITLE_OF: ClassVar[str] = "why dismiss this finding: {}?"

    def above(self, width: int) -> list[Content]:
        """What happens to the finding."""
        effect = "It is left out of lists and counts from now on, and kept with your name and reason."
        return [Content.styled(effect, "$foreground 60%")]


class DatasetDismissalDialog(ReasonDialog):
    """Returns the reason for dismissing a finding about a whole dataset; None where it stands."""

    TITLE_OF: ClassVar[str] = "why dismiss this finding: {}?"

    def above(self, width: int) -> list[Content]:
        """How long the dismissal holds."""
        effect = "It is shown as dismissed, with your name and reason, until the check finds something else."
        return [Content.styled(effect, "$foreground 60%")]


class DismissAllDialog(ReasonDialog):
    """Returns one reason for many findings, never an empty one; None where they stand."""

    TITLE_OF: ClassVar[str] = "why dismiss {}?"

    def __init__(self, found: Sequence[PlacedFinding]) -> None:
        super().__init__(counted(len(found), "finding"))
        self._found = found

    def above(self, width: int) -> list[Content]:
        """Which findings, and what happens to them."""
        effect = "Each is dismissed with this reason and your name, and can be restored by itself."
        return [literal_line(_what(self._found), width), Content.styled(effect, "$foreground 60%")]


class DismissAgainDialog(TextDialog[str]):
    """Asks about findings that were dismissed for an earlier version of their check.

    Returns one reason for all, "" to keep the earlier reason of each, or None where they stand.
    """

    def __init__(self, found: Sequence[PlacedFinding]) -> None:
        super().__init__(one_line(f"dismiss again: {counted(len(found), 'finding')}?", 60))
        self._found = found

    def above(self, width: int) -> list[Content]:
        """Which findings, why they were dismissed, and what happens to them."""
        said = Counter(placed.earlier.why for placed in self._found if placed.earlier)
        reasons = [literal_line(f"{number:,} × {why}", width) for why, number in said.most_common(3)]
        effect = "Leave the line empty to keep each reason, or write one for all."
        return [literal_line(_what(self._found), width), *reasons, Content.styled(effect, "$foreground 60%")]

    def written(self, text: str) -> str:
        """The reason for all, or ""."""
        return text


def open_ones(found: Sequence[PlacedFinding]) -> list[PlacedFinding]:
    """The findings that can be dismissed."""
    return [placed for placed in found if placed.finding.tested and placed.dismissal is None]


def bulk_dialog(found: Sequence[PlacedFinding]) -> DismissAllDialog | DismissAgainDialog:
    """Asks for a reason for all of these; they have reasons if all were dismissed for an earlier version."""
    return DismissAgainDialog(found) if all(placed.earlier for placed in found) else DismissAllDialog(found)


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
