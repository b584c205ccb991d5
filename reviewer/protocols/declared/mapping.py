"""From a row of a file to a case and its place, and back, as a declaration says.

A column is named as the file names it. Dots lead into nested values: ``choices.text`` is the field ``text``
of the object ``choices``, and ``turns.0.content`` the content of the first turn. A column whose own name has
dots is found first.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from reviewer.core.errors import InputError
from reviewer.core.names import closest
from reviewer.core.sanitize import is_single_line, shown
from reviewer.core.strict_json import kind_of
from reviewer.protocols.base import Protocol
from reviewer.protocols.declared.declaration import Constant, Declaration, FieldTable, PublishedTable
from reviewer.protocols.declared.declared_case import IDENTITY
from reviewer.protocols.declared.row_values import (
    LETTERS,
    choice_list,
    fitting_type,
    labels_of,
    letter_of,
    number_or_text,
    option_names,
    value_of_cell,
    value_of_type,
)
from reviewer.protocols.declared.variant_lines import joined_lines
from reviewer.protocols.formats import ReadCase, RowsFormat, Source, SourceRow, SourceRows, StoredCase
from reviewer.protocols.intake import (
    CORRECT,
    UNSTATED_GENERATOR,
    checked_columns,
    is_generator_name,
    known_group,
    origin_of,
    valid_case,
)
from store.records import JsonValue, digest_of

ONLY_GROUP = "all"
"""The group of cases whose declaration names none."""
ROW_FILES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".tab", ".parquet", ".xlsx")
_LONGEST_KEY = 200
_COLUMN = re.compile(r"\{([^{}]+)\}")
_ABSENT: Any = object()

SourceColumns = Mapping[str, JsonValue]


def columns_in(template: str) -> list[str]:
    """The columns that a template names in braces, each once."""
    return list(dict.fromkeys(_COLUMN.findall(template)))


class MappedRows(RowsFormat):
    """The files of a declared protocol."""

    name = "rows (JSON Lines, JSON, CSV, TSV, Parquet or Excel)"
    endings = ROW_FILES
    if_equal = (
        "leave one of them out, or name the columns that tell them apart, such as "
        '[source] identity = ["system"]'
    )

    def __init__(self, declaration: Declaration) -> None:
        self._declaration = declaration

    def read(
        self, rows: SourceRows, protocol: Protocol, source: Source
    ) -> Iterator[tuple[str, ReadCase | InputError]]:
        """The case of each row, or of all lines of an item where the declaration joins them."""
        return super().read(joined_lines(rows, self._declaration), protocol, source)

    def reader(self, rows: SourceRows, protocol: Protocol, source: Source) -> Callable[[SourceRow], ReadCase]:
        """Rows that are mapped as the declaration says."""
        mapping = _RowMapping(self._declaration, protocol, source, rows)
        if rows.columns is not None:
            mapping.check_columns(rows.columns)
        return mapping.case_of

    def is_record(self, raw: JsonValue) -> bool:
        """An object, but no line that holds a whole case."""
        return isinstance(raw, dict) and not ("group" in raw and isinstance(raw.get("payload"), dict))

    def write(self, cases: Iterable[StoredCase], protocol: Protocol) -> Iterator[SourceColumns]:
        """The row of each case: as it was imported, else made from the case."""
        for stored in cases:
            yield stored.raw if stored.raw is not None else _row_of(stored, self._declaration)


class _RowMapping:
    """One file that is read as a declaration says."""

    def __init__(
        self, declaration: Declaration, protocol: Protocol, source: Source, rows: SourceRows
    ) -> None:
        self._declaration, self._protocol = declaration, protocol
        self._source, self._rows = source, rows
        self._named = frozenset(map(_first_step, _named_columns(declaration)))
        self._called = {name: field.column for name, field in declaration.fields.items()}
        self._unclear: dict[str, str] = {}
        self._lettered = [*_lettered_lists(declaration)]
        self._telling = frozenset(map(_first_step, declaration.source.identity))

    def check_columns(self, columns: Iterable[str]) -> None:
        """Raise InputError if the file lacks a column, or has one that the declaration refuses."""
        known = list(columns)
        for column in chain(_needed_columns(self._declaration), self._declaration.source.identity):
            if column not in known and _first_step(column) not in known:
                remedy = closest(column, known, "name one of") + self._rows.header_hint
                raise InputError(self._rows.where, f"has no column {shown(column)!r}", remedy)
        if others := [name for name in known if not self._is_named(name) and name not in self._telling]:
            self._refuse_others(self._rows.where, others)

    def case_of(self, row: SourceRow) -> ReadCase:
        """The case of a row with its place; raises InputError."""
        content, where = checked_columns(row), row.where
        group = self._group(content, where)
        payload = {
            name: value
            for name, field in self._declaration.fields.items()
            if (value := self._value(content, name, field, where)) is not None
        } | self._identity(content, where)
        self._check_options(payload, where)
        generator = self._generator(content, where)
        return ReadCase(
            case=valid_case(self._protocol, group, payload, where, self._called, "column"),
            key=self._key(row),
            position=row.number - 1,
            generator=generator,
            origin=origin_of(generator),
            published=self._published(content, payload, where),
            extra=self._extra(content, where),
            raw=dict(content),
        )

    def _value(self, row: SourceColumns, name: str, field: FieldTable, where: str) -> JsonValue:
        """A field's value in a row; None if it is optional and missing."""
        value = value_at(row, field.column)
        if value is _ABSENT or value is None or (value == "" and not self._rows.typed):
            if field.optional:
                return None
            otherwise = f"or declare {_line_of(name, field.model_copy(update={'optional': True}))}"
            if value is _ABSENT:
                remedy = closest(field.column, list(row), "name one of")
                wrong = f"has no column {shown(field.column)!r}"
                raise InputError(where, wrong, f"{remedy}, {otherwise}")
            wrong = f"column {shown(field.column)!r} is empty"
            raise InputError(where, wrong, f"fill it in, {otherwise}")
        read = value_of_type if self._rows.typed else value_of_cell
        try:
            return read(value, field.type)
        except ValueError as error:
            wrong, remedy = error.args
            remedy += _as_in_all_rows(name, field, value)
            raise InputError(f"{where}, column {shown(field.column)!r}", wrong, remedy) from None

    def _key(self, row: SourceRow) -> str:
        template = self._declaration.source.key
        if template is None:
            return str(row.number)
        content = row.cells
        key = _COLUMN.sub(lambda found: self._name_at(content, found[1], row.where), template)
        if not (0 < len(key) <= _LONGEST_KEY and is_single_line(key)):
            wrong = f"{shown(key)!r} cannot be a key"
            raise InputError(
                row.where, wrong, f"name columns with one line of at most {_LONGEST_KEY} characters"
            )
        return key

    def _group(self, row: SourceColumns, where: str) -> str:
        declared, groups = self._declaration.source.group, self._declaration.groups
        if isinstance(declared, Constant):
            name = declared.constant
        elif declared is not None:
            name = self._name_at(row, declared, where)
        else:
            name = next(iter(groups), ONLY_GROUP)
        return known_group(self._protocol, name, where)

    def _identity(self, row: SourceColumns, where: str) -> dict[str, JsonValue]:
        """The digest of the columns that tell the case apart. Packs and searches show no digest's content."""
        columns = self._declaration.source.identity
        told = {column: self._name_at(row, column, where) for column in columns}
        return {IDENTITY: digest_of(dict(told))} if told else {}

    def _generator(self, row: SourceColumns, where: str) -> str:
        declared = self._declaration.source.generator
        if self._source.generator is not None:
            return self._source.generator
        if declared is None:
            return UNSTATED_GENERATOR
        name = declared.constant if isinstance(declared, Constant) else self._name_at(row, declared, where)
        if not is_generator_name(name):
            raise InputError(where, f"{shown(name)!r} cannot be the name of a generator", CORRECT)
        return name

    def _name_at(self, row: SourceColumns, column: str, where: str) -> str:
        """A text or number of a row, as part of a name."""
        value = value_at(row, column)
        if value is _ABSENT:
            remedy = closest(column, list(row), "name one of")
            raise InputError(where, f"has no column {shown(column)!r}", remedy)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        wrong = "is empty" if value in (None, "") else f"is {kind_of(value)}, not a name"
        at = f"{where}, column {shown(column)!r}"
        raise InputError(at, wrong, "fill it in, or name another column")

    def _check_options(self, payload: Mapping[str, JsonValue], where: str) -> None:
        """Raise InputError for more options than a question, or the evaluation, has labels."""
        for what, field, labels in self._lettered:
            options = payload.get(field)
            if isinstance(options, list) and len(options) > labels:
                at = f"{where}, column {shown(self._called[field])!r}"
                wrong = f"holds {len(options)} options, and {what} has {labels} labels"
                last = LETTERS[min(len(options), len(LETTERS)) - 1]
                raise InputError(at, wrong, f"add labels up to {last}, or leave options out")

    def _letter(
        self, row: SourceColumns, table: PublishedTable, value: JsonValue, payload: Mapping[str, JsonValue]
    ) -> JsonValue:
        """The letter of the option that a value points to; any other value as it is."""
        texts = payload.get(table.options or "")
        if not isinstance(texts, list):
            return value
        column = self._called[table.options or ""]
        beside = value_at(row, f"{column.rpartition('.')[0]}.label") if "." in column else None
        return letter_of(value, table, list(map(str, texts)), option_names(value_at(row, column), beside))

    def _published(
        self, row: SourceColumns, payload: Mapping[str, JsonValue], where: str
    ) -> dict[str, JsonValue]:
        values: dict[str, JsonValue] = {}
        for name, table in self._declaration.published.items():
            value = value_at(row, table.column)
            if value is _ABSENT or value is None or (value == "" and not self._rows.typed):
                continue
            read = value if self._rows.typed else self._number_or_text(table.column, value)
            try:
                values[name] = self._letter(row, table, read, payload) if table.options else read
            except ValueError as error:
                raise InputError(f"{where}, column {shown(table.column)!r}", *error.args) from None
        return values

    def _number_or_text(self, column: str, cell: str) -> JsonValue:
        """The number that a cell holds; its text where that is not clear, with a notice."""
        try:
            return number_or_text(cell)
        except ValueError:
            first = self._unclear.setdefault(column, cell)
            what = (
                f"{self._rows.where}, column {shown(column)!r}: texts such as {first} are not read as numbers"
            )
            self._rows.notice(f"{what}, since the comma may be a decimal sign or part thousands")
            return cell

    def _extra(self, row: SourceColumns, where: str) -> dict[str, JsonValue]:
        """The columns that the declaration does not name."""
        others = {name: value for name, value in row.items() if not self._is_named(name)}
        if refused := [name for name in others if name not in self._telling]:
            self._refuse_others(where, refused)
        return others

    def _is_named(self, column: str) -> bool:
        return column in self._named or column in self._called.values()

    def _refuse_others(self, where: str, columns: list[str]) -> None:
        if self._declaration.source.others == "refuse":
            wrong = f"has a column {shown(columns[0])!r} that the declaration does not name"
            raise InputError(where, wrong, 'name it, or write others = "keep" in [source]')


