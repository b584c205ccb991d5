"""Options of the commands that turn labels into results: ``labels``, ``agreement``, ``report`` …"""

from typing import TYPE_CHECKING, Literal

from reviewer.options.option import FilePath, argument, flag, one_of, option, several
from reviewer.options.result_options import (
    ByDimensions,
    Coefficients,
    Digits,
    IntervalChoice,
    LabelRule,
    Level,
    OutcomeChoice,
    Pooled,
    ResultFormatted,
    Weighted,
)
from reviewer.options.shared import InStore, LabelColumns, RowEncoding, Tabled, listed

if TYPE_CHECKING:
    from reviewer.results.labels.agreement_results import Method


class LabelsOptions(LabelRule, Tabled, InStore):
    """Show the final label of each case and question: the adjudicated one, else the majority's, else none.

    A case passes a question with its final label, if that is a passing label and, where a published label is
    checked, also the published one. A case without a final label is undecided: the share that --counts shows
    leaves it out. The pass rates by majority of `reviewer agreement` count it as not passed.
    """

    example = "reviewer labels pilot --format csv > final.csv"
    name: str = argument("STUDY")
    rater: str | None = option("Show this rater's labels beside the final ones.")
    differences: bool = flag("With --rater: show only labels that differ.")
    dawid_skene: bool = flag(
        "Also show the most probable label of Dawid and Skene's model with its probability, next to the "
        "majority and the adjudicated label. It needs 5 raters and 50 cases, and changes no final label."
    )
    counts: bool = flag(
        "Count final labels by source (adjudicated, majority, none), and how many of them let the case pass."
    )


AgreementTable = Literal[
    "agreement",
    "pass-rates",
    "differences",
    "raters",
    "labels",
    "by-label",
    "outputs",
    "both-ways",
    "second-looks",
    "quality",
    "dawid-skene",
]


class LooseLabelOptions(LabelColumns, RowEncoding):
    """A file of labels that belongs to no study."""

    title = "Agreement of any table, without a study or a store"
    file: FilePath | None = option(
        "Take the labels from a table with a column for each rater, or with a row for each label, or from an "
        "export of an annotation tool. All coefficients are shown, with a row for each question.",
        "--from",
        metavar="FILE",
    )
    order: tuple[str, ...] | None = option(
        "The labels in their order, from one end to the other; numbers if they are numbers. Without it, "
        "labels are compared as names.",
        metavar="A,B,C",
        parse=listed,
    )


class AgreementOptions(
    Pooled, ByDimensions, Coefficients, Weighted, IntervalChoice, Digits, ResultFormatted, InStore
):
    """Show agreement, chance-corrected coefficients, pass rates, their differences, or single raters.

    The table has one row for each combination of the values of --by. Further rows hold means of these rows,
    and values over all their labels taken together. A mean usually differs from the value over all labels.

    With --from, the labels come from a file, such as: reviewer agreement --from labels.csv.
    """

    example = "reviewer agreement pilot --by question,generator --format csv"
    name: str | None = argument("[STUDY]")
    shown: AgreementTable = one_of(
        {
            "agreement": "Show agreement coefficients (the default).",
            "pass-rates": "Show pass rates with intervals.",
            "differences": "Compare pass rates. The last word of --by says what is compared: with "
            "question,generator, generators are compared for each question.",
            "raters": "Show figures for each rater, and the agreement that remains if this rater "
            "is left out.",
            "labels": "Show how often each label was given in each group, with a histogram, and the median "
            "where labels have an order.",
            "by-label": "Where a question takes several labels: show agreement on each of its labels.",
            "outputs": "Where outputs are ranked: show the mean rank, share of wins and Bradley-Terry score "
            "of each.",
            "both-ways": "Show results without and with the raters whom `reviewer study exclude` left out.",
            "second-looks": "Show how verdicts changed after findings were revealed.",
            "quality": "Show how many known answers each rater matched.",
            "dawid-skene": "Show how often each rater gives a passing label where it is true (sensitivity) "
            "and another one where it is not (specificity), by Dawid and Skene's model, from 5 raters and 50 "
            "cases on.",
        },
        default="agreement",
    )
    plan_width: float | None = option(
        "Show how many cases would shrink the interval's half-width to WIDTH.", metavar="WIDTH"
    )
    table: LooseLabelOptions

    @property
    def chosen_method(self) -> "Method":
        """How the numbers of a study are computed."""
        return self.method(self.coefficients, self.weights, self.unweighted)


