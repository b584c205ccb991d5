"""Options of ``reviewer check``."""

from typing import ClassVar, Literal

from reviewer.options.cluster_options import ClusterOptions
from reviewer.options.model_options import ModelOptions
from reviewer.options.option import argument, command_options, flag, option, several
from reviewer.options.shared import (
    Indexed,
    InStore,
    Tabled,
    WithoutJail,
    Workers,
)


@command_options
class CheckOptions(Indexed, Workers, WithoutJail, Tabled, InStore):
    """Check an existing dataset with the filters that generation applies to candidates.

    Only filters that need no language model are run, with the thresholds of generation. They look at the form
    of the texts, at how similar the texts of a case are to each other and to those of other cases, and at
    what the programs of a case decide, if it has any. If the protocol is declared in a file, these are its
    declared checks, which `reviewer audit` runs too. Findings are listed, and saved as they come. You can
    interrupt the command at any time and call it again to continue.

    With --decisions, no check runs. Instead, language models decide each case, and the command shows how far
    they agree with themselves, with each other and with the programs.
    """

    example: ClassVar[str] = "reviewer check gpt-4o-mini --published"
    dataset: str = argument("DATASET")
    published: bool = flag(
        "Instead of findings, list the computed values that differ from those published with the dataset."
    )
    checks: tuple[str, ...] = several("Show only this check; may be repeated.", "--check", metavar="NAME")
    severities: tuple[Literal["serious", "doubtful", "untidy"], ...] = several(
        "Show only findings of this severity; may be repeated.", "--severity"
    )
    whole_dataset: bool = flag(
        "List only findings about the dataset as a whole, such as a value that occurs too often."
    )
    values: bool = flag(
        "List the counts behind the findings about the whole dataset: one row for each value or repeated "
        "case."
    )
    deciders: tuple[str, ...] = several(
        "Instead of checking, ask this model 5 times to decide each case; may be repeated.",
        "--decisions",
        metavar="MODEL",
    )
    model: str = option(
        "Sentence-embedding model that compares texts: a folder, or the name of a model that is already "
        "on this machine. Models are never downloaded.",
        "--sentence-model",
        "--model",
        default="all-MiniLM-L6-v2",
        show_default=True,
        metavar="NAME_OR_FOLDER",
    )
    cluster: ClusterOptions
    again: bool = flag("Check every case again, even if its check is up to date.")
    models: ModelOptions
