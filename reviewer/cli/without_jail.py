"""Asking before foreign programs run on a system that puts no jail around them."""

import sys

import click

from reviewer.core.errors import RequestError
from reviewer.oracle.doctor import without_jail


def ask_without_jail(accepted: bool, question: str = "Run the programs of this dataset?") -> None:
    """Return where programs may run. Raises RequestError where nobody can be asked, or says no."""
    problem = without_jail()
    if problem is None or accepted:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise RequestError(f"{problem} To run them without it, add --without-jail.")
    click.echo(problem, err=True)
    if not click.confirm(question, err=True):
        raise RequestError("no program was run.")