class AnswersOptions(LabelRule, Level, Digits, ResultFormatted, InStore):
    """Show what experts found in the answers of models, for a study of `reviewer study new --answers`.

    Shares are those of all outcomes that the study was drawn from: of the run, or of the part of it that
    --where named. Each answer is weighted by how likely it was to be drawn, and by how many outcomes are
    equal. Raters see shares and models once the study is closed.
    """

    example = "reviewer answers why --by model,group --format csv"
    name: str = argument("STUDY")
    shown: Literal["shares", "drawn"] = one_of(
        {
            "shares": "Show the share of each label of each question (the default).",
            "drawn": "List the outcomes behind each answer, with its probability and weight.",
        },
        default="shares",
    )
    words: FilePath | None = option(
        "Count themes by keywords in all answers of the run instead, in both versions of each case, next to "
        "what experts chose. The file is a CSV with the columns name, meaning and words: whole words, or "
        "beginnings with * behind them, separated by semicolons.",
        metavar="FILE",
    )
    by: tuple[str, ...] = option(
        "Divide shares by model, group or both, separated by commas; '' for the whole run.",
        default="model",
        show_default=True,
        metavar="LIST",
        parse=listed,
    )


class ReportedStudy(Pooled, ByDimensions, LabelRule, Coefficients, Weighted):
    """What only the report of a study has."""

    title = "Of a study"
    anonymous: bool = flag("Name raters by letters and leave out their comments.")
    comments: bool = flag("With --anonymous: print the comments anyway.")
    drift: bool = flag("Also show agreement, speed and labels by quarter of each rater's answers.")


class ReportedRun(OutcomeChoice):
    """What only the report of an evaluation run has."""

    title = "Of an evaluation run, with --evaluation"


class ReportOptions(IntervalChoice, Digits, InStore):
    """Write the report of a study or an evaluation run as HTML, Markdown and LaTeX, with its figures.

    The report of a study says how raters answered (in the app, in plain mode, by spreadsheet …) and what
    they saw, as far as that was recorded. Run `reviewer study describe` first to add recruitment,
    independence and consent; otherwise the report lists them as missing. The list of disagreements is an
    appendix.

    `reviewer report --evaluation RUN` says what conditions did to the decisions of models, and over which
    cases this holds: all, audit-clean ones, strictly clean ones, and those of --passed and --picked. Its
    tables stand in a folder of their own as CSV, JSON, Markdown and LaTeX.
    """

    example = "reviewer report pilot -o exports/pilot"
    name: str | None = argument("[STUDY]")
    evaluation: str | None = option("Report on this evaluation run instead of a study.", metavar="RUN")
    folder: FilePath | None = option(
        "Folder to write to. Default: exports/STUDY or exports/RUN.", "-o", "--output"
    )
    no_figures: bool = flag("Leave out the figures. matplotlib is then not needed.")
    study: ReportedStudy
    run: ReportedRun


class ExportOptions(ByDimensions, LabelRule, InStore):
    """Write the raw labels, all tables, a codebook and the whole study, as CSV, JSON Lines and JSON.

    With --as validation-csv, write sheets instead that raters fill in, in the layout of the benchmark's
    authors if they have one: a folder and a ZIP for each rater, with the answers that this rater gave so far.
    Somebody who may not see the answers of others yet can write only sheets without them.
    """

    example = "reviewer export pilot -o exports/pilot"
    name: str = argument("STUDY")
    folder: FilePath | None = option("Folder to write to. Default: exports/STUDY.", "-o", "--output")
    kind: Literal["study", "validation-csv", "label-studio", "doccano", "inception"] = option(
        "study: labels and tables; validation-csv: sheets that raters fill in with a spreadsheet program; "
        "label-studio, doccano, inception: the spans of each rater as files of this tool.",
        "--as",
        default="study",
        show_default=True,
    )
    raters: tuple[str, ...] = several(
        "With validation-csv: write sheets for this rater only; may be repeated.", "--rater"
    )
    with_explanations: bool = flag("With validation-csv: include the generating model's own explanations.")
