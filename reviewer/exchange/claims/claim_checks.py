"""Results of the checks of a paper's numbers: each recomputed, and compared as printed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from reviewer.core.errors import ReviewerError
from reviewer.core.names import closest
from reviewer.core.sanitize import counted, shown
from reviewer.core.table import TableSpec, plain_column
from reviewer.exchange.claims.claims_file import Claim, cell_text

ClaimState = Literal["reproduced", "differs", "cannot be recomputed"]
Rows = Sequence[Mapping[str, Any]]
"""The rows of a command's table, as its JSON has them."""


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim, its state, the value that was computed, and details in a sentence."""

    claim: Claim
    state: ClaimState
    value: float | None = None
    detail: str = ""

    @property
    def recomputed(self) -> str:
        """The value as the paper would print it; "" without one."""
        return "" if self.value is None else self.claim.number.text(self.value, self.claim.rounding)


CLAIMS: Final[TableSpec[CheckedClaim]] = TableSpec(
    (
        plain_column(
            "where", "string", "where the paper has the number", lambda row: row.claim.where, "where"
        ),
        plain_column("printed", "string", "the number as printed", lambda row: row.claim.printed, "printed"),
        plain_column(
            "recomputed",
            "string",
            "the number that was computed, with as many decimals as are compared",
            lambda row: row.recomputed,
            "recomputed",
        ),
        plain_column("value", "number", "the number that was computed", lambda row: row.value),
        plain_column(
            "result", "string", "reproduced, differs or cannot be recomputed", lambda row: row.state, "result"
        ),
        plain_column("detail", "string", "why, or a remark", lambda row: row.detail, "detail"),
        plain_column("command", "string", "the command that gives it", lambda row: row.claim.command),
        plain_column("column", "string", "the column of its table", lambda row: row.claim.column),
    )
)
"""One row for each claim."""


def checked_claims(
    claims: Sequence[Claim], table_of: Callable[[str], Rows], done: Callable[[int], None]
) -> list[CheckedClaim]:
    """The claims in their order; ``table_of`` carries out a command, once for all claims that name it.

    It raises ReviewerError, whose words become those of the claims. ``done`` is told how many were checked.
    """
    tables: dict[str, Rows | ReviewerError] = {}
    checked: list[CheckedClaim] = []
    for claim in claims:
        if claim.command and claim.command not in tables:
            try:
                tables[claim.command] = table_of(claim.command)
            except ReviewerError as error:
                tables[claim.command] = error
        checked.append(_checked(claim, tables.get(claim.command)))
        done(len(checked))
    return checked


def _checked(claim: Claim, table: Rows | ReviewerError | None) -> CheckedClaim:
    remark = "; ".join(filter(None, (impossible_share(claim), claim.number.remark)))
    found = "no command gives it" if table is None else _cell(claim, table)
    if isinstance(found, str):
        return CheckedClaim(claim, "cannot be recomputed", None, "; ".join(filter(None, (found, remark))))
    same = claim.number.fits(found, claim.rounding)
    return CheckedClaim(claim, "reproduced" if same else "differs", found, remark)


def impossible_share(claim: Claim) -> str:
    """That no whole number of n gives the printed share; "" where one does, or n is not given."""
    if claim.n is None or claim.number.below or claim.number.share_of(claim.n, claim.rounding) is not None:
        return ""
    return f"no whole number of {claim.n:,} gives this share"


def _cell(claim: Claim, table: Rows | ReviewerError) -> float | str:
    """The value of the claim's cell, or why there is none."""
    if isinstance(table, ReviewerError):
        return str(table).rstrip(".")
    if not table:
        return "the table has no rows"
    columns = tuple(table[0])
    for name in (*claim.row, claim.column):
        if name not in columns:
            return f"the table has no column {shown(name)}; {closest(name, columns, 'its columns are')}"
    rows = [row for row in table if all(cell_text(row[name]) == value for name, value in claim.row.items())]
    if len(rows) != 1:
        named = ", ".join(f"{name} {shown(value)}" for name, value in claim.row.items()) or "all"
        what = "no row has" if not rows else f"{counted(len(rows), 'row')} have"
        return f"{what} {named}; name one row by its columns"
    value = rows[0][claim.column]
    if value is None:
        why = cell_text(rows[0].get(f"{claim.column}_undefined"))
        return f"there is no value there{f': {why}' if why else ''}"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"the cell holds {shown(str(value))}, which is not a number"
    return float(value)


def claims_in_words(checked: Sequence[CheckedClaim]) -> str:
    """How many claims are reproduced, differ and cannot be recomputed, in a sentence."""
    counts = {state: sum(each.state == state for each in checked) for state in _STATES}
    impossible = sum(bool(impossible_share(each.claim)) for each in checked)
    words = [f"{counts[state]:,} {state}" for state in _STATES if counts[state]]
    if impossible:
        words.append(f"{counted(impossible, 'printed share')} that no whole number gives")
    return f"{counted(len(checked), 'number')}: {', '.join(words)}."


_STATES: Final[tuple[ClaimState, ...]] = ("reproduced", "differs", "cannot be recomputed")
