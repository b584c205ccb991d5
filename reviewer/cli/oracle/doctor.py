"""``reviewer oracle doctor``: which SWI-Prolog runs programs here, and what protects this machine."""

from reviewer.cli.options import print_table
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import visible
from reviewer.core.table import Table
from reviewer.options.oracle import OracleDoctorOptions
from reviewer.oracle.doctor import Checkup, check_up


def oracle_doctor_command(options: OracleDoctorOptions) -> None:
    """Carry out ``reviewer oracle doctor``."""
    checkup = check_up()
    print_table(_state(checkup), options.form)
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
