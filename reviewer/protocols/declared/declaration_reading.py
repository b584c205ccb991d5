"""From the text of a TOML file to a declaration, or to all its faults, each with table, key and remedy.

Nothing of a declaration is run or opened: it is data, validated like every file from outside.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from reviewer.core.errors import InputError
from reviewer.core.names import closest
from reviewer.core.sanitize import shown
from reviewer.core.source_text import toml_content
from reviewer.core.strict_json import fault_in
from reviewer.protocols.declared.declaration import Declaration
from reviewer.protocols.declared.declaration_checks import misfits
from reviewer.protocols.declared.declaration_faults import Misfit
from reviewer.protocols.intake import WRONG_TYPES

MOST_BYTES = 256 * 1024
"""The size of the largest declaration that is read, as a file and from a store."""
NAMED_TABLES = ("fields", "groups", "published", "pane", "question", "check")
"""The tables whose keys people choose."""

_COMPLETE = "complete or correct that line"
_TWICE = re.compile(r"Cannot declare (\(.*?\)) twice")
_SHAPES = {
    "name": "use up to 40 lower-case letters, digits, - and _, and begin with a letter or digit",
    "group_noun": "use one word in lower case",
}
_NAME_SHAPE = "use up to 60 letters, digits and _, and begin with a letter"
_REMEDIES = {"protocol.version": "write a whole number from 1"}
_STAND_IN: dict[str, Any] = {"name": "name", "version": 1, "title": "title"}


class DeclarationError(InputError):
    """A declaration with faults. As a sentence it is the first of them, with the number of the others."""

    def __init__(self, faults: Sequence[InputError]) -> None:
        first, more = faults[0], len(faults) - 1
        count = f" (and {more:,} more {'fault' if more == 1 else 'faults'})" if more else ""
        super().__init__(first.where, first.wrong + count, first.remedy)
        self.faults = tuple(faults)


def read_declaration(text: str, where: str, *, try_patterns: bool = True) -> Declaration:
    """The declaration in a TOML text; raises DeclarationError with all faults. ``where`` names the file.

    Patterns need not be tried again in a declaration that a store keeps: a search is limited in time.
    """
    content = _content(text, where)
    try:
        declaration = Declaration.model_validate(content)
    except ValidationError as error:
        faults = [*_model_faults(error), *_misfits_of_the_rest(content, error)]
    else:
        faults = list(misfits(declaration, _names(content), try_patterns=try_patterns))
    if faults:
        raise DeclarationError([_placed(fault, where) for fault in faults])
    return declaration


def _content(text: str, where: str) -> dict[str, Any]:
    if (size := len(text.encode(errors="replace"))) > MOST_BYTES:
        wrong = f"has {size:,} bytes; a declaration has at most {MOST_BYTES:,}"
        raise DeclarationError([InputError(where, wrong, "check that it is the right file")])
    try:
        content = toml_content(text, where)
    except InputError as error:
        raise DeclarationError([_broken(text, error)]) from None
    if not content:
        remedy = "write one, or let `reviewer protocol new` write a first one for a file of rows"
        raise DeclarationError([InputError(where, "holds no declaration", remedy)])
    if fault := fault_in(content):
        raise DeclarationError([InputError(where, fault, "correct it")])
    return content


def _broken(text: str, error: InputError) -> InputError:
    """The error of the TOML parser; where the text breaks off, with the number of its last line."""
    last = len(text.rstrip().splitlines())
    wrong = error.wrong.replace("at end of document", f"the file breaks off at line {last}")
    if twice := _TWICE.search(wrong):
        table = ".".join(re.findall(r"'([^']*)'", twice[1]))
        wrong = wrong.replace(twice[0], f"[{table}] is declared twice")
        return InputError(error.where, wrong, "rename one of the two, or join them")
    return InputError(error.where, wrong, _COMPLETE)


def _placed(fault: Misfit, where: str) -> InputError:
    table = f"[{fault.table}]" if fault.table else "tables"
    return InputError(f"{where}, {table} {fault.key}".rstrip(), fault.wrong, fault.remedy)


# -- what the models say ---------------------------------------------------------------------------


def _model_faults(error: ValidationError) -> Iterator[Misfit]:
    for details in error.errors(include_url=False):
        yield _model_fault(details)


def _model_fault(details: ErrorDetails) -> Misfit:
    parts = [str(part) for part in details["loc"] if part != "[key]"]
    table, key = _table_and_key(parts)
    if "[key]" in details["loc"]:
        return Misfit(table, key, f"{shown(parts[1])!r} cannot be a name here", _NAME_SHAPE)
    match details["type"]:
        case "extra_forbidden":
            return _unknown_key(parts)
        case "missing" if len(parts) == 1:
            return Misfit(parts[0], "", "is missing", f"add the table {_example(parts[0])}")
        case "missing":
            return Misfit(table, key, "is missing", f"add {parts[-1]} to [{table}]")
        case "literal_error":
            allowed = re.findall(r"'([^']*)'", details["ctx"]["expected"])
            wrong = f"{shown(str(details['input']))!r} is not possible here"
            return Misfit(table, key, wrong, closest(str(details["input"]), allowed, "use one of"))
        case "value_error" if parts[-1] in _SHAPES:
            return Misfit(
                table, key, f"{shown(str(details['input']))!r} is not valid here", _SHAPES[parts[-1]]
            )
        case "string_pattern_mismatch":
            wrong = f"{shown(str(details['input']))!r} is not valid here"
            return Misfit(table, key, wrong, _SHAPES.get(parts[-1], _NAME_SHAPE))
    return Misfit(table, key, _kind_of_fault(details), _REMEDIES.get(".".join(parts), "correct it"))


def _kind_of_fault(details: ErrorDetails) -> str:
    if details["type"] == "too_short" and not details["input"]:
        return "is empty"
    return WRONG_TYPES.get(details["type"]) or details["msg"].replace("Input should", "should")


def _table_and_key(parts: Sequence[str]) -> tuple[str, str]:
    """``pane, texts, kind`` as the table ``pane.texts`` with the key ``kind``; ``fields, a`` as fields.a."""
    depth = 2 if parts[0] in NAMED_TABLES and parts[0] not in ("fields", "groups") else 1
    return ".".join(parts[:depth]), ".".join(part for part in parts[depth:] if not part.isdigit())


def _unknown_key(parts: Sequence[str]) -> Misfit:
    *above, name = parts
    model = _model_at(above)
    known = list(model.model_fields) if model else []
    table, _ = _table_and_key(parts)
    what = "table" if not above else "key"
    wrong = f"{shown(name)!r} is not a {what} of {'a declaration' if not above else 'this table'}"
    where, key = ("", "") if not above else (table, ".".join(parts[len(table.split(".")) :]))
    return Misfit(where, key, wrong, closest(name, known, "use one of"))


def _model_at(parts: Sequence[str]) -> type[BaseModel] | None:
    """The model of the table at this place."""
    if not parts:
        return Declaration
    annotation = Declaration.model_fields[parts[0]].annotation
    models = [annotation, *_arguments(annotation)]
    return next((each for each in models if isinstance(each, type) and issubclass(each, BaseModel)), None)


def _arguments(annotation: Any) -> Iterator[Any]:
    for argument in get_args(annotation):
        yield argument
        yield from _arguments(argument)


def _example(table: str) -> str:
    return f"[{table}.NAME]" if table in ("pane", "question") else f"[{table}]"


# -- tables beside one with a fault ----------------------------------------------------------------


def _misfits_of_the_rest(content: Mapping[str, Any], error: ValidationError) -> Iterable[Misfit]:
    """What does not fit among the tables that are valid, so that all faults are found at once."""
    faulty = {tuple(details["loc"][:2]) for details in error.errors(include_url=False)}
    rest: dict[str, Any] = {}
    for section, tables in content.items():
        if section not in Declaration.model_fields or (section,) in faulty:
            continue
        if section in NAMED_TABLES:
            rest[section] = {name: table for name, table in tables.items() if (section, name) not in faulty}
        elif not any(place[0] == section for place in faulty):
            rest[section] = tables
    rest.setdefault("protocol", _STAND_IN)
    try:
        return misfits(Declaration.model_validate(rest), _names(content), whole=False)
    except ValidationError:  # too little is left to be compared
        return ()


def _names(content: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """The names in each table, those of faulty ones too: what refers to them is not a second fault."""
    return {
        section: tuple(map(str, tables)) if isinstance(tables := content.get(section), dict) else ()
        for section in NAMED_TABLES
    }
