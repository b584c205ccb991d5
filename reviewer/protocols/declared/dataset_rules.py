"""The rules that read a whole dataset: which values repeat, and how they are shared out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from reviewer.core.number_text import percent
from reviewer.core.sanitize import agreeing, capitalised, counted, one_line, shown
from reviewer.protocols.base import DatasetCase, DatasetFinding, repeated_keys
from reviewer.protocols.declared.declaration import CheckTable
from reviewer.protocols.declared.declared_case import own_fields
from reviewer.protocols.declared.rule_checks import Titled, Values, compared_text, texts_of
from store.records import canonical_json

KeyedValues = tuple[str, Values]
"""The key of a place in the dataset, and the values of its case."""
DATASET_RULES = ("unique", "balanced")
EQUAL_FIELDS = "equal_fields"
"""The check of cases that only the columns of ``[source] identity`` tell apart."""
_NAMED = 4
_LONGEST_KEY = 400
_TOLERATED = 0.05
_NOWHERE = "nowhere"


def check_dataset(
    check: str,
    table: CheckTable,
    rows: Sequence[KeyedValues],
    titled: Titled,
    meant: Mapping[str, str] = MappingProxyType({}),
) -> DatasetFinding:
    """What a check says of a dataset; not tested if no case has all the values that it reads.

    ``meant``: value of the first field → the label that it stands for.
    """
    whole = [row for row in rows if all(row[1].get(field) is not None for field in table.fields)]
    fields = " and ".join(map(titled, table.fields))
    if not whole:
        return DatasetFinding(check, "not tested", f"No case has {fields}.")
    if table.rule == "unique":
        finding = _unique(check, table, whole, fields)
    else:
        finding = _balanced(check, table, whole, fields, meant if len(table.fields) == 1 else {})
    return replace(finding, says=finding.says + _left_out(len(rows) - len(whole), fields))


def equal_fields(cases: Sequence[DatasetCase]) -> DatasetFinding:
    """Cases whose group and fields are all equal, so that raters judge the same content twice."""
    repeated = repeated_keys(
        (placed.key, canonical_json([placed.case.group, own_fields(placed.case.payload)])) for placed in cases
    )
    number = sum(map(len, repeated))
    value = {"repeated": len(repeated), "cases": number, "of": len(cases), "keys": repeated}
    if not repeated:
        says = f"No two of {counted(len(cases), 'case')} have the same fields."
        return DatasetFinding(EQUAL_FIELDS, "passed", says, value)
    first = " and ".join(one_line(key, _LONGEST_KEY) for key in repeated[0][:2])
    says = (
        f"{number:,} of {counted(len(cases), 'case')} have the same fields as another one, and only "
        f"[source] identity tells them apart: {first} are the first two."
    )
    return DatasetFinding(EQUAL_FIELDS, "failed", says, value)


def _left_out(number: int, fields: str) -> str:
    lack = agreeing(number, "lacks", "lack")
    return (
        f" {counted(number, 'case')} {lack} {fields} and {agreeing(number, 'is', 'are')} left out."
        if number
        else ""
    )


def _unique(check: str, table: CheckTable, rows: Sequence[KeyedValues], fields: str) -> DatasetFinding:
    repeated = repeated_keys(
        (key, tuple(_text(values[field], table) for field in table.fields)) for key, values in rows
    )
    cases = sum(map(len, repeated))
    value = {"repeated": len(repeated), "cases": cases, "of": len(rows), "keys": repeated}
    if not repeated:
        return DatasetFinding(
            check, "passed", f"No two of {counted(len(rows), 'case')} have the same {fields}.", value
        )
    first = " and ".join(one_line(key, _LONGEST_KEY) for key in repeated[0][:2])
    says = (
        f"{counted(len(repeated), 'value')} of {fields} {agreeing(len(repeated), 'repeats', 'repeat')}, "
        f"in {cases:,} of {counted(len(rows), 'case')}: {first} are the first two."
    )
    return DatasetFinding(check, "failed", says, value)


def _balanced(
    check: str, table: CheckTable, rows: Sequence[KeyedValues], fields: str, meant: Mapping[str, str]
) -> DatasetFinding:
    texts = [
        _position(values, table) if len(table.fields) > 1 else _text(values[table.fields[0]], table)
        for _, values in rows
    ]
    counts = dict.fromkeys(table.values, 0) | dict(Counter(texts).most_common())
    even = 1 / len(counts)
    least = table.least if table.least is not None else 0.0
    most = table.most if table.most is not None else (1.0 if table.least is not None else even + _TOLERATED)
    outside = [value for value, number in counts.items() if not least <= number / len(rows) <= most]
    what = f"the place of {fields}" if len(table.fields) > 1 else fields
    says = f"{capitalised(what)}: {_shares(counts, len(rows), meant)}."
    says += f" Wanted: shares of {percent(least, 1)} to {percent(most, 1)}."
    value = {"counts": counts, "of": len(rows)}
    return DatasetFinding(check, "failed" if outside else "passed", says, value, [least, most])


def _position(values: Values, table: CheckTable) -> str:
    """The place, from 1, of the first field's text among the texts of the others."""
    first, *others = table.fields
    texts = [compared_text(text, table) for field in others for text in texts_of(values[field])]
    wanted = _text(values[first], table)
    return str(texts.index(wanted) + 1) if wanted in texts else _NOWHERE


def _shares(counts: dict[str, int], total: int, meant: Mapping[str, str]) -> str:
    names = {value: f"{shown(label)} ({shown(value)})" for value, label in meant.items()}
    parts = [
        f"{names.get(value, shown(value))} in {number:,} ({percent(number / total, 1)})"
        for value, number in counts.items()
    ]
    more = [f"{len(parts) - _NAMED:,} more"] if len(parts) > _NAMED else []
    return f"{', '.join([*parts[:_NAMED], *more])} of {counted(total, 'case')}"


def _text(value: Any, table: CheckTable) -> str:
    return compared_text("\n".join(texts_of(value)), table)
