"""``reviewer protocol check``: whether a file declares a protocol, and everything that is wrong with it."""

from pathlib import Path

from reviewer.cli.options import note, print_table, protocols_here
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, visible
from reviewer.core.table import Table
from reviewer.exchange.rows.declaration_file import declared_in, undefined_notice
from reviewer.options.protocol import ProtocolCheckOptions
from reviewer.protocols.declared.declared_protocol import DeclaredProtocol
from reviewer.protocols.declared.reading import DeclarationError

_COLUMNS = ("place", "wrong", "remedy")


def protocol_check_command(options: ProtocolCheckOptions) -> None:
    """Carry out ``reviewer protocol check``."""
    try:
        protocol, _ = declared_in(options.file, protocols_here())
    except DeclarationError as error:
        rows = [(fault.where, fault.wrong, fault.remedy) for fault in error.faults]
        print_table(Table.of(_COLUMNS, rows), options.form)
        many = f"has {counted(len(rows), 'fault')}, listed above; correct them and check it again"
        raise RequestError(f"{options.file.name!r} {many}.") from None
    if options.form != "table":
        print_table(Table.of(_COLUMNS, []), options.form)
    note(visible(_says(options.file, protocol)))
    declared = protocol.declaration
    if notice := undefined_notice(declared, declared.groups, ()):
        note(visible(f"Note: {notice}."))


def _says(file: Path, protocol: DeclaredProtocol) -> str:
    declared = protocol.declaration
    sizes = {
        "field": len(declared.fields),
        "group": len(declared.groups),
        "pane": len(declared.pane),
        "question": len(declared.question),
        "check": len(declared.check),
    }
    parts = ", ".join(counted(number, noun) for noun, number in sizes.items() if number)
    groups = "" if declared.groups else " Its groups come from the data."
    return (
        f"{file.name} declares protocol {protocol.name}, version {protocol.version}, without a fault: "
        f"{parts}.{groups}"
    )
