"""Raters' fields, degrees and years of experience, in one sentence without their names."""

from collections import Counter
from collections.abc import Sequence
from statistics import median

from store.records import Assignment


def profile_summary(raters: Sequence[Assignment]) -> str:
    """Fields, degrees and years of the raters who gave them; "" if nobody did."""
    described = [rater for rater in raters if rater.field or rater.degree or rater.years is not None]
    if not described:
        return ""
    parts = [_counted([rater.degree for rater in described]), _counted([rater.field for rater in described])]
    years = [rater.years for rater in described if rater.years is not None]
    if years:
        span = f"{min(years)}" if min(years) == max(years) else f"{min(years)} to {max(years)}"
        parts.append(f"{span} years of experience (median {median(years):g})")
    silent = len(raters) - len(described)
    parts.append(f"{silent} of {len(raters)} gave no background" if silent else "")
    return "; ".join(part for part in parts if part)


def _counted(values: Sequence[str | None]) -> str:
    counts = Counter(value for value in values if value)
    return ", ".join(
        f"{count} {value}" for value, count in sorted(counts.items(), key=lambda count: (-count[1], count[0]))
    )
