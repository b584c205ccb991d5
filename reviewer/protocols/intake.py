"""What readers of all formats share: places and cases that come twice, groups, and sentences on faults."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from reviewer.core.errors import InputError
from reviewer.core.sanitize import is_single_line, shown
from reviewer.core.strict_json import fault_in, repetition_in
from reviewer.protocols.base import Protocol
from reviewer.protocols.formats import ReadCase, Reading
from store.records import Case, JsonValue

CORRECT = "correct it"
HAND_WRITTEN = "hand-written"
"""The generator of seeds."""

UNKNOWN_GENERATOR = ""
"""Stands for the generator where neither the person nor the material says who it was; never stored."""
LONGEST_GENERATOR = 80
_LONGEST_GROUP = 200

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


class Intake:
    """Collects what a reader finds, and sees to it that no place and no case comes twice."""

    def __init__(self) -> None:
        self._found: list[ReadCase] = []
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

    def add(self, found: ReadCase, where: str) -> None:
        """Take a case; raises InputError if an earlier one has its key or is the same."""
        key, case = found.key, found.case.digest
        if key in self._keys:
            wrong = f"has the same key ({key}) as {self._keys[key]}"
            raise InputError(where, wrong, "give one of them another number")
        if case in self._cases:
            raise InputError(where, f"is the same case as {self._cases[case]}", "leave one of them out")
        self._keys[key] = self._cases[case] = where
        self._found.append(found)

    def notice(self, text: str) -> None:
        """Tell what was normalised, and where."""
        self._notices.append(text)

    def result(self) -> Reading:
        """Everything that was found."""
        return Reading(tuple(self._found), tuple(self._notices), tuple(self._problems))


def is_generator_name(name: str) -> bool:
    """Whether a generator may be called so: one line of some length."""
    return 0 < len(name) <= LONGEST_GENERATOR and is_single_line(name) and name == name.strip()


def known_group(protocol: Protocol, name: str, where: str) -> str:
    """The protocol's group of this name, whatever its letter case and blanks; raises InputError.

    Where groups are those of the data, any name of one line is one.
    """
    if not protocol.groups:
        return _any_group(name, where)
    groups = {group.name.casefold(): group.name for group in protocol.groups}
    found = groups.get(" ".join(name[:_LONGEST_GROUP].replace("_", " ").split()).casefold())
    if found is None or len(name) > _LONGEST_GROUP:
        known = ", ".join(groups.values())
        raise InputError(where, f"{shown(name)!r} is not a group of {protocol.title}", f"use one of: {known}")
    return found


def _any_group(name: str, where: str) -> str:
    if not (0 < len(name) <= _LONGEST_GROUP and is_single_line(name) and name == name.strip()):
        wrong = f"{shown(name)!r} cannot be the name of a group"
        raise InputError(where, wrong, f"give one line of at most {_LONGEST_GROUP} characters")
    return name


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


def check_kept(fields: Mapping[str, JsonValue], where: str) -> None:
    """Raise InputError for a name or value that cannot be kept as it is."""
    for name, value in fields.items():
        if fault := fault_in(name):
            raise InputError(f"{where}, name of a field", fault, CORRECT)
        if fault := fault_in(value):
            raise InputError(f"{where}, field {shown(name)!r}", fault, CORRECT)


def check_field_names(record: dict[str, JsonValue], where: str) -> None:
    """Raise InputError where an object names a field more than once."""
    if fault := repetition_in(record):
        raise InputError(where, fault, CORRECT)


def invalid(where: str, error: ValidationError, called: Mapping[str, str] | None = None) -> InputError:
    """The sentence for the first thing that a model refuses."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(map(str, first["loc"]))
    return InputError(f"{where}, field {(called or {}).get(field, field)!r}", _wrong(first), CORRECT)


def _wrong(first: ErrorDetails) -> str:
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    return _WRONG.get(first["type"]) or first["msg"].replace("Input should", "should")
