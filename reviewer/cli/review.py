"""``reviewer review``: one rater at work, in the terminal app or line by line."""

import os
import sys
from contextlib import closing
from pathlib import Path

import click
from click.core import ParameterSource

from reviewer.cli.app_launch import leave, need_terminal, open_app
from reviewer.cli.options import note, open_store, protocols_here
from reviewer.cli.signals import settled_at_the_end
from reviewer.cli.streams import input_is_closed
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.exchange.packs.workspace import workspace_away_from
from reviewer.options.review import ReviewOptions
from reviewer.study.design.assignments import join_study
from reviewer.study.design.study_bundle import load_study
from store.database import Database
from store.location import is_server
from store.sqlite import is_single_file


def review_command(options: ReviewOptions) -> None:
    """Carry out ``reviewer review``."""
    if names_pack(options.study):
        _review_pack(Path(options.study), options.rater, plain=options.plain)
        return
    if options.rater is None:
        raise click.MissingParameter(param_type="option", param_hint="'--rater'")
    checked_name("rater", options.rater)
    if is_server(options.store):
        _review_on_server(
            options.store, options.study, options.rater, alone=options.alone, plain=options.plain
        )
        return
    database = open_store(options.store, must_exist=True)
    known = load_study(database, options.study).study
    if options.plain:
        _review_plainly(database, options.rater, options.study)
        return
    _need_window(alone=options.alone)
    join_study(database, known, options.rater)
    open_app(database, options.rater, options.study, alone=options.alone)


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
