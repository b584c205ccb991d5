"""What draws from strata would give, before any is made: the width of the dataset's interval."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from reviewer.agreement.allocation import ALLOCATIONS, Allocation, allocate
from reviewer.agreement.sample_sizes import simple_width, stratified_width
from reviewer.core.errors import RequestError
from reviewer.core.number_text import short_number
from reviewer.core.sanitize import counted, shown
from reviewer.study.design.strata import GuessedStratum

USUAL_TOTALS: Final = (40, 60, 120, 300)
"""Numbers of cases that a plan shows if none is named; those of which the dataset has fewer are left out."""


@dataclass(frozen=True, slots=True)
class DrawPlan:
    """A draw of ``total`` cases that was simulated: how many of each stratum, and the mean width.

    ``relative`` is the width by that of a simple draw, which takes cases from the whole dataset.
    """

    total: int
    allocation: Allocation | Literal["simple"]
    drawn: tuple[int, ...]
    width: float
    relative: float


def draw_plans(
    strata: Sequence[GuessedStratum], totals: Sequence[int], level: float, seed: int = 0
) -> list[DrawPlan]:
    """For each total a simple draw and one for each allocation; raises RequestError if one is impossible."""
    cases = sum(stratum.size for stratum in strata)
    least = sum(min(2, stratum.size) for stratum in strata)
    usual = [total for total in USUAL_TOTALS if least <= total <= cases]
    return [
        plan
        for total in dict.fromkeys(totals or usual or [cases])
        for plan in _plans_of(strata, total, level, seed)
    ]


def _plans_of(strata: Sequence[GuessedStratum], total: int, level: float, seed: int) -> Iterator[DrawPlan]:
    sizes, guesses = [stratum.size for stratum in strata], [stratum.guess for stratum in strata]
    try:
        allocated = {how: allocate(sizes, total, how, guesses) for how in ALLOCATIONS}
    except ValueError as error:
        raise RequestError(f"no such draw can be planned: {error}; change --total.") from error
    simple = simple_width(sizes, guesses, total, seed=seed, level=level)
    yield DrawPlan(total, "simple", (), simple, 1.0)
    for how, drawn in allocated.items():
        width = stratified_width(sizes, guesses, drawn, seed=seed, level=level)
        yield DrawPlan(total, how, drawn, width, width / simple)


def guesses_in_words(strata: Sequence[GuessedStratum]) -> str:
    """The strata with their sizes and guesses, and what these say of the dataset, as two sentences."""
    cases = sum(stratum.size for stratum in strata)
    passing = sum(stratum.size * stratum.guess for stratum in strata)
    several = len({stratum.dataset for stratum in strata}) > 1
    named = "; ".join(
        (f"{shown(stratum.dataset)}: " if several else "")
        + f"{shown(stratum.name)}, {counted(stratum.size, 'case')}, {short_number(stratum.guess, 3)}"
        for stratum in strata
    )
    return (
        f"Strata in their order, each with its cases and the guessed pass rate: {named}. With these guesses, "
        f"{short_number(passing / cases, 3)} of the dataset pass."
    )
