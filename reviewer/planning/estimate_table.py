"""Estimates as tables: words for people, seconds and bytes for programs."""

from collections.abc import Iterable

from reviewer.core.number_text import all_digits, significant, whole
from reviewer.core.table import Table
from reviewer.planning.estimates import WorkEstimate

_STEPS = ((60, 1, "s"), (3_600, 60, "min"), (48 * 3_600, 3_600, "h"))
_DAY = 24 * 3_600
_SIZES = ((1e6, 1e3, "kB"), (1e9, 1e6, "MB"), (1e12, 1e9, "GB"))


def estimate_table(estimates: Iterable[WorkEstimate], *, for_people: bool) -> Table:
    """One row for each kind of work."""
    if for_people:
        rows = [
            (
                each.work,
                f"{each.amount:,} {each.unit}{'' if each.amount == 1 else 's'}",
                duration(each.seconds),
                duration(each.core_hours * 3_600),
                dollars(each.dollars),
                size(each.stored) if each.stored else "–",
            )
            for each in estimates
        ]
        return Table.of(("work", "amount", "time", "processor time", "cost", "storage"), rows)
    columns = ("work", "amount", "unit", "seconds", "core_hours", "dollars", "bytes")
    return Table.of(
        columns,
        [
            (
                each.work,
                each.amount,
                each.unit,
                all_digits(each.seconds),
                all_digits(each.core_hours),
                all_digits(each.dollars),
                round(each.stored),
            )
            for each in estimates
        ],
    )


def duration(seconds: float) -> str:
    """Two digits of seconds, minutes, hours or days: "45 s", "3.5 min", "12 h"."""
    for below, step, unit in _STEPS:
        if seconds < below:
            return f"{two_digits(seconds / step)} {unit}"
    return f"{two_digits(seconds / _DAY)} days"


def size(stored: float) -> str:
    """Two digits of kilobytes, megabytes, gigabytes or terabytes."""
    for below, step, unit in _SIZES:
        if stored < below:
            return f"{two_digits(stored / step)} {unit}"
    return f"{two_digits(stored / 1e12)} TB"


def dollars(value: float | None) -> str:
    """Two digits, and at least a cent."""
    if value is None:
        return "–"
    return f"${two_digits(value)}" if value >= 0.01 else "<$0.01"


def two_digits(value: float) -> str:
    """A number as rough as estimates are: 0.042, 1.3, 27, 340, 12,000."""
    if value <= 0:
        return "0"
    rough = float(significant(value, 2))
    return whole(rough) if rough >= 10 else f"{rough:g}"
