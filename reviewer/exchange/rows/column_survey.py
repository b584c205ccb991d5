"""What the columns of a file of rows hold: types, gaps, distinct values, lengths; texts, keys and scores.

All of it is found in one pass over the file.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal
from unicodedata import east_asian_width

from reviewer.core.errors import InputError
from reviewer.protocols.declared.row_values import option_text, turns_of, value_of_cell
from reviewer.protocols.formats import SourceRows
from store.records import JsonValue

ValueKind = Literal["text", "number", "list", "dialogue", "other"]
_MOST_COLUMNS = 200
_MOST_VALUES = 60
_DEEPEST = 4
_SAMPLE = 3
_WORDS_WITHOUT_BLANKS = 8
"""Characters of a text that is surely several words in a script that writes no blanks."""


@dataclass
class SurveyedColumn:
    """One column, nested ones by dots. ``values`` counts the short values, as long as there are few."""

    name: str
    kinds: Counter[ValueKind] = field(default_factory=Counter)
    present: int = 0
    characters: int = 0
    longest: int = 0
    lines: int = 0
    """Values with more than one line."""
    blanks: int = 0
    """Values with a blank inside."""
    entries: int = 0
    """The most entries of a list."""
    sentences: int = 0
    """Lists most of whose entries are several words."""
    values: Counter[str] | None = field(default_factory=Counter)
    samples: list[str] = field(default_factory=list)
    _seen: set[int] = field(default_factory=set)

    @property
    def kind(self) -> ValueKind | None:
        """The type of all its values; None if they are of several types, or of none that a field has."""
        kinds = set(self.kinds)
        return next(iter(kinds)) if len(kinds) == 1 and "other" not in kinds else None

    @property
    def mean_length(self) -> float:
        """Characters of a value on average."""
        return self.characters / self.present if self.present else 0.0

    @property
    def distinct(self) -> int:
        """The number of distinct values."""
        return len(self._seen)

    def add(self, value: JsonValue, kind: ValueKind) -> None:
        """Count one value."""
        text = value if isinstance(value, str) else str(value)
        self.present += 1
        self.kinds[kind] += 1
        self.characters += len(text)
        self.longest = max(self.longest, len(text))
        self.lines += "\n" in text.strip()
        self.blanks += " " in text.strip()
        self._seen.add(hash(text))
        if kind == "list":
            self._add_entries(value)
        if len(self.samples) < _SAMPLE:
            self.samples.append(text)
        if self.values is not None:
            self.values[text] += 1
            if len(self.values) > _MOST_VALUES or len(text) > 100:
                self.values = None

    def _add_entries(self, value: JsonValue) -> None:
        listed = value_of_cell(value, "list") if isinstance(value, str) else value
        entries = [str(option_text(entry)) for entry in listed] if isinstance(listed, list) else []
        self.entries = max(self.entries, len(entries))
        self.sentences += 2 * sum(map(_is_several_words, entries)) > len(entries)


def _is_several_words(text: str) -> bool:
    return " " in text.strip() or (not text.isascii() and len(text) >= _WORDS_WITHOUT_BLANKS)


@dataclass(frozen=True, slots=True)
class ColumnSurvey:
    """The columns of a file in their order, the number of its rows, and faults of some of them.

    In a file that is not ``typed``, such as CSV, types are those that the texts may have.
    """

    columns: Mapping[str, SurveyedColumn]
    rows: int
    problems: tuple[InputError, ...]
    typed: bool = True

    def is_everywhere(self, column: SurveyedColumn) -> bool:
        """Whether every row has a value there."""
        return column.present == self.rows

    def is_unique(self, column: SurveyedColumn) -> bool:
        """Whether every row has a value there, and each another one."""
        return self.is_everywhere(column) and column.distinct == self.rows


def survey_columns(rows: SourceRows) -> ColumnSurvey:
    """Go through the file once; raises InputError if it has no rows, or more columns than can be named."""
    columns: dict[str, SurveyedColumn] = {}
    problems: list[InputError] = []
    count = 0
    for row in rows.read():
        if isinstance(row.content, InputError):
            problems.append(row.content)
            continue
        count += 1
        for name, value in _flattened(row.content, "", 0):
            _count(columns, name, value, rows)
    if not count:
        raise (
            problems[0]
            if problems
            else InputError(rows.where, "holds no rows", "check that it is the right file")
        )
    survey = ColumnSurvey(columns, count, tuple(problems), rows.typed)
    return survey if rows.typed else _with_cell_types(survey)


def _count(columns: dict[str, SurveyedColumn], name: str, value: JsonValue, rows: SourceRows) -> None:
    if value is None or value == "":
        value = None
    if name not in columns and len(columns) == _MOST_COLUMNS:
        wrong = f"has more than {_MOST_COLUMNS} columns"
        raise InputError(rows.where, wrong, "write the declaration by hand, or leave columns out of the file")
    column = columns.setdefault(name, SurveyedColumn(name))
    if value is not None:
        column.add(value, _kind_in_cell(value) if not rows.typed else _kind(value))


def _flattened(row: Mapping[str, JsonValue], above: str, depth: int) -> Iterator[tuple[str, JsonValue]]:
    """Columns with their values; those of objects by dots."""
    for name, value in row.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping) and value and depth < _DEEPEST:
            yield from _flattened(value, f"{path}.", depth + 1)
        else:
            yield path, value


def _kind(value: JsonValue) -> ValueKind:
    match value:
        case str():
            return "text"
        case bool():
            return "other"
        case int() | float():
            return "number"
        case list() if value and _is_dialogue(value):
            return "dialogue"
        case list() if all(isinstance(option_text(item), str | int | float) for item in value):
            return "list"
    return "other"


def _is_dialogue(value: JsonValue) -> bool:
    try:
        return bool(turns_of(value))
    except ValueError:
        return False


def _kind_in_cell(cell: str) -> ValueKind:
    try:
        value_of_cell(cell, "number")
    except ValueError:
        pass
    else:
        return "number"
    if not cell.startswith("["):
        return "text"
    for kind in ("list", "dialogue"):
        try:
            value_of_cell(cell, kind)
        except ValueError:
            continue
        return kind
    return "text"


def _with_cell_types(survey: ColumnSurvey) -> ColumnSurvey:
    """In a file without types, a column of several kinds is text."""
    for column in survey.columns.values():
        if len(column.kinds) > 1:
            column.kinds = Counter({"text": column.present})
    return survey


LONG = 40
"""Characters of a text that people surely read."""
LONGEST_NAME = 60
_WORDS = 20
"""Characters of a text that people read if most texts of its column are several words."""
_WIDTH_IN_ANY_SCRIPT = 8
"""The cells that a text fills where the name of its column says nothing here, as in other scripts."""
_OPAQUE = re.compile(r"(?:[0-9a-f]{4,}-?){4,}|(?=\S*\d)[A-Za-z0-9+/_=-]{20,}", re.IGNORECASE)
"""Hashes, UUIDs and other values that nobody reads."""
KEY = re.compile(r"(^|[_.\s])(id|key|uid|uuid|index|idx|number|no|row)$", re.IGNORECASE)
GENERATOR = re.compile(r"(^|[_.])(generator|model|model_name|response_model|llm)$", re.IGNORECASE)
SCORE = re.compile(r"(score|rating|grade|quality|helpful)", re.IGNORECASE)
SHOWN = re.compile(
    r"(question|prompt|instruction|input|context|choices|options|answer|target|reference|gold|solution|"
    r"response|output|completion|code|rationale|explanation|script|dialogue|messages|conversation|statement)",
    re.IGNORECASE,
)
_CONTENT = re.compile(
    r"(^|[_.\s])(questions?|prompt|instructions?|inputs?|text|query|problem|sentence|statement|claim|stem|"
    r"premise|hypothesis|passage|context|task_description|answers?|response|output|completion|solution|code)$",
    re.IGNORECASE,
)
"""Names of columns that hold something to read."""
_LABELS = re.compile(
    r"(^|[_.\s])(labels?|tags?|cats|categories|classes|annotations?|topics?)$", re.IGNORECASE
)
"""Names of lists of labels, which are answers and nothing to read."""


def is_named_as_content(column: SurveyedColumn) -> bool:
    """Whether a column has something to read, by its name."""
    return column.kind == "text" and _CONTENT.search(column.name) is not None and not is_opaque(column)


def is_content(column: SurveyedColumn) -> bool:
    """Whether a column has something to read, by its name or since most of its values are several words."""
    if KEY.search(column.name):
        return False
    return _CONTENT.search(column.name) is not None or 2 * column.blanks > column.present


def is_read(survey: ColumnSurvey, column: SurveyedColumn) -> bool:
    """Whether a column has texts to read, by their length: the name of the column may be in any script."""
    if column.kind != "text" or is_opaque(column):
        return False
    differ = 2 * column.distinct > survey.rows
    is_wide = not column.name.isascii() and _mean_width(column) >= _WIDTH_IN_ANY_SCRIPT
    return column.mean_length > LONG or (differ and (is_wide or _are_several_words(column)))


def _are_several_words(column: SurveyedColumn) -> bool:
    """Whether most values are several words, longer than most names; dates have no letters."""
    have_letters = any(sign.isalpha() for text in column.samples for sign in text)
    return 2 * column.blanks > column.present and column.mean_length > _WORDS and have_letters


def _mean_width(column: SurveyedColumn) -> float:
    """The cells that a value fills on average: letters of some scripts fill two, and say as much."""
    signs = "".join(column.samples)
    wide = sum(east_asian_width(sign) in ("W", "F") for sign in signs)
    return column.mean_length * (1 + wide / len(signs)) if signs else 0.0


def may_be_compared(column: SurveyedColumn) -> bool:
    """Whether a column holds texts, and neither hashes nor a few short values over and over."""
    few = column.present > 2 * column.distinct and column.longest <= LONGEST_NAME and not column.blanks
    return column.kind == "text" and not is_opaque(column) and not few


def has_labels(column: SurveyedColumn) -> bool:
    """Whether a column has lists of labels."""
    return column.kind == "list" and _LABELS.search(column.name) is not None and not column.sentences


def is_opaque(column: SurveyedColumn) -> bool:
    """Whether its values are hashes or the like."""
    return bool(column.samples) and all(map(_OPAQUE.fullmatch, column.samples))
