"""Funnels of other runs: CSV or JSON with the columns run, filter, discarded and, where known, group.

That is what `reviewer funnel --by group` prints. JSON may also be an object of run → group → filter → count.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import kind_of, parse
from reviewer.exchange.rows.csv_records import csv_records
from reviewer.exchange.rows.source_file import read_text, shown_path
from reviewer.runs.generation.funnel import TOTAL, Funnel

_MOST_BYTES = 4_000_000
_SHAPE = "give columns run, filter, discarded and, where known, group"


def read_funnels(path: Path, filters: tuple[str, ...], group_noun: str = "group") -> list[Funnel]:
    """The funnels in a file, in its order; raises InputError naming the row.

    The column of groups may also have the protocol's own word as its name.
    """
    where = shown_path(path)
    text = read_text(path, where, _MOST_BYTES)
    rows = _json_rows(text, where) if text.lstrip().startswith(("{", "[")) else _csv_rows(text, where)
    counts: dict[str, Counter[tuple[str, str, str]]] = {}
    for place, row in rows:
        run, group, name, count = _checked(row, place, group_noun)
        if name != TOTAL:
            counts.setdefault(run, Counter())[group, name, ""] += count
    if not counts:
        raise InputError(where, "holds no funnel", _SHAPE)
    return [_funnel(run, filters, found) for run, found in counts.items()]


def _funnel(run: str, filters: tuple[str, ...], counts: Counter[tuple[str, str, str]]) -> Funnel:
    groups = tuple(dict.fromkeys(group for group, _, _ in counts if group))
    return Funnel(run, filters, groups, counts)


def _csv_rows(text: str, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    return ((f"{where}, line {line}", row) for line, row in csv_records(text, where).whole())


def _json_rows(text: str, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    rows = parse(text, where)
    if isinstance(rows, list):
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, dict):
                raise InputError(f"{where}, row {number}", f"is {kind_of(row)}, not an object", _SHAPE)
            yield f"{where}, row {number}", row
        return
    for run, groups in _items(rows, where):
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
