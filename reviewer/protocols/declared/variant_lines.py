"""Files with a line for each output of an item: the lines of one item become one row.

``[source] item`` names the column with the item, and ``variant`` the one that tells its lines apart, such as
a system. A column that the declaration names by variant (``output.atlas``) holds the values of all lines by
variant, as does one that it does not name and that differs. Other columns have to say the same in all lines
of an item.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from reviewer.core.errors import InputError
from reviewer.core.sanitize import enumerated, shown
from reviewer.protocols.declared.declaration import Declaration
from reviewer.protocols.formats import SourceRow, SourceRows
from store.records import JsonValue

Content = Mapping[str, JsonValue]


def joined_lines(rows: SourceRows, declaration: Declaration) -> SourceRows:
    """The rows with one for each item; the same rows if the declaration joins no lines."""
    item, variant = declaration.source.item, declaration.source.variant
    if item is None or variant is None:
        return rows
    columns = variants_named(declaration)
    return joined_by(rows, item, variant, columns, {*_named(declaration)} - {*columns})


def joined_by(
    rows: SourceRows,
    item: str,
    variant: str,
    columns: Mapping[str, Mapping[str, bool]],
    shared: Collection[str] = (),
) -> SourceRows:
    """The rows with one for each item. ``columns`` is column → variant → whether every item needs it.

    ``shared`` columns have to say the same in all lines of an item.
    """
    return replace(rows, read=partial(_joined, rows, _Joining(item, variant, columns, shared)))


def variants_named(declaration: Declaration) -> dict[str, dict[str, bool]]:
    """Column → variant → whether every item needs it, for the fields that name a column by variant."""
    columns: dict[str, dict[str, bool]] = {}
    if declaration.source.variant is not None:
        needed = {table.column: not table.optional for table in declaration.fields.values()}
        published = {table.column: False for table in declaration.published.values()}
        for name, needs in {**published, **needed}.items():
            column, dot, variant = name.partition(".")
            if dot:
                columns.setdefault(column, {})[variant] = needs
    return columns


def _named(declaration: Declaration) -> Iterator[str]:
    """The columns that the declaration names for a case as a whole."""
    source = declaration.source
    yield from (table.column for table in declaration.fields.values())
    yield from (table.column for table in declaration.published.values())
    yield from re.findall(r"\{([^{}]+)\}", source.key or "")
    yield from (column for column in (source.group, source.generator) if isinstance(column, str))
    yield from source.identity


@dataclass
class _Item:
    """The lines of one item by variant; its row takes the place of the first."""

    first: SourceRow
    lines: dict[str, SourceRow] = field(default_factory=dict)


class _Joining:
    """How the lines of an item become one row."""

    def __init__(
        self, item: str, variant: str, columns: Mapping[str, Mapping[str, bool]], shared: Collection[str]
    ) -> None:
        self.item, self.variant = item, variant
        self._columns, self._shared = columns, shared
        named = (known.items() for known in columns.values())
        self._needed = {name: needs for known in named for name, needs in known}

    def row_of(self, item: str, lines: _Item) -> SourceRow:
        """The row of an item, or what is wrong with its lines."""
        try:
            return replace(lines.first, content=self._content(item, lines))
        except InputError as error:
            return replace(lines.first, content=error)

    def _content(self, item: str, lines: _Item) -> Content:
        about = f"item {shown(item)!r}"
        if missing := [name for name, needs in self._needed.items() if needs and name not in lines.lines]:
            wrong = f"{about} has no line in which {self.variant!r} is {enumerated(missing)}"
            raise InputError(lines.first.where, wrong, "add it, or leave the lines of this item out")
        contents = {name: line.content for name, line in lines.lines.items()}
        whole = {name: content for name, content in contents.items() if not isinstance(content, InputError)}
        name = next(iter(whole))
        row: dict[str, JsonValue] = {}
        for column in dict.fromkeys(column for content in whole.values() for column in content):
            values = {name: content.get(column) for name, content in whole.items()}
            differs = column not in self._shared and any(value != values[name] for value in values.values())
            if column in self._columns or (differs and column != self.variant):
                row[column] = {of: value for of, value in values.items() if value is not None}
            elif column != self.variant:
                self._check_same(column, values, lines)
                row[column] = values[name]
        return row

    def _check_same(self, column: str, values: Mapping[str, JsonValue], lines: _Item) -> None:
        (name, value), *others = values.items()
        for other, another in others:
            if another != value:
                at = lines.lines[name].where
                wrong = f"column {shown(column)!r} differs from {at}, which is of the same item"
                remedy = f"make both the same, or name it by variant, such as {column}.{name}"
                raise InputError(lines.lines[other].where, wrong, remedy)

    def is_joined(self, content: Content | InputError) -> bool:
        """Whether it is the row of an item already, as an exported dataset has it."""
        return (
            isinstance(content, Mapping)
            and self.variant not in content
            and any(isinstance(content.get(column), Mapping) for column in self._columns)
        )

    def name_in(self, row: SourceRow, column: str) -> str:
        """The item or the variant of a line; raises InputError."""
        value = row.cells.get(column)
        if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
            wrong = "is missing or empty" if value in (None, "") else "is not a name"
            raise InputError(f"{row.where}, column {shown(column)!r}", wrong, "fill it in")
        return str(value).strip()

    def check_variant(self, row: SourceRow, variant: str, item: _Item) -> None:
        """Raise InputError for a variant that no field names, or that the item has already."""
        if variant not in self._needed:
            wrong = f"{self.variant!r} is {shown(variant)!r}, which no field of the declaration names"
            column = next(iter(self._columns), "output")
            remedy = f"declare a field with column {column}.{variant}, or leave the line out"
            raise InputError(row.where, wrong, remedy)
        if variant in item.lines:
            wrong = f"is a second line in which {self.variant!r} is {shown(variant)!r} for the same item"
            remedy = f"leave it out, or the one in {item.lines[variant].where}"
            raise InputError(row.where, wrong, remedy)


def _joined(rows: SourceRows, joining: _Joining) -> Iterator[SourceRow]:
    """The rows of all items, in the order of their first lines; faults of single lines come first."""
    items: dict[str, _Item] = {}
    for row in rows.read():
        if joining.is_joined(row.content):
            yield row
            continue
        try:
            name = joining.name_in(row, joining.item)
            variant = joining.name_in(row, joining.variant)
            item = items.setdefault(name, _Item(row))
            joining.check_variant(row, variant, item)
            item.lines[variant] = row
        except InputError as error:
            yield replace(row, content=error)
    for name, item in items.items():
        if item.lines:
            yield joining.row_of(name, item)