def _lettered_lists(declaration: Declaration) -> Iterator[tuple[str, str, int]]:
    """What has labels for the entries of a list, the field with the list, and how many labels there are."""
    for key, question in declaration.question.items():
        if question.options is not None:
            yield repr(key), question.options, len(question.labels)
    table = declaration.evaluation
    if table is not None and (field := choice_list(declaration, table)) is not None:
        yield "[evaluation]", field, len(labels_of(declaration, table))


def _as_in_all_rows(name: str, field: FieldTable, value: JsonValue) -> str:
    """The rest of a remedy: the line that declares a field as this value is, unless it is declared so."""
    fits = fitting_type(value)
    if fits is None or fits == (field.type, "") or field.type == "dialogue":
        return ""
    kind, steps = fits
    other = field.model_copy(update={"column": f"{field.column}{steps}", "type": kind})
    pane = ' and show it in a pane of kind = "dialogue"' if kind == "dialogue" else ""
    return f", or, if all rows are like this, declare {_line_of(name, other)}{pane}"


def _line_of(name: str, field: FieldTable) -> str:
    """The line of a declaration that declares a field."""
    given = field.model_dump(exclude_defaults=True)
    if set(given) == {"column"}:
        return f"{name} = {_in_toml(field.column)}"
    return f"{name} = {{ {', '.join(f'{key} = {_in_toml(value)}' for key, value in given.items())} }}"


