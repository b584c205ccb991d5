"""Options of ``reviewer import``."""

from typing import Literal

from reviewer.options.option import CommandOptions, FilePath, argument, flag, option, several
from reviewer.options.shared import InStore, LabelColumns, RowEncoding, own_name


class CaseOptions(CommandOptions):
    """How cases become a dataset."""

    title = "Import cases as a dataset"
    dataset: str | None = option("Name of the dataset to create or update.", metavar="NAME")
    generator: str | None = option(
        'The model that wrote the cases; hand-written if people did, "not stated" if it is unknown. '
        "Needed only if neither the file nor the dataset names it.",
        metavar="NAME",
    )
    protocol: str | None = option(
        "Protocol (benchmark) of the cases, or the file that declares it, which the store then keeps. "
        "Needed only if the protocol cannot be told from the file.",
        metavar="NAME|FILE.toml",
    )
    groups: FilePath | None = option(
        'TOML file with one line for each group: "name" = "definition". New studies show these definitions.',
        metavar="FILE.toml",
    )
    replace: bool = flag("If the dataset has cases of another generator under the same keys, replace them.")
    over_revisions: bool = flag(
        "Also replace cases that somebody repaired or withdrew. Their history keeps the old and the new "
        "content."
    )
    who: str = option(
        "Your name. The history keeps it if the import replaces revised content or withdraws cases. "
        "Default: the name in your settings, else your login name.",
        "--as",
        default=own_name,
    )


class AnswerOptions(LabelColumns):
    """What a person says about filled sheets, or about labels of another tool."""

    title = "Import labels of raters into a study"
    study: str | None = option(
        "Import a rater's filled validation sheets into this study, or labels that were given elsewhere: "
        "an export of Label Studio, Prodigy, Argilla, Potato, doccano or INCEpTION, a table of labels, "
        "or the labels.csv of another study.",
        metavar="NAME",
    )
    rater: str | None = option(
        "The rater who filled in the sheets, or who gave labels that name no rater.",
        metavar="NAME",
    )
    tool: (
        Literal["label-studio", "prodigy", "argilla", "potato", "doccano", "inception", "reviewer", "table"]
        | None
    ) = option("The tool that the labels come from. Default: recognised from the file.")
    question: str | None = option(
        "The question that is answered by labels that name no question.", metavar="NAME"
    )
    renames: tuple[str, ...] = several(
        "Our name for a rater, question or label of the other tool; may be repeated. Anna=Anna "
        "takes a rater although the name looks like another one.",
        "--rename",
        metavar="THEIRS=OURS",
    )
    add_raters: bool = flag("Add raters who are not in the study yet.")
    none_if_absent: bool = flag(
        "If a record answers other questions, but not one of several labels, none of these "
        "labels was chosen. Label Studio, Potato and Argilla write nothing then."
    )
    dry_run: bool = flag("Check the labels, and write nothing.")


class ImportOptions(RowEncoding, InStore):
    """Import a dataset from a file or folder, or raters' labels from sheets or another tool.

    A dataset is a file of JSON, JSON Lines, CSV, TSV, Parquet or Excel, a folder with seeds, or a folder that
    `reviewer release make` wrote. The seal, the licence and the authors of a release are imported too. Filled
    sheets come as a ZIP or as a folder.

    Everything is checked before anything is written. Importing the same file again changes nothing. If a
    case has changed since the last import, verdicts on its old content are kept and marked stale. Cases that
    somebody repaired or withdrew are not replaced, unless you give --over-revisions. Cases that the makers of
    a release withdrew are withdrawn here too.
    """

    example = "reviewer import gpt-4o-mini.json --dataset gpt-4o-mini"
    path: FilePath = argument("FILE|FOLDER")
    columns: tuple[str, ...] = several(
        "A column of the file that has another name in its format, such as question=prompt; may be repeated. "
        "label==1 gives each row the same value.",
        "--column",
        metavar="OURS=THEIRS",
    )
    skip_invalid: bool = flag("Import the valid cases and list the invalid ones.")
    cases: CaseOptions
    answers: AnswerOptions
