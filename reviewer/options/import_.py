"""Options of ``reviewer import``."""

from typing import ClassVar, Literal

from reviewer.options.option import FilePath, argument, command_options, flag, option, several
from reviewer.options.shared import (
    InStore,
    listed,
    own_name,
)


@command_options
class AnswerOptions:
    """What a person says about filled sheets, or about labels of another tool."""

    study: str | None = option(
        "Import a rater's filled validation sheets into this study, or labels that were given elsewhere: "
        "an export of Label Studio, Prodigy, Argilla, Potato or doccano, a table of labels, or the "
        "labels.csv of another study.",
        metavar="NAME",
    )
    rater: str | None = option(
        "With --study: the rater who filled in the sheets, or who gave labels that name no rater.",
        metavar="NAME",
    )
    tool: Literal["label-studio", "prodigy", "argilla", "potato", "doccano", "reviewer", "table"] | None = (
        option("With --study: the tool that the labels come from. Default: recognised from the file.")
    )
    key_field: str | None = option(
        "With --study: the field that holds the key of a case, such as data.id.", metavar="FIELD"
    )
    rater_field: str | None = option(
        "With --study: the column of a table that names the rater. Default: rater, annotator and the like.",
        metavar="COLUMN",
    )
    question_field: str | None = option(
        "With --study: the column of a table that names the question. Default: question.", metavar="COLUMN"
    )
    label_field: str | None = option(
        "With --study: the column of a table that holds the label. Default: label, answer and the like.",
        metavar="COLUMN",
    )
    rater_columns: tuple[str, ...] | None = option(
        "With --study: the columns of a table that has one column of labels for each rater.",
        metavar="A,B,C",
        parse=listed,
    )
    question: str | None = option(
        "With --study: the question that is answered by labels that name no question.", metavar="NAME"
    )
    renames: tuple[str, ...] = several(
        "With --study: our name for a rater, question or label of the other tool; may be repeated. Anna=Anna "
        "takes a rater although the name looks like another one.",
        "--rename",
        metavar="THEIRS=OURS",
    )
    add_raters: bool = flag("With --study: add raters who are not in the study yet.")
    none_if_absent: bool = flag(
        "With --study: if a record answers other questions, but not one of several labels, none of these "
        "labels was chosen. Label Studio, Potato and Argilla write nothing then."
    )
    dry_run: bool = flag("With --study: check the labels, and write nothing.")


@command_options
class ImportOptions(InStore):
    """Import a dataset from a file or folder, or raters' labels from sheets or another tool.

    A dataset is a file of JSON, JSON Lines, CSV, TSV or Parquet, a folder with seeds, or a folder that
    `reviewer release make` wrote. The seal, the licence and the authors of a release are imported too. Filled
    sheets come as a ZIP or as a folder.

    Everything is checked before anything is written. Importing the same file again changes nothing. If a
    case has changed since the last import, verdicts on its old content are kept and marked stale. Cases that
    somebody repaired or withdrew are not replaced, unless you give --over-revisions. Cases that the makers of
    a release withdrew are withdrawn here too.
    """

    example: ClassVar[str] = "reviewer import gpt-4o-mini.json --dataset gpt-4o-mini"
    path: FilePath = argument("FILE|FOLDER")
    dataset: str | None = option("Name of the dataset to create or update.", metavar="NAME")
    generator: str | None = option(
        "The model that wrote the generated cases. Needed only if neither the file nor the dataset names it.",
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
    separator: str | None = option(
        "What separates the columns of a CSV file: a sign, or tab. Default: recognised from the file.",
        metavar="SIGN",
    )
    encoding: str | None = option(
        "Encoding of a file of rows, such as cp1252. Default: recognised from the file.", metavar="NAME"
    )
    skip_invalid: bool = flag("Import the valid cases and list the invalid ones.")
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
    answers: AnswerOptions
