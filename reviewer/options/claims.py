"""Options of ``reviewer claims``."""

from reviewer.options.option import CommandGroup, FilePath, argument
from reviewer.options.shared import InStore, Tabled


class ClaimsCommands(CommandGroup):
    """Check the numbers of a paper against the store."""

    example = "reviewer claims check exports/pilot/claims.toml"


class ClaimsCheckOptions(Tabled, InStore):
    """Compute the numbers of a file again, and compare each as it is printed.

    The file is TOML with one [[claim]] a number: where it stands in the paper, the number as printed, the
    command of this program whose table gives it, its row and its column. Only commands that show results are
    carried out. A report writes such a file of its own numbers. A number that differs, or a
    printed share that no whole number gives, ends the command with exit code 2.
    """

    example = "reviewer claims check claims.toml --format csv"
    file: FilePath = argument("FILE")
