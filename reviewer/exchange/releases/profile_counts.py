"""Statements of raters about themselves, in numbers that name nobody."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from reviewer.core.sanitize import counted
from store.records import Assignment

FEWEST_RATERS = 3
"""With fewer raters, a field or a degree could name one of them."""
_FEWEST_ALIKE = 2
_NOT_SAID = "not recorded"


def profile_words(raters: Sequence[Assignment], *, names: bool) -> tuple[str, ...]:
    """A sentence on fields, degrees and years of experience; () if nobody recorded any.

    Unless ``names`` are published, values of fewer than two raters are not named, and nothing is said of
    fewer than three raters, except that it is left out.
    """
    asked: Mapping[str, Callable[[Assignment], str | None]] = {
        "field": lambda rater: rater.field,
        "degree": lambda rater: rater.degree,
    }
    years = [rater.years for rater in raters if rater.years is not None]
    recorded = {what: [value(rater) for rater in raters] for what, value in asked.items()}
    if not years and not any(filter(None, (value for values in recorded.values() for value in values))):
        return ()
    if len(raters) < FEWEST_RATERS and not names:
        return (
            f"What raters said of themselves is left out: with {counted(len(raters), 'rater')}, it could "
            "name one of them.",
        )
    said = [_shares(what, values, names) for what, values in recorded.items() if any(values)]
    if years and (names or len(years) >= FEWEST_RATERS):
        said.append(
            f"Years of experience: median {median(years):g}, recorded of {counted(len(years), 'rater')}."
        )
    return tuple(said)


def _shares(what: str, values: Sequence[str | None], names: bool) -> str:
    """How many raters gave each value, the most frequent first."""
    numbers = Counter(value or _NOT_SAID for value in values)
    alone = [value for value, number in numbers.items() if number < _FEWEST_ALIKE and value != _NOT_SAID]
    shown = [
        f"{value} {number}"
        for value, number in sorted(numbers.items(), key=lambda pair: (-pair[1], pair[0]))
        if names or value not in alone
    ]
    if alone and not names:
        shown.append(f"other, each of one rater, {len(alone)}")
    return f"{what.capitalize()}: {', '.join(shown)}."
