"""What readers of all formats share: duplicate places and cases, groups, and error sentences."""

import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from reviewer.core.errors import InputError
from reviewer.core.sanitize import is_single_line, shown, strange_character
from reviewer.core.strict_json import fault_in, kind_of, repetition_in
from reviewer.protocols.base import Protocol
from reviewer.protocols.formats import ReadCase, Reading, SourceRow
from store.records import Case, JsonValue, Origin

CORRECT = "correct it"
HAND_WRITTEN = "hand-written"
"""The generator of cases that people wrote."""
UNSTATED_GENERATOR = "not stated"
"""The generator of cases of which nobody says who wrote them."""

ORIGINS: Mapping[Origin, str] = {
    "generated": "generated",
    "seed": "written by people",
    "imported": "of unknown origin",
}
"""Who wrote cases, in words."""
UNKNOWN_GENERATOR = ""
"""The generator if neither the person nor the file names one; never stored."""
LONGEST_GENERATOR = 80
_LONGEST_GROUP = 200

WRONG_TYPES = {
    "string_type": "is not a text",
    "int_type": "is not a whole number",
    "float_type": "is not a number",
    "bool_type": "is neither true nor false",
    "tuple_type": "is not a list",
    "finite_number": "is not a finite number",
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "is not a table"),
}
"""What pydantic found, in our words."""
_WRONG = WRONG_TYPES | {
    "missing": "is missing",
    "string_unicode": "holds a lone surrogate",
    "less_than_equal": "is too large",
}


class SeenCases:
    """The keys and contents of the cases so far, each with the place where it was read."""

    def __init__(self, if_equal: str = "leave one of them out") -> None:
        self._if_equal = if_equal
        self._keys: dict[str, tuple[str, str]] = {}
        self._cases: dict[str, str] = {}

    def add(self, read: ReadCase, where: str) -> None:
        """Remember a case; raises InputError if an earlier one has the same content or key.

        Keys that differ only in Unicode normalisation are the same for every person who reads them.
        """
        key, case = unicodedata.normalize("NFC", read.key), read.case.digest
        if key in self._keys:
            before, there = self._keys[key]
            wrong = f"has the same key ({shown(key)}) as {there}"
            wrong += "" if before == read.key else ", but with other code points for the same letters"
            raise InputError(where, wrong, "give one of them another key")
        if case in self._cases:
            raise InputError(where, f"is the same case as {self._cases[case]}", self._if_equal)
        self._keys[key], self._cases[case] = (read.key, where), where


class Intake:
    """Collects the cases that a reader finds and refuses duplicate places and cases."""

    def __init__(self) -> None:
        self._found: list[ReadCase] = []
        self._notices: list[str] = []
        self._problems: list[InputError] = []
        self._seen = SeenCases()

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Record an InputError of the block as a problem, so that reading continues with the next record."""
        try:
            yield
        except InputError as problem:
            self._problems.append(problem)

    def add(self, read: ReadCase, where: str) -> None:
        """Add a case; raises InputError if an earlier one has the same key or the same content."""
        self._seen.add(read, where)
        self._found.append(read)

    def notice(self, text: str) -> None:
        """Add a notice that names a normalisation and its place."""
        self._notices.append(text)

    def result(self) -> Reading:
        """All cases, notices and problems."""
        return Reading(tuple(self._found), tuple(self._notices), tuple(self._problems))


def origin_of(generator: str) -> Origin:
    """Who wrote the cases of a generator. A name that is not one of ours is a model's."""
    origins: dict[str, Origin] = {HAND_WRITTEN: "seed", UNSTATED_GENERATOR: "imported"}
    return origins.get(generator, "generated")


def is_generator_name(name: str) -> bool:
    """Whether the name is valid for a generator: one line of limited length without blanks at its ends."""
    return 0 < len(name) <= LONGEST_GENERATOR and is_single_line(name) and name == name.strip()


