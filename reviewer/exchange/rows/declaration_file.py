"""Declarations of protocols and definitions of groups, read from the files that a person names."""

from collections.abc import Collection, Iterable
from pathlib import Path

from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import closest
from reviewer.core.sanitize import is_blank, shown, text_fault
from reviewer.core.source_text import read_source_text, read_toml
from reviewer.exchange.rows.source_file import shown_path
from reviewer.protocols.base import Protocol
from reviewer.protocols.declared.declaration import Declaration
from reviewer.protocols.declared.declaration_faults import placeholders
from reviewer.protocols.declared.declaration_reading import MOST_BYTES
from reviewer.protocols.declared.declared_protocol import DeclaredProtocol, protocol_of_text
from reviewer.protocols.registry import Protocols
from store.clock import instant, now_ms
from store.records import KeptDeclaration, digest_of

_MOST_NAMED = 10
_ANOTHER = "give the TOML file of a declaration"


def declared_in(path: Path, protocols: Protocols) -> tuple[DeclaredProtocol, KeptDeclaration]:
    """The protocol of a declaration's file, and its form in a store; raises InputError with all faults.

    Raises RequestError if it takes the name of another protocol.
    """
    text = read_source_text(path, shown_path(path), MOST_BYTES, _ANOTHER)
    return declared_by(text, shown(path.name), shown_path(path), protocols)


def declared_by(
    text: str, name: str, where: str, protocols: Protocols
) -> tuple[DeclaredProtocol, KeptDeclaration]:
    """The protocol of a declaration's text, as ``declared_in`` has it. Faults say ``name`` or ``where``."""
    protocol = protocol_of_text(text, name)
    if protocols.is_taken(protocol.name):
        raise RequestError(
            f"{where} declares a protocol {protocol.name!r}, and there is another protocol of that "
            "name; give it another name in [protocol]."
        )
    return protocol, KeptDeclaration(
        name=protocol.name,
        version=protocol.version,
        digest=digest_of(text),
        text=text,
        kept_at=instant(now_ms()),
    )


def read_definitions(path: Path, protocol: Protocol, groups: set[str]) -> dict[str, str]:
    """Definitions of a dataset's ``groups`` from a TOML file; raises InputError, naming the group."""
    where = f"file {shown_path(path)}"
    definitions = read_toml(path, where, "give another with --groups")
    if not definitions:
        remedy = 'write lines such as "name of the group" = "its definition"'
        raise InputError(where, "holds no definition", remedy)
    defined = {group.name for group in protocol.groups if group.definition}
    for name, text in definitions.items():
        at = f"{where}, group {shown(name)!r}"
        if name not in groups:
            raise InputError(at, "is not a group of this dataset", closest(name, groups, "use one of"))
        if name in defined:
            raise InputError(at, f"is defined by {protocol.title} itself", "leave it out")
        if not isinstance(text, str) or is_blank(text):
            raise InputError(at, "has no text as its definition", "write the definition as one text")
        if fault := text_fault(text):
            raise InputError(at, *fault)
    return definitions


def undefined_notice(
    declaration: Declaration, groups: Collection[str], defined: Iterable[str], *, with_file: bool = False
) -> str | None:
    """A notice if a question shows the definition of the group, and some of these groups have none.

    No groups: they are not known before the import. ``with_file``: a file with definitions was given.
    """
    known = {*defined, *(name for name, text in declaration.groups.items() if not is_blank(text))}
    lacking = sorted({*groups} - known)
    asks = [
        name
        for name, table in declaration.question.items()
        if "definition" in (*placeholders(table.prompt), *table.shows, *table.beside)
    ]
    if not asks or (groups and not lacking):
        return None
    named = ", ".join(shown(name) for name in lacking[:_MOST_NAMED])
    more = f" and {len(lacking) - _MOST_NAMED:,} more" if len(lacking) > _MOST_NAMED else ""
    which = f"these groups have none: {named}{more}" if groups else "[groups] defines none"
    remedy = "add them to the file of --groups" if with_file else "import with --groups FILE.toml"
    return f"question {asks[0]!r} shows the definition of the group, and {which}; {remedy}"