def _in_toml(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _named_columns(declaration: Declaration) -> Iterator[str]:
    """Every column that a declaration names."""
    yield from _needed_columns(declaration)
    optional = (field.column for field in declaration.fields.values() if field.optional)
    yield from chain(optional, (table.column for table in declaration.published.values()))


def _needed_columns(declaration: Declaration) -> Iterator[str]:
    """The columns without which no row is a case."""
    source = declaration.source
    yield from (field.column for field in declaration.fields.values() if not field.optional)
    yield from columns_in(source.key or "")
    yield from filter(None, (source.item, source.variant))
    yield from (column for column in (source.group, source.generator) if isinstance(column, str))


def _first_step(column: str) -> str:
    return column.partition(".")[0]


def cell_at(row: SourceColumns, column: str, where: str) -> JsonValue:
    """The value of a column, nested ones by dots; raises InputError if there is none."""
    value = value_at(row, column)
    if value is _ABSENT:
        raise InputError(where, f"lacks the column {shown(column)!r}", closest(column, [*row], "name one of"))
    return value


def value_at(row: JsonValue, column: str) -> JsonValue:
    """The value of a column, nested ones by dots; a marker that equals nothing if there is none."""
    has_names = isinstance(row, dict) or isinstance(row, Mapping)  # noqa: SIM101 -- the first is far quicker
    if has_names and column in row:
        return row[column]
    step, dot, rest = column.partition(".")
    if not dot:
        return row[int(step)] if _is_place_in(row, step) else _ABSENT
    if has_names and step in row:
        return value_at(row[step], rest)
    return value_at(row[int(step)], rest) if _is_place_in(row, step) else _ABSENT


def _is_place_in(row: JsonValue, step: str) -> bool:
    return isinstance(row, list) and step.isascii() and step.isdigit() and int(step) < len(row)


def _row_of(stored: StoredCase, declaration: Declaration) -> dict[str, JsonValue]:
    """The row of a case that has no record of a file, such as a repaired one."""
    row: dict[str, JsonValue] = {}
    source = declaration.source
    if source.key is not None and _COLUMN.fullmatch(source.key):
        _put(row, source.key[1:-1], stored.place.key)
    for column, name in ((source.group, stored.case.group), (source.generator, stored.place.generator)):
        if isinstance(column, str):
            _put(row, column, name)
    for name, field in declaration.fields.items():
        _put(row, field.column, stored.case.payload.get(name))
    for name, table in declaration.published.items():
        if name in stored.published:
            _put(row, table.column, stored.published[name])
    return {**row, **stored.place.extra}


def _put(row: dict[str, JsonValue], column: str, value: JsonValue) -> None:
    """Set a nested value. A place in a list becomes a name, since the rest of the list is not known."""
    *above, last = column.split(".")
    for step in above:
        row = row.setdefault(step, {})
    row[last] = value