def known_group(protocol: Protocol, name: str, where: str) -> str:
    """The protocol's group of this name, ignoring letter case and blanks; raises InputError.

    If groups come from the data, any name of one line is a group.
    """
    if not protocol.groups:
        if 0 < len(name) <= _LONGEST_GROUP and is_single_line(name) and name == name.strip():
            return name
        wrong = f"{shown(name)!r} cannot be the name of a group"
        raise InputError(where, wrong, f"give one line of at most {_LONGEST_GROUP} characters")
    groups = {group.name.casefold(): group.name for group in protocol.groups}
    found = groups.get(" ".join(name[:_LONGEST_GROUP].replace("_", " ").split()).casefold())
    if found is None or len(name) > _LONGEST_GROUP:
        known = ", ".join(groups.values())
        raise InputError(where, f"{shown(name)!r} is not a group of {protocol.title}", f"use one of: {known}")
    return found


def valid_case(
    protocol: Protocol,
    group: str,
    payload: Mapping[str, object],
    where: str,
    called: Mapping[str, str] | None = None,
    what: Literal["field", "column"] = "field",
) -> Case:
    """The case of a payload; raises InputError. Messages call the fields of ``called`` by these names."""
    try:
        return protocol.case(group, payload)
    except ValidationError as error:
        raise invalid(where, error, called, what) from None


def check_kept(
    fields: Mapping[str, JsonValue], where: str, what: Literal["field", "column"] = "field"
) -> None:
    """Raise InputError for a name or value that cannot be stored."""
    for name, value in fields.items():
        if fault := fault_in(name):
            raise InputError(f"{where}, name of a {what}", fault, CORRECT)
        if fault := fault_in(value):
            raise InputError(f"{where}, {what} {shown(name)!r}", fault, CORRECT)


def checked_columns(row: SourceRow) -> dict[str, JsonValue]:
    """The columns of a row; raises InputError if they cannot be read or stored."""
    cells = row.cells
    columns = cells if isinstance(cells, dict) else dict(cells)
    check_field_names(columns, row.where)
    check_kept(columns, row.where, "column")
    return columns


def text_of_cell(value: JsonValue, where: str) -> str:
    """A cell that has to be a text; raises InputError."""
    if not isinstance(value, str):
        raise InputError(where, f"is {kind_of(value)}, not a text", CORRECT)
    if strange := strange_character(value):
        raise InputError(where, f"holds {strange}", CORRECT)
    return value


def check_field_names(record: dict[str, JsonValue], where: str) -> None:
    """Raise InputError if an object names a field more than once."""
    if fault := repetition_in(record):
        raise InputError(where, fault, CORRECT)


def invalid(
    where: str,
    error: ValidationError,
    called: Mapping[str, str] | None = None,
    what: Literal["field", "column"] = "field",
) -> InputError:
    """The error for the first field that a pydantic model refuses, or for the record as a whole.

    What is wrong with a record as a whole may end with a remedy, behind a semicolon.
    """
    first = error.errors(include_url=False, include_input=False)[0]
    if not first["loc"]:
        wrong, _, remedy = _wrong(first).partition("; ")
        return InputError(where, wrong, remedy or CORRECT)
    field = ".".join(map(str, first["loc"]))
    named = f"{what} {called[field]!r}" if called and field in called else f"field {field!r}"
    return InputError(f"{where}, {named}", _wrong(first), CORRECT)


_LIMITS = {
    "too_long": "holds {actual_length:,} entries, and at most {max_length:,} are possible",
    "too_short": "holds {actual_length:,} of at least {min_length:,} entries that are needed",
}
"""Faults of lists, each with its limit in words."""


def _wrong(first: ErrorDetails) -> str:
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    if first["type"] == "greater_than_equal":
        return f"is below {first['ctx']['ge']}"
    if first["type"] in _LIMITS:
        return _LIMITS[first["type"]].format(**first["ctx"])
    return _WRONG.get(first["type"]) or first["msg"].replace("Input should", "should")
