"""``reviewer protocol check``: whether a file declares a protocol, and everything that is wrong with it."""

from pathlib import Path

import click

from reviewer.cli.options import format_option, note, print_table, protocols_here
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, visible
from reviewer.core.table import Table
from reviewer.exchange.rows.declaration_file import declared_in, undefined_notice
from reviewer.options.shared import Format
from reviewer.protocols.declared.declared_protocol import DeclaredProtocol
from reviewer.protocols.declared.reading import DeclarationError

_COLUMNS = ("place", "wrong", "remedy")


@click.command("check", epilog="Example: reviewer protocol check pairs.toml")
@click.argument("file", metavar="FILE.toml", type=click.Path(path_type=Path))
@format_option
def protocol_check_command(file: Path, form: Format) -> None:
    """Check the declaration of a protocol, and list every fault with its table and key.

    Nothing is written, and no store is needed. To use a declaration, import a data file with it:
    `reviewer import DATA --protocol FILE.toml --dataset NAME`.
    """
    try:
        protocol, _ = declared_in(file, protocols_here())
    except DeclarationError as error:
        rows = [(fault.where, fault.wrong, fault.remedy) for fault in error.faults]
        print_table(Table.of(_COLUMNS, rows), form)
        many = f"has {counted(len(rows), 'fault')}, listed above; correct them and check it again"
        raise RequestError(f"{file.name!r} {many}.") from None
    if form != "table":
        print_table(Table.of(_COLUMNS, []), form)
    note(visible(_says(file, protocol)))
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
