"""``reviewer claims``: the numbers of a paper, computed again by the commands that it names."""

import io
import shlex
from contextlib import redirect_stderr, redirect_stdout

import click

from reviewer.cli.printing import note, print_rows, progress_bars
from reviewer.cli.store_access import Given, open_store, protocols_here
from reviewer.core.errors import RequestError
from reviewer.core.strict_json import parse
from reviewer.exchange.claims.claim_checks import (
    CLAIMS,
    Rows,
    checked_claims,
    claims_in_words,
    impossible_share,
)
from reviewer.exchange.claims.claims_file import read_claims
from reviewer.options.claims import ClaimsCheckOptions

_SHOW_RESULTS = ("agreement", "effects", "funnel", "judges", "labels", "progress")
"""The commands that a claim may name: they only read, so that a file of a stranger does no harm."""
_WRITE = ("-o", "--output", "--as")


def claims_check_command(options: ClaimsCheckOptions) -> None:
    """``reviewer claims check``: each number of a paper beside the one that the store gives."""
    claims = read_claims(options.file)
    open_store(options.store).close()  # or every claim would say that it is not there
    with progress_bars() as progress:
        checked = checked_claims(
            claims,
            lambda command: _table(command, options.store),
            lambda done: progress("checking", done, len(claims)) if progress else None,
        )
    print_rows(CLAIMS, checked, options.form)
    words = claims_in_words(checked)
    if any(each.state == "differs" or impossible_share(each.claim) for each in checked):
        raise RequestError(f"not every number holds: {words}")
    note(words)


def _table(command: str, store: str) -> Rows:
    """The rows that a command prints as JSON; raises ReviewerError with its error instead."""
    from reviewer.cli.main import reviewer

    words = _words(command)
    given, printed = Given(protocols_here(), store), io.StringIO()
    try:
        with redirect_stdout(printed), redirect_stderr(io.StringIO()):
            reviewer.main([*words, "--format", "json"], "reviewer", standalone_mode=False, obj=given)
    except click.ClickException as error:
        raise RequestError(error.format_message()) from error
    rows: Rows = parse(printed.getvalue(), f"the table of `{command}`")
    return rows


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise RequestError(f"the command cannot be split into words ({error})") from error
    if words[:1] == ["reviewer"]:
        words = words[1:]
    if not words or words[0] not in _SHOW_RESULTS:
        raise RequestError(f"only these commands give numbers: {', '.join(_SHOW_RESULTS)}")
    if any(word.startswith("-o") or word.partition("=")[0] in _WRITE for word in words):
        raise RequestError(f"the options {', '.join(_WRITE)} write files; leave them out")
    return words
