"""Results of the checks of a release: rows, and the conclusion from all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reviewer.core.sanitize import counted
from reviewer.core.table import Table

CheckState = Literal["holds", "fails", "edited", "not checked"]


@dataclass(frozen=True, slots=True)
class ReleaseCheck:
    """One check of a release: its subject, its result, and why. Only the card may be ``edited``."""

    about: str
    state: CheckState
    detail: str = ""


def checks_table(checks: Sequence[ReleaseCheck]) -> Table:
    """One row for each check."""
    return Table.of(
        ("check", "result", "detail"), [(check.about, check.state, check.detail) for check in checks]
    )


def failure_words(checks: Sequence[ReleaseCheck]) -> str | None:
    """The fault of a release, in a sentence; None if it has none."""
    failed = [check for check in checks if check.state == "fails"]
    if not failed:
        return None
    more = f" ({counted(len(failed) - 1, 'further check')} failed)" if len(failed) > 1 else ""
    first = failed[0]
    return f"the release does not hold: {first.about}: {first.detail}{more}; get it again from its makers."


def proved_words(checks: Sequence[ReleaseCheck]) -> list[str]:
    """What the checks of a release prove if none failed, and last what was not checked."""
    unchecked = [f"{check.about} ({check.detail})" for check in checks if check.state == "not checked"]
    edited = any(check.state == "edited" for check in checks)
    what = "Apart from the card, which was edited, what" if edited else "What"
    proved = (
        f"{what} was checked of the release is whole and agrees with itself. That does not prove who made "
        "it, nor where cases and their values come from, nor that people gave the labels: compare the seal "
        "with one that its makers published elsewhere."
    )
    return [proved, f"Not checked: {'; '.join(unchecked)}."]
