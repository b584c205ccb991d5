"""Options that several commands share."""

from typing import Literal

from reviewer.options.option import FilePath, command_options, flag, option
from store.location import DEFAULT_LOCATION

Format = Literal["table", "csv", "json"]
OWN_NAME = "Default: the name in your settings, else your login name."
"""What help texts say about the name of the person at the keyboard."""


@command_options
class InStore:
    """``--store``: after the command, else before it, else REVIEWER_STORE, else ./reviewer.db."""

    store: str = option(
        "The store to use.  [env var: REVIEWER_STORE]", metavar="PATH_OR_URL", show_default=DEFAULT_LOCATION
    )


@command_options
class Tabled:
    """``--format`` of a table."""

    form: Format = option(
        "Output format: a table for people, CSV or JSON for programs.",
        "--format",
        default="table",
        show_default=True,
    )


@command_options
class PromptedRun:
    """Options of commands whose runs send prompts to models."""

    folder: FilePath | None = option(
        "Folder with prompts that replace the shipped ones.", "--prompts", metavar="DIR"
    )
    dry_run: bool = flag("Print the prompts and a cost estimate. Nothing is sent.")
    take_over: bool = flag("Resume a run whose previous process died without releasing it.")


@command_options
class SentenceModel:
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
        from reviewer.similarity.errors import IndexMissing

        raise IndexMissing()
    return index


@command_options
class Indexed:
    """``--index``."""

    index: bool = flag(
        "Search for similar texts with an index instead of comparing every pair of texts. Among a million "
        "texts this takes minutes instead of hours and misses a few; the share that it finds is measured on "
        "a sample and printed. Needs the extra `index`.",
        parse=_searched,
    )


@command_options
class Workers:
    """``--workers``."""

    workers: int | None = option("Number of worker processes. Default: one per core.", within=(1, None))


@command_options
class WithoutJail:
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
    from reviewer.core.names import checked_name
    from reviewer.core.settings import load_settings, settings_path

    given = load_settings(settings_path()).name
    return checked_name("rater", given) if given else _login_name()


def _login_name() -> str:
    """What the system calls the person at the keyboard, where that can be a name here."""
    import getpass

    from reviewer.core.errors import RequestError
    from reviewer.core.names import checked_name

    try:
        return checked_name("rater", getpass.getuser())
    except (RequestError, OSError, KeyError):
        return "me"


@command_options
class Signed:
    """``--as`` of commands that record who did something."""

    who: str = option(f"Your name. {OWN_NAME}", "--as", default=own_name)


@command_options
class Reasoned:
    """``--reason`` of commands that change the content of a case."""

    reason: str = option("Why, in a few words. It is kept in the history.", required=True, metavar="TEXT")
