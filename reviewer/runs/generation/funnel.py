"""The funnel of a run: candidates discarded, by filter, group and check, next to published runs."""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewer.core.table import Cell, Table
from reviewer.protocols.generation import PublishedRun
from store.candidates import Fate

BY = ("group", "check")
TOTAL = "all of these"
UNPUBLISHED = "format and template"
"""Discards that published funnels do not count: replies without a case, and texts that break the template."""
_SPREAD = ("mean a group", "sd", "min", "min in", "max", "max in")


@dataclass(frozen=True, slots=True)
class Funnel:
    """The discards of one run: counts by (group, filter, check), and its groups if they are known.

    If only totals are known, the group is "". Filters that are not in ``filters`` count in no share.
    """

    run: str
    filters: tuple[str, ...]
    groups: tuple[str, ...]
    discarded: Counter[tuple[str, str, str]]


def funnel_of(run: str, filters: Sequence[str], groups: Sequence[str], fates: Iterable[Fate]) -> Funnel:
    """The funnel of a run from the fates of its candidates; by steps if no filters are published."""
    counts = Counter[tuple[str, str, str]]()
    for fate in fates:
        if not fate.approved:
            name = (fate.counts_as or UNPUBLISHED) if filters else fate.step
            counts[fate.group, name, fate.check] += fate.candidates
    names = filters or sorted({name for _, name, _ in counts})
    return Funnel(run, tuple(names), tuple(groups), counts)


def published_funnel(run: PublishedRun) -> Funnel:
    """The funnel of a published run, for which only totals are known."""
    counts = Counter({("", name, ""): number for name, number in run.discarded.items()})
    return Funnel(run.name, tuple(run.discarded), (), counts)


def funnel_table(funnels: Sequence[Funnel], by: Sequence[str] = ()) -> Table:
    """One row for each run and filter, and for each group or check if ``by`` asks for it.

    ``share`` is the share of all candidates that the published filters discarded in the run, or in the group.
    The spread is over groups: mean, standard deviation (n - 1), the smallest and largest count, and where.
    """
    spread = () if "group" in by else _SPREAD
    rows = [row for funnel in funnels for row in _rows(funnel, by)]
    columns = (
        "run",
        *(("group",) if "group" in by else ()),
        "filter",
        *(("check",) if "check" in by else ()),
    )
    return Table.of((*columns, "discarded", "share", *spread), rows)


def _rows(funnel: Funnel, by: Sequence[str]) -> list[tuple[Cell, ...]]:
    """The rows of one run, grouped by group, with the total of the published filters."""
    groups = (funnel.groups or ("",)) if "group" in by else (None,)
    return [row for group in groups for row in _group_rows(funnel, group, by)]


def _group_rows(funnel: Funnel, group: str | None, by: Sequence[str]) -> list[tuple[Cell, ...]]:
    inside = [key for key in funnel.discarded if group is None or key[0] == group]
    known = [name for name in funnel.filters if any(key[1] == name for key in inside) or "check" not in by]
    total = _count(funnel, group, funnel.filters, None)
    rows: list[tuple[Cell, ...]] = []
    for name in known:
        checks = sorted({key[2] for key in inside if key[1] == name}) if "check" in by else [None]
        rows += [_row(funnel, group, (name,), name, check, by, total) for check in checks]
    rows.append(_row(funnel, group, funnel.filters, TOTAL, None, by, total))
    for name in sorted({key[1] for key in inside} - set(funnel.filters)):
        checks = sorted({key[2] for key in inside if key[1] == name}) if "check" in by else [None]
        rows += [_row(funnel, group, (name,), name, check, by, None) for check in checks]
    return rows


def _row(
    funnel: Funnel,
    group: str | None,
    names: Sequence[str],
    title: str,
    check: str | None,
    by: Sequence[str],
    total: int | None,
) -> tuple[Cell, ...]:
    count = _count(funnel, group, names, check)
    share = count / total if total else None
    head: list[Cell] = [funnel.run]
    if "group" in by:
        head.append(group)
    head.append(title)
    if "check" in by:
        head.append(check)
    return (*head, count, share, *(() if "group" in by else _spread(funnel, names, check)))


def _spread(funnel: Funnel, names: Sequence[str], check: str | None) -> tuple[Cell, ...]:
    counts = {group: _count(funnel, group, names, check) for group in funnel.groups}
    if not counts:
        return (None,) * len(_SPREAD)
    least, most = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    sd = statistics.stdev(counts.values()) if len(counts) > 1 else None
    mean = statistics.fmean(counts.values())
    return mean, sd, counts[least], least, counts[most], most


def _count(funnel: Funnel, group: str | None, names: Sequence[str], check: str | None) -> int:
    return sum(
        number
        for (where, name, what), number in funnel.discarded.items()
        if name in names and (group is None or where == group) and (check is None or what == check)
    )
