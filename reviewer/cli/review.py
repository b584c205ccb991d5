"""``reviewer review``: one rater at work, in the terminal app or line by line."""

import os
import sys
from contextlib import closing
from pathlib import Path

import click
from click.core import ParameterSource

from reviewer.cli.app_launch import leave, need_terminal, open_app
from reviewer.cli.options import note, open_store, protocols_here, store_option
from reviewer.cli.signals import settled_at_the_end
from reviewer.cli.streams import input_is_closed
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.exchange.packs.workspace import workspace_away_from
from reviewer.study.design.assignments import join_study
from reviewer.study.design.study_bundle import load_study
from store.database import Database
from store.location import is_server
from store.sqlite import is_single_file


@click.command("review", epilog="Example: reviewer review pilot --rater anna")
@click.argument("study", metavar="STUDY|PACK")
@click.option(
    "--rater",
    envvar="REVIEWER_RATER",
    help="Your name. Required for a study; a pack has it already.  [env var: REVIEWER_RATER]",
)
@click.option(
    "--plain", is_flag=True, help="Review line by line, for screen readers and pipes. Type h there for help."
)
@click.option("--alone", is_flag=True, hidden=True, help="Internal: used by `reviewer serve`.")
@store_option
def review_command(study: str, rater: str | None, plain: bool, alone: bool, store: str) -> None:
    """Review a study's cases. Every answer is saved at once, and you resume where you stopped.

    Give the name of a study in the store, or the file of a pack that was made for you.

    With --plain, answers are read from standard input, one per line. If the answers come from a pipe, the
    first invalid line stops the review with exit code 2. Answers before it stay saved.
    """
    if names_pack(study):
        _review_pack(Path(study), rater, plain=plain)
        return
    if rater is None:
        raise click.MissingParameter(param_type="option", param_hint="'--rater'")
    checked_name("rater", rater)
    if is_server(store):
        _review_on_server(store, study, rater, alone=alone, plain=plain)
        return
    database = open_store(store, must_exist=True)
    known = load_study(database, study).study
    if plain:
        _review_plainly(database, rater, study)
        return
    _need_window(alone=alone)
    join_study(database, known, rater)
    open_app(database, rater, study, alone=alone)


def names_pack(argument: str) -> bool:
    """Whether a study is given as the file of a pack."""
    return argument.endswith(".review") or is_single_file(Path(argument))


def _review_on_server(store: str, study: str, rater: str, *, alone: bool, plain: bool) -> None:
    """Work in a file of the rater's own, so that no key waits for the network."""
    if not plain:
        _need_window(alone=alone)
    workspace, unreachable = workspace_away_from(store, study, rater, protocols_here())
    if unreachable:
        note(f"{unreachable} You can still work: everything is saved here and sent later.")
    if plain:
        _review_plainly(workspace.database, rater, study)
        leave([workspace])
    else:
        open_app(workspace.database, rater, study, alone=alone, workspace=workspace)


def _review_pack(path: Path, rater: str | None, *, plain: bool) -> None:
    from reviewer.exchange.packs.pack import opened_pack

    database, seal = opened_pack(path, protocols_here())
    with closing(database):
        # The environment may name somebody for the stores of this machine; a pack has its own rater.
        asked = click.get_current_context().get_parameter_source("rater")
        if asked is ParameterSource.COMMANDLINE and rater != seal.rater:
            raise RequestError(f"pack {path.name!r} was made for {seal.rater!r}, not for {rater!r}.")
        if not plain:
            need_terminal()
        (_review_plainly if plain else open_app)(database, seal.rater, seal.study)


def _review_plainly(database: Database, rater: str, study: str) -> None:
    from reviewer.cli.plain_review import PlainReview
    from reviewer.study.session.review_session import ReviewSession

    if input_is_closed():
        raise RequestError("there is no standard input to read answers from; give it a terminal or a pipe.")
    with settled_at_the_end(database):
        session = ReviewSession(database, study, rater, given="plain")
        PlainReview(session, click.echo, typed=sys.stdin.isatty()).run(sys.stdin)


def _need_window(*, alone: bool) -> None:
    """Raise RequestError where there is neither a browser, which has a driver of its own, nor a terminal."""
    if not (alone and os.environ.get("TEXTUAL_DRIVER")):
        need_terminal()
