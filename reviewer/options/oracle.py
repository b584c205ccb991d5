"""Options of ``reviewer oracle``."""

from typing import ClassVar

from reviewer.options.option import command_options
from reviewer.options.shared import Tabled


@command_options
class OracleDoctorOptions(Tabled):
    """Show the installed SWI-Prolog, whether its step counts can be compared with published ones, and how
    programs are confined."""

    example: ClassVar[str] = "reviewer oracle doctor"
