"""Options of ``reviewer export``."""

from typing import ClassVar, Literal

from reviewer.options.option import FilePath, argument, command_options, flag, option, several
from reviewer.options.result_options import (
    ByDimensions,
    LabelRule,
)
from reviewer.options.shared import (
    InStore,
)


@command_options
class ExportOptions(ByDimensions, LabelRule, InStore):
    """Write the raw labels, all tables, a codebook and the whole study, as CSV, JSON Lines and JSON.

    With --as validation-csv, write empty sheets for raters instead, in the layout of the benchmark's authors:
    a folder and a ZIP for each rater.
    """

    example: ClassVar[str] = "reviewer export pilot -o exports/pilot"
    name: str = argument("STUDY")
    folder: FilePath | None = option("Folder to write to. Default: exports/STUDY.", "-o", "--output")
    kind: Literal["study", "validation-csv"] = option(
        "study: labels and tables; validation-csv: sheets that raters fill in with a spreadsheet program.",
        "--as",
        default="study",
        show_default=True,
    )
    raters: tuple[str, ...] = several(
        "With validation-csv: write sheets for this rater only; may be repeated.", "--rater"
    )
    with_explanations: bool = flag("With validation-csv: include the generating model's own explanations.")
