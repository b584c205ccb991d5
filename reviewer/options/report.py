"""Options of ``reviewer report``."""

from typing import ClassVar

from reviewer.options.option import FilePath, argument, command_options, flag, option
from reviewer.options.result_options import (
    ByDimensions,
    Coefficients,
    Digits,
    IntervalChoice,
    LabelRule,
    Level,
    OutcomeChoice,
    Pooled,
    Weighted,
)
from reviewer.options.shared import InStore, SentenceModel


@command_options
class ReportOptions(
    Pooled,
    ByDimensions,
    OutcomeChoice,
    LabelRule,
    Coefficients,
    Weighted,
    IntervalChoice,
    Level,
    SentenceModel,
    Digits,
    InStore,
):
    """Write the report of a study or an evaluation run as HTML, Markdown and LaTeX, with its figures.

    The report of a study says how raters answered (in the app, in plain mode, by spreadsheet …) and what
    they saw, as far as that was recorded. Run `reviewer study describe` first to add recruitment,
    independence and consent; otherwise the report lists them as missing. The list of disagreements is an
    appendix.

    `reviewer report --evaluation RUN` says what conditions did to the decisions of models, and over which
    cases this holds: all, audit-clean ones, strictly clean ones, and those of --passed and --picked. Its
    tables stand in a folder of their own as CSV, JSON, Markdown and LaTeX.
    """

    example: ClassVar[str] = "reviewer report pilot -o exports/pilot"
    name: str | None = argument("[STUDY]")
    evaluation: str | None = option("Report on this evaluation run instead of a study.", metavar="RUN")
    folder: FilePath | None = option(
        "Folder to write to. Default: exports/STUDY or exports/RUN.", "-o", "--output"
    )
    no_figures: bool = flag("Leave out the figures. matplotlib is then not needed.")
    anonymous: bool = flag("Name raters by letters and leave out their comments.")
    comments: bool = flag("With --anonymous: print the comments anyway.")
