"""Where the program begins: what is ready to print needs nothing else; the rest loads the command line.

``--version`` and ``--help`` are asked for often and by scripts, and loading click takes three quarters of
their time. The help of terminals of 80 columns, and of 100 and more, stands ready in ``ready_help``.
"""

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reviewer import __version__
from reviewer.cli.streams import exit_with

if TYPE_CHECKING:
    from reviewer.protocols.registry import Protocols

WIDEST_HELP: Final = 100
_NARROWEST_HELP, _USUAL_COLUMNS = 50, 80
USUAL_GARBAGE: Final = gc.get_threshold()[0]
_GARBAGE_OF_COMMANDS: Final = 50_000
"""New objects before Python looks for cycles among them. At its usual 700, a report takes a tenth longer."""
READY_HELP = Path(__file__).parent / "ready_help"


def main(protocols: "Protocols | None" = None) -> None:
    """Run the program with the arguments of its process, and end the process."""
    text = _ready_text(sys.argv[1:])
    if text is None:
        gc.set_threshold(_GARBAGE_OF_COMMANDS)
        from reviewer.cli.main import main as run_command_line

        run_command_line(protocols)
    else:
        exit_with(lambda: _printed(text))


def help_width() -> int:
    """The width of help texts, as click computes it with shutil, which loads much that no help needs."""
    try:
        columns = max(0, int(os.environ.get("COLUMNS", 0))) or os.get_terminal_size(1).columns
    except (ValueError, OSError):
        columns = 0
    return max(min(columns or _USUAL_COLUMNS, WIDEST_HELP) - 2, _NARROWEST_HELP)


def _ready_text(arguments: list[str]) -> str | None:
    if arguments == ["--version"]:
        return f"reviewer, version {__version__}\n"
    if arguments in (["--help"], ["-h"]):
        page = READY_HELP / f"{help_width()}.txt"
        return page.read_text("utf-8") if page.exists() else None
    return None


def _printed(text: str) -> int:
    sys.stdout.write(text)
    return 0
