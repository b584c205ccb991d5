"""The funnel of a run: candidates discarded, by filter, group and check, next to published runs."""

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from reviewer.core.table import Cell, Table
from reviewer.protocols.generation import PublishedRun
from store.candidates import Fate
from store.records import JsonValue

BY = ("group", "check")
ASKED_AGAIN = "asked again"
"""The column of replies that broke a rule and were asked again, in tables of runs that have some."""
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
    asked_again: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Replies that broke the rule of a check and were asked again, in the same way."""

    @property
    def keys(self) -> set[tuple[str, str, str]]:
        """Everything that is counted: group, filter and check."""
        return {*self.discarded, *self.asked_again}


def funnel_of(
    run: str,
    filters: Sequence[str],
    groups: Sequence[str],
    fates: Iterable[Fate],
    repeated: Iterable[tuple[str, str, str, int]] = (),
) -> Funnel:
    """The funnel of a run from the fates of its candidates; by steps if no filters are published.

    ``repeated`` are numbers of replies that were asked again, behind group, step and check.
    """
    counts = Counter[tuple[str, str, str]]()
    for fate in fates:
        if not fate.approved:
            name = (fate.counts_as or UNPUBLISHED) if filters else fate.step
            counts[fate.group, name, fate.check] += fate.candidates
    again = Counter[tuple[str, str, str]]()
    for group, step, check, number in repeated:
        again[group, step, check] += number
    names = filters or sorted({name for _, name, _ in (*counts, *again)})
    return Funnel(run, tuple(names), tuple(groups), counts, again)


def repeated_requests(
    step: str, values: Iterable[tuple[str, JsonValue]]
) -> Iterator[tuple[str, str, str, int]]:
    """Group, step, check and number of the replies of each candidate that were asked again.

    ``values`` are the counts by check of a candidate, behind its group.
    """
    for group, counts in values:
        if isinstance(counts, dict):
            yield from ((group, step, rule, int(str(number))) for rule, number in counts.items())


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
    if any(funnel.asked_again for funnel in funnels):
        by = (*by, ASKED_AGAIN)
    rows = [row for funnel in funnels for row in _rows(funnel, by)]
    columns = (
        "run",
        *(("group",) if "group" in by else ()),
        "filter",
        *(("check",) if "check" in by else ()),
    )
    counted = ("discarded", *((ASKED_AGAIN,) if ASKED_AGAIN in by else ()))
    return Table.of((*columns, *counted, "share", *spread), rows)


def _rows(funnel: Funnel, by: Sequence[str]) -> list[tuple[Cell, ...]]:
    """The rows of one run, grouped by group, with the total of the published filters."""
    groups = (funnel.groups or ("",)) if "group" in by else (None,)
    return [row for group in groups for row in _group_rows(funnel, group, by)]


def _group_rows(funnel: Funnel, group: str | None, by: Sequence[str]) -> list[tuple[Cell, ...]]:
    inside = [key for key in funnel.keys if group is None or key[0] == group]
    known = [name for name in funnel.filters if any(key[1] == name for key in inside) or "check" not in by]
    total = _count(funnel.discarded, group, funnel.filters, None)
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
    count = _count(funnel.discarded, group, names, check)
    share = count / total if total else None
    head: list[Cell] = [funnel.run]
    if "group" in by:
        head.append(group)
    head.append(title)
    if "check" in by:
        head.append(check)
    if ASKED_AGAIN in by:
        count_again = _count(funnel.asked_again, group, names, check)
        return (*head, count, count_again, share, *(() if "group" in by else _spread(funnel, names, check)))
    return (*head, count, share, *(() if "group" in by else _spread(funnel, names, check)))


def _spread(funnel: Funnel, names: Sequence[str], check: str | None) -> tuple[Cell, ...]:
    counts = {group: _count(funnel.discarded, group, names, check) for group in funnel.groups}
    if not counts:
        return (None,) * len(_SPREAD)
    least, most = min(counts, key=counts.__getitem__), max(counts, key=counts.__getitem__)
    sd = statistics.stdev(counts.values()) if len(counts) > 1 else None
    mean = statistics.fmean(counts.values())
    return mean, sd, counts[least], least, counts[most], most


def _count(
    counts: Counter[tuple[str, str, str]], group: str | None, names: Sequence[str], check: str | None
) -> int:
    return sum(
        number
        for (where, name, what), number in counts.items()
        if name in names and (group is None or where == group) and (check is None or what == check)
    )
