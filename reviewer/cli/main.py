"""The command ``reviewer``, and its handling of errors.

Exit codes: 0 done; 2 an error in the input, the request or the store (one sentence on stderr names it, and
nothing was written but calls to models); 4 long work stopped before its end, or outcomes of an evaluation
are missing (what was done is kept, and the same command resumes it); 5 the data does not meet what an option
demands, such as --fail-on; 130 interrupted; 3 the output could not be written; 141 its reader stopped before
the end (for both, what the command did remains done); 1 a defect of the program.
"""

import importlib
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

from reviewer import __version__
from reviewer.cli.declared_command import DeclaredGroup, declared
from reviewer.cli.entry import WIDEST_HELP, help_width
from reviewer.cli.store_access import Given
from reviewer.cli.streams import OutputLost, exit_with
from reviewer.core.errors import CheckFailed, ReviewerError, Unfinished
from reviewer.options.option import CommandGroup, CommandOptions
from reviewer.options.shared import InStore

if TYPE_CHECKING:
    from reviewer.protocols.registry import Protocols

# In the order of `reviewer --help`, each with the module of its options in reviewer/options/.
_COMMANDS = {
    "import": "import_",
    "datasets": "datasets",
    "cases": "cases",
    "show": "cases",
    "audit": "checks",
    "repair": "checks",
    "check": "checks",
    "diversity": "cases",
    "cluster": "machines",
    "oracle": "machines",
    "generate": "generate",
    "funnel": "candidates",
    "candidates": "candidates",
    "evaluate": "evaluate",
    "outcomes": "outcomes",
    "discover": "generate",
    "run": "run",
    "protocol": "protocol",
    "templates": "templates",
    "study": "study",
    "review": "reviewing",
    "serve": "reviewing",
    "merge": "reviewing",
    "progress": "reviewing",
    "adjudicate": "reviewing",
    "labels": "results",
    "agreement": "results",
    "answers": "results",
    "judges": "judges",
    "judges ask": "judges",
    "library": "cases",
    "effects": "effects",
    "report": "results",
    "export": "results",
    "release": "release",
    "claims": "claims",
    "checklist": "checklist",
    "models": "models",
    "store": "store",
    "settings": "program",
    "demo": "reviewing",
    "manual": "program",
    "completion": "program",
}


class ReviewerCommands(CommandGroup, InStore):
    """Expert review of benchmark items that language models wrote.

    Without a command, the home screen opens.

    A protocol holds the rules of one benchmark. A case is one item of a benchmark, and a dataset is a named
    collection of cases. A study is a fixed sample of cases, with questions and raters. An event is one
    answer, comment, flag or other act of a rater. A finding is what an automatic check reports about a case.
    A pack is a file with one rater's part of a study. A generation run lets a language model write new cases,
    called candidates until they pass all filters.
    """

    example = "reviewer import gpt-4o-mini.json --dataset gpt-4o-mini"
    alone = True


class _Root(DeclaredGroup):
    """The commands of the program, whose options are in several modules."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return [*_COMMANDS]

    def options_below(self) -> Mapping[str, type[CommandOptions]]:
        """The commands with their options, all of which load."""
        return {name: _options_of(name) for name in _COMMANDS}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, for which only its own options load."""
        return declared((*cmd_name.split(),), _options_of(cmd_name)) if cmd_name in _COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names, or the first two; a study may be called as the second."""
        words, rest = " ".join(args[:2]), args[2:]
        return super().resolve_command(ctx, [words, *rest] if rest and words in _COMMANDS else args)

    def function(self) -> Callable[[ReviewerCommands], None]:
        """What opens the home screen."""
        from reviewer.cli.app_launch import open_home

        return open_home


def _options_of(command: str) -> type[CommandOptions]:
    module = importlib.import_module(f"reviewer.options.{_COMMANDS[command]}")
    name = "".join(word.capitalize() for word in command.split())
    options: type[CommandOptions] = getattr(module, f"{name}Commands", None) or getattr(
        module, f"{name}Options"
    )
    return options


reviewer = _Root(
    (),
    ReviewerCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST_HELP},
)
click.version_option(__version__, prog_name="reviewer")(reviewer)

_UNFINISHED, _CHECK_FAILED = 4, 5
_SOON = 0.01


def main(protocols: "Protocols | None" = None) -> None:
    """Run the command line; every foreseeable error is one sentence on stderr and an exit code.

    ``protocols`` are those to work with, in place of those of the release.
    """
    # Of a row that another program altered: reading validates it next, and names it in a sentence.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = _interrupt_again
    exit_with(lambda: _run(Given(protocols)))


def _interrupt_again(ignored: "sys.UnraisableHookArgs") -> None:
    """Repeat Ctrl+C if it came within a callback, in which Python prints the exception and goes on."""
    if not issubclass(ignored.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return
    from signal import SIGINT, pthread_kill
    from threading import Timer, main_thread

    # Not at once: the callback is still under way, and this one would be lost too.
    Timer(_SOON, pthread_kill, (main_thread().ident, SIGINT)).start()


def _run(given: Given) -> int:
    """The exit code of the command that the arguments name; raises OutputLost."""
    try:
        os.getcwd()  # noqa: PTH109  # only whether there is one
    except OSError as error:
        return _fail(f"the working folder cannot be reached ({error.strerror}); go to another one first.")
    try:
        return reviewer.main(standalone_mode=False, obj=given, terminal_width=help_width()) or 0
    except OutputLost:
        raise
    except (Unfinished, CheckFailed) as error:
        _fail(str(error))
        return _UNFINISHED if isinstance(error, Unfinished) else _CHECK_FAILED
    except ReviewerError as error:
        return _fail(str(error))
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "reviewer"
        return _fail(f"{_usage_words(error)}; see `{path} --help`.")
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return 130


def _usage_words(error: click.UsageError) -> str:
    """What is wrong with the arguments. An unknown option gets only suggestions that resemble it."""
    if not isinstance(error, click.NoSuchOption):
        return error.format_message().rstrip(".")
    from reviewer.core.names import similar_names

    dashes = {option.lstrip("-"): option for option in error.possibilities or ()}
    close = similar_names(error.option_name.lstrip("-"), tuple(dashes))
    meant = f"; did you mean {' or '.join(dashes[name] for name in close)}" if close else ""
    return f"No such option {error.option_name!r}{meant}"


def _fail(sentence: str) -> int:
    from reviewer.core.sanitize import visible

    click.echo(f"Error: {visible(sentence)}", err=True)
    return 2
