"""Options that several commands share."""

from typing import Literal

from reviewer.options.option import CommandOptions, FilePath, flag, option
from store.location import DEFAULT_LOCATION

Format = Literal["table", "csv", "json"]
OWN_NAME = "Default: the name in your settings, else your login name."
"""What help texts say about the name of the person at the keyboard."""


class InStore(CommandOptions):
    """``--store``: after the command, else before it, else REVIEWER_STORE, else ./reviewer.db."""

    store: str = option(
        "The store to use.  [env var: REVIEWER_STORE]", metavar="PATH_OR_URL", show_default=DEFAULT_LOCATION
    )


class Tabled(CommandOptions):
    """``--format`` of a table."""

    form: Format = option(
        "Output format: a table for people, CSV or JSON for programs.",
        "--format",
        default="table",
        show_default=True,
    )


class PromptedRun(CommandOptions):
    """Options of commands whose runs send prompts to models."""

    folder: FilePath | None = option(
        "Folder with prompts that replace the shipped ones.", "--prompts", metavar="DIR"
    )
    dry_run: bool = flag("Print the prompts and a cost estimate. Nothing is sent.")
    take_over: bool = flag("Resume a run whose previous process died without releasing it.")


class SentenceModel(CommandOptions):
    """``--sentence-model``."""

    sentence_model: str = option(
        "Sentence-embedding model that compares texts: a folder, or the name of a model that is already on "
        "this machine. Models are never downloaded.",
        default="all-MiniLM-L6-v2",
        show_default=True,
        metavar="NAME_OR_FOLDER",
    )


def _searched(index: bool) -> bool:
    """Whether to search with an index; raises IndexMissing where none is installed."""
    from importlib.util import find_spec

    if index and find_spec("faiss") is None:
        from reviewer.similarity.encoder import IndexMissing

        raise IndexMissing()
    return index


class ComparedTexts(CommandOptions):
    """``--sentence-model`` of commands that compare the texts of datasets."""

    model: str = option(
        "Sentence-embedding model that compares texts: a folder, or the name of a model that is already "
        "on this machine. Models are never downloaded.",
        "--sentence-model",
        "--model",
        default="all-MiniLM-L6-v2",
        show_default=True,
        metavar="NAME_OR_FOLDER",
    )


class Indexed(CommandOptions):
    """``--index``."""

    index: bool = flag(
        "Search for similar texts with an index instead of comparing every pair of texts. Among a million "
        "texts this takes minutes instead of hours and misses a few; the share that it finds is measured on "
        "a sample and printed. Needs the extra `index`.",
        parse=_searched,
    )


class Workers(CommandOptions):
    """``--workers``."""

    workers: int | None = option("Number of worker processes. Default: one per core.", within=(1, None))


class WithoutJail(CommandOptions):
    """``--without-jail``."""

    accepted: bool = flag(
        "Run the programs without asking, even if this system cannot confine them (see `reviewer oracle "
        "doctor`).",
        "--without-jail",
    )


def listed(text: str) -> tuple[str, ...]:
    """The names of a list with commas between."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def own_name() -> str:
    """The name of the person at the keyboard: the one that they gave in the app, else the login name."""
    import getpass

    from reviewer.core.errors import RequestError
    from reviewer.core.names import checked_name
    from reviewer.core.personal_settings import load_settings, settings_path

    if given := load_settings(settings_path()).name:
        return checked_name("rater", given)
    try:
        return checked_name("rater", getpass.getuser())
    except (RequestError, OSError, KeyError):  # what the system calls this person cannot be a name here
        return "me"


class Signed(CommandOptions):
    """``--as`` of commands that record who did something."""

    who: str = option(f"Your name. {OWN_NAME}", "--as", default=own_name)


class Reasoned(CommandOptions):
    """``--reason`` of commands that change the content of a case."""

    reason: str = option("Why, in a few words. It is kept in the history.", required=True, metavar="TEXT")


class ClusterOptions(CommandOptions):
    """Where the work is done; without an address, on this machine."""

    title = "Cluster"

    cluster: str | None = option(
        "Do the work on the workers of the dask scheduler at this address: tls://HOST:PORT, or "
        "tcp://127.0.0.1:PORT on this machine. Default: REVIEWER_CLUSTER, else this machine.",
        metavar="ADDRESS",
        env="REVIEWER_CLUSTER",
    )
    cluster_without_tls: bool = flag("Allow tcp:// to another machine.")


class LabelColumns(CommandOptions):
    """The columns of a file of labels, where they do not have their usual names."""

    key_field: str | None = option(
        "The field that holds the key of a case, such as data.id.", metavar="FIELD"
    )
    rater_field: str | None = option(
        "The column of a table that names the rater. Default: rater, annotator and the like.",
        metavar="COLUMN",
    )
    question_field: str | None = option(
        "The column of a table that names the question. Default: question.", metavar="COLUMN"
    )
    label_field: str | None = option(
        "The column of a table that holds the label. Default: label, answer and the like.",
        metavar="COLUMN",
    )
    rater_columns: tuple[str, ...] | None = option(
        "The columns of a table that has one column of labels for each rater.",
        metavar="A,B,C",
        parse=listed,
    )


class RowEncoding(CommandOptions):
    """How the text of a file of rows is read."""

    separator: str | None = option(
        "What separates the columns of a CSV file: a sign, or tab. Default: recognised from the file.",
        metavar="SIGN",
    )
    encoding: str | None = option(
        "Encoding of a file of rows, such as cp1252. Default: recognised from the file.", metavar="NAME"
    )
    header_row: int = option(
        "The line of a CSV or Excel file that names its columns; lines above it are not read.",
        default=1,
        show_default=True,
        within=(1, 10_000),
    )
    sheet: str | None = option(
        "The sheet of an Excel file (.xlsx). Default: the only one with content.", metavar="NAME"
    )
