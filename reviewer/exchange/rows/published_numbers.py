"""Published numbers in files: rows of a CSV with the columns that a command needs, and funnels of other runs.

A funnel is CSV or JSON with the columns run, filter, discarded and, where known, group, as
`reviewer funnel --by group` prints it. JSON may also be an object of run → group → filter → count.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line, shown
from reviewer.core.strict_json import kind_of
from reviewer.exchange.rows.row_files import small_rows
from reviewer.exchange.rows.source_file import shown_path
from reviewer.exchange.rows.study_inputs import Tell
from reviewer.runs.generation.run_funnel import TOTAL, Funnel

_MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_BYTES_OF_FUNNELS: Final = 4_000_000
_SHAPE = "give columns run, filter, discarded and, where known, group"


def published_rows(path: Path, columns: Sequence[str], tell: Tell) -> tuple[str, list[Mapping[str, str]]]:
    """What messages call the file, and its rows; raises InputError, also for a file that lacks a column."""
    rows = small_rows(path, _MOST_BYTES)
    return repr(one_line(path.name)), [row for _, row in rows.having(*columns, tell=tell)]


def read_funnels(path: Path, filters: tuple[str, ...], group_noun: str, tell: Tell) -> list[Funnel]:
    """The funnels in a file, in its order; raises InputError naming the row.

    The column of groups may also have the protocol's own word as its name.
    """
    rows = small_rows(path, _MOST_BYTES_OF_FUNNELS)
    counts: dict[str, Counter[tuple[str, str, str]]] = {}
    for record in rows.read():
        for place, row in _rows_in(record.cells, record.where):
            run, group, name, count = _checked(row, place, group_noun)
            if name != TOTAL:
                counts.setdefault(run, Counter())[group, name, ""] += count
    if not counts:
        raise InputError(shown_path(path), "holds no funnel", _SHAPE)
    for notice in rows.notices:
        tell(notice)
    return [_funnel(run, filters, found) for run, found in counts.items()]


def _funnel(run: str, filters: tuple[str, ...], counts: Counter[tuple[str, str, str]]) -> Funnel:
    groups = tuple(dict.fromkeys(group for group, _, _ in counts if group))
    return Funnel(run, filters, groups, counts)


def _rows_in(content: Mapping[str, Any], where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The row itself, or those of an object of run → group → filter → count."""
    if not content.keys().isdisjoint(("run", "filter")):
        yield where, content
        return
    for run, groups in content.items():
        for group, names in _items(groups, f"{where}, {shown(run)}"):
            place = f"{where}, {shown(run)}, {shown(group)}"
            for name, count in _items(names, place):
                yield place, {"run": run, "group": group, "filter": name, "discarded": count}


def _items(found: Any, where: str) -> list[tuple[str, Any]]:
    if not isinstance(found, dict):
        raise InputError(where, f"is {kind_of(found)}, not an object", _SHAPE)
    return list(found.items())


def _checked(row: Mapping[str, Any], where: str, group_noun: str) -> tuple[str, str, str, int]:
    run, name = row.get("run"), row.get("filter")
    group = row.get("group") or row.get(group_noun) or ""
    count = str(row.get("discarded", ""))
    if not (isinstance(run, str) and isinstance(name, str) and isinstance(group, str) and run and name):
        raise InputError(where, "lacks a run or a filter", _SHAPE)
    if not (count.isascii() and count.isdigit() and len(count) < 12):
        raise InputError(where, f"has discarded {shown(count)}, which is not a count", _SHAPE)
    return run, group, name, int(count)
