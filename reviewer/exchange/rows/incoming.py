"""What a reader makes of foreign material, before any of it is written."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from reviewer.core.errors import InputError
from reviewer.core.sanitize import is_single_line
from reviewer.exchange.rows.source_file import shown
from reviewer.protocols.base import Protocol
from store.cases import Entry
from store.records import Case

CORRECT = "correct it"
HAND_WRITTEN = "hand-written"
"""The generator of seeds."""

UNKNOWN_GENERATOR = ""
"""Stands for the generator where neither the person nor the material says who it was; never stored."""
LONGEST_GENERATOR = 80

_WRONG = {
    "missing": "is missing",
    "string_type": "is not a text",
    "string_unicode": "holds a lone surrogate",
    "int_type": "is not a whole number",
    "float_type": "is not a number",
    "bool_type": "is neither true nor false",
    "finite_number": "is not a finite number",
    "greater_than_equal": "is below 0",
    "less_than_equal": "is too large",
}


@dataclass(frozen=True, slots=True)
class Incoming:
    """Valid entries, notices of what was normalised, and an error for everything that is not valid."""

    entries: tuple[Entry, ...]
    notices: tuple[str, ...]
    problems: tuple[InputError, ...]


class Intake:
    """Collects what a reader finds, and sees to it that no place and no case comes twice."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._notices: list[str] = []
        self._problems: list[InputError] = []
        self._keys: dict[str, str] = {}
        self._cases: dict[str, str] = {}

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Keep what is wrong with one thing as a problem, and carry on with the next."""
        try:
            yield
        except InputError as problem:
            self._problems.append(problem)

    def add(self, entry: Entry, where: str) -> None:
        """Take an entry; raises InputError if an earlier one has its key or is the same case."""
        key, case = entry.place.key, entry.case.digest
        if key in self._keys:
            wrong = f"has the same key ({key}) as {self._keys[key]}"
            raise InputError(where, wrong, "give one of them another number")
        if case in self._cases:
            raise InputError(where, f"is the same case as {self._cases[case]}", "leave one of them out")
        self._keys[key] = self._cases[case] = where
        self._entries.append(entry)

    def notice(self, text: str) -> None:
        """Tell what was normalised, and where."""
        self._notices.append(text)

    def result(self) -> Incoming:
        """Everything that was found."""
        return Incoming(tuple(self._entries), tuple(self._notices), tuple(self._problems))


def is_generator_name(name: str) -> bool:
    """Whether a generator may be called so: one line of some length."""
    return 0 < len(name) <= LONGEST_GENERATOR and is_single_line(name) and name == name.strip()


def known_group(protocol: Protocol, name: str, where: str) -> str:
    """The protocol's group of this name, whatever its letter case and blanks; raises InputError."""
    groups = {group.name.casefold(): group.name for group in protocol.groups}
    found = groups.get(" ".join(name[:200].replace("_", " ").split()).casefold())
    if found is None or len(name) > 200:
        known = ", ".join(groups.values())
        raise InputError(where, f"{shown(name)!r} is not a group of {protocol.title}", f"use one of: {known}")
    return found


def valid_case(
    protocol: Protocol,
    group: str,
    payload: Mapping[str, object],
    where: str,
    called: Mapping[str, str] | None = None,
) -> Case:
    """The case of a payload; raises InputError, naming fields as they are ``called``."""
    try:
        return protocol.case(group, payload)
    except ValidationError as error:
        raise invalid(where, error, called) from None


def invalid(where: str, error: ValidationError, called: Mapping[str, str] | None = None) -> InputError:
    """The sentence for the first thing that a model refuses."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(map(str, first["loc"]))
    return InputError(f"{where}, field {(called or {}).get(field, field)!r}", _wrong(first), CORRECT)


def _wrong(first: ErrorDetails) -> str:
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    return _WRONG.get(first["type"]) or first["msg"].replace("Input should", "should")
