"""``reviewer oracle doctor``: which SWI-Prolog runs programs here, and what protects this machine."""

import click

from reviewer.cli.options import format_option, print_table
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import visible
from reviewer.core.table import Table
from reviewer.options.shared import Format
from reviewer.oracle.doctor import Checkup, check_up


@click.command("doctor", epilog="Example: reviewer oracle doctor")
@format_option
def oracle_doctor_command(form: Format) -> None:
    """Show the installed SWI-Prolog, whether its step counts can be compared with published ones, and how
    programs are confined."""
    checkup = check_up()
    print_table(_state(checkup), form)
    if checkup.problem:
        raise RequestError(visible(checkup.problem))


def _state(checkup: Checkup) -> Table:
    counts = "as SWI-Prolog 9.2 counts" if checkup.comparable else "not comparable with published ones"
    if checkup.differing:
        counts += f" ({', '.join(checkup.differing)})"
    rows = [
        ("SWI-Prolog", not checkup.problem, checkup.version or checkup.remedy or checkup.problem),
        ("comparable counts", checkup.comparable, counts),
        *((wall.name, wall.on, wall.detail) for wall in checkup.protections),
    ]
    return Table.of(
        ("what", "on", "detail"), [(name, "on" if on else "off", said) for name, on, said in rows]
    )
