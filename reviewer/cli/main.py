"""The command ``reviewer``, and what becomes of errors.

Exit codes: 0 done; 2 an error in the input, the request or the store (one sentence on stderr names it, and
nothing was written); 4 a run that asks models stopped before its end (what was done is kept, and the same
command resumes it); 130 interrupted; 3 the output could not be written; 141 its reader stopped before the
end (for both, what the command did remains done); 1 a defect of the program.
"""

import gc
import os
import sys
import warnings
from typing import TYPE_CHECKING

import click

from reviewer import __version__
from reviewer.cli.declared_command import parameters_of
from reviewer.cli.entry import WIDEST_HELP, help_width
from reviewer.cli.lazy_group import LazyGroup
from reviewer.cli.options import Given, name_store
from reviewer.cli.streams import OutputLost, exit_with
from reviewer.core.errors import RequestError, ReviewerError, Unfinished
from reviewer.options.shared import InStore

if TYPE_CHECKING:
    from reviewer.protocols.registry import Protocols

# With the line of each in `reviewer --help`, which loads no command; a test compares them.
_COMMANDS = {
    "import": ("Import a dataset from a file or folder, or raters' labels from sheets or another tool."),
    "datasets": "List, merge and export datasets, or show and change the history of a case.",
    "cases": "List the cases that match filters and words.",
    "show": "Show everything about one case.",
    "audit": "Audit every case of a dataset and list the findings.",
    "repair": "Repair cases of DATASET.",
    "check": "Check an existing dataset with the filters that generation applies to candidates.",
    "diversity": (
        "Show how similar the cases of each group are, within each generator and between generators."
    ),
    "cluster": "Check the machines that share the work of audits and checks, and plan large datasets.",
    "oracle": "Inspect the SWI-Prolog system that runs the programs.",
    "generate": "Generate a validated dataset named RUN from seeds, with any OpenAI-compatible model.",
    "funnel": "Count the candidates that generation runs discarded, by filter.",
    "candidates": "List a run's candidates and what became of them.",
    "evaluate": "Ask models about the cases of datasets, and keep every answer in the evaluation run RUN.",
    "outcomes": "List what models answered in an evaluation run, read it again, import or export it.",
    "discover": "Discover biases of a judge with the help of a teacher, and validate them on other pairs.",
    "protocol": "Write, check, show and list protocols that are declared in one file.",
    "templates": "Check, convert and fill templates of cases, and check published results of such cases.",
    "study": "Plan studies, draw their samples, and manage raters.",
    "review": "Review a study's cases.",
    "serve": "Let raters review STUDY in a browser, each through their own secret link.",
    "merge": "Merge answers, comments and flags from packs or from whole stores.",
    "progress": "Show how far each rater of a study is.",
    "adjudicate": "Decide the cases on which raters disagree.",
    "labels": (
        "Show the final label of each case and question: the adjudicated one, else the majority's, else none."
    ),
    "agreement": (
        "Show agreement, chance-corrected coefficients, pass rates, their differences, or single raters."
    ),
    "judges": (
        "Compare the opinions of models, or other published or measured answers, with the raters' labels."
    ),
    "library": "Show the entries of a library with their evidence, origin and merges.",
    "effects": "Show what the conditions of an evaluation run did to the decisions of models.",
    "report": (
        "Write the report of a study or an evaluation run as HTML, Markdown and LaTeX, with its figures."
    ),
    "export": (
        "Write the raw labels, all tables, a codebook and the whole study, as CSV, JSON Lines and JSON."
    ),
    "release": "Make a release of a dataset that others can cite and check, list releases, or check one.",
    "models": "Test connections to language models, and count what they cost.",
    "store": "Copy, check and back up stores, and give raters access to a shared one.",
    "settings": "Show the current settings, or with --keys every action and its keys.",
    "demo": "Open the app on the hand-written seed cases, ready to be labelled.",
    "manual": "Show a page of the manual, or the list of its pages.",
    "completion": "Print the script that makes the tab key complete commands, options and file names.",
}


@click.command(
    cls=LazyGroup,
    below=_COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST_HELP},
    params=list(parameters_of(InStore)),
    epilog="Example: reviewer import gpt-4o-mini.json --dataset gpt-4o-mini",
)
@click.version_option(__version__, prog_name="reviewer")
@click.pass_context
def reviewer(ctx: click.Context, store: str) -> None:
    """Expert review of benchmark items that language models wrote.

    Without a command, the home screen opens.

    A protocol holds the rules of one benchmark. A case is one item of a benchmark, and a dataset is a named
    collection of cases. A study is a fixed sample of cases, with questions and raters. An event is one
    answer, comment, flag or other act of a rater. A finding is what an automatic check reports about a case.
    A pack is a file with one rater's part of a study. A generation run lets a language model write new cases,
    called candidates until they pass all filters.
    """
    name_store(ctx, store)
    if ctx.invoked_subcommand is None:
        from reviewer.cli.app_launch import open_home

        open_home(store)


# Python's own pace of looking for garbage walks through everything that is alive after each 70,000 new
# objects: a tenth of a second on some key, and half of the time of reading a large study.
_OBJECTS_BETWEEN_COLLECTIONS = 50_000

_UNFINISHED = 4
_SOON = 0.01


def main(protocols: "Protocols | None" = None) -> None:
    """Run the command line; every foreseeable error is one sentence on stderr and an exit code.

    ``protocols`` are those to work with, in place of those of the release.
    """
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 20, 20)
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
        _need_working_folder()
        return reviewer.main(standalone_mode=False, obj=given, terminal_width=help_width()) or 0
    except OutputLost:
        raise
    except Unfinished as error:
        _fail(str(error))
        return _UNFINISHED
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
    from reviewer.core.suggestions import similar_names

    dashes = {option.lstrip("-"): option for option in error.possibilities or ()}
    close = similar_names(error.option_name.lstrip("-"), tuple(dashes))
    meant = f"; did you mean {' or '.join(dashes[name] for name in close)}" if close else ""
    return f"No such option {error.option_name!r}{meant}"


def _need_working_folder() -> None:
    try:
        os.getcwd()  # noqa: PTH109  # only whether there is one
    except OSError as error:
        raise RequestError(
            f"the working folder cannot be reached ({error.strerror}); go to another one first."
        ) from error


def _fail(sentence: str) -> int:
    from reviewer.core.sanitize import visible

    click.echo(f"Error: {visible(sentence)}", err=True)
    return 2
