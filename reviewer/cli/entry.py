"""Where the program begins, and how wide its help texts are."""

import gc
import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from reviewer.protocols.registry import Protocols

WIDEST_HELP: Final = 100
_NARROWEST_HELP, _USUAL_COLUMNS = 50, 80
USUAL_GARBAGE: Final = gc.get_threshold()[0]
_GARBAGE_OF_COMMANDS: Final = (50_000, 20, 20)
"""New objects before Python looks for cycles among them, and how often it then looks among older ones.

At its usual 700, a report takes a tenth longer. At its usual pace it looks through everything that is alive
after each 70,000 new objects: a tenth of a second on some key, and half of the time of reading a large study.
"""


def main(protocols: "Protocols | None" = None) -> None:
    """Run the program with the arguments of its process, and end the process."""
    gc.set_threshold(*_GARBAGE_OF_COMMANDS)
    from reviewer.cli.main import main as run_command_line

    run_command_line(protocols)


def help_width() -> int:
    """The width of help texts, as click computes it with shutil, which loads much that no help needs."""
    try:
        columns = max(0, int(os.environ.get("COLUMNS", 0))) or os.get_terminal_size(1).columns
    except (ValueError, OSError):
        columns = 0
    return max(min(columns or _USUAL_COLUMNS, WIDEST_HELP) - 2, _NARROWEST_HELP)
