"""Options that the commands share which find things out about a dataset."""

from collections.abc import Sequence

import click

from reviewer.core.check_result import SEVERITIES
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.check_texts import known_checks
from store.cases import get_dataset
from store.database import Database


def checked_protocol(database: Database, dataset: str, checks: Sequence[str]) -> Protocol:
    """The protocol of a dataset; raises a usage error for a name that is none of its checks."""
    with database.read() as session:
        protocol = protocols_of(database).named(get_dataset(session, dataset).protocol)
    check_names(checks, [protocol])
    return protocol


def check_names(checks: Sequence[str], protocols: Sequence[Protocol]) -> None:
    """Raise a usage error for a name that is not a check of these protocols."""
    known = known_checks(protocols) if checks else ()
    for name in checks:
        if name not in known:
            words = f"{name!r} is not one of {', '.join(map(repr, known))}."
            raise click.BadParameter(words, param_hint="'--check'")


checks_option = click.option(
    "--check",
    "checks",
    multiple=True,
    metavar="NAME",
    help="Show only this check; may be repeated.",
)
severity_option = click.option(
    "--severity",
    "severities",
    multiple=True,
    type=click.Choice(SEVERITIES),
    help="Show only findings of this severity; may be repeated.",
)
whole_dataset_option = click.option(
    "--whole-dataset",
    is_flag=True,
    help="List only findings about the dataset as a whole, such as a value that occurs too often.",
)
values_option = click.option(
    "--values",
    is_flag=True,
    help=(
        "List the counts behind the findings about the whole dataset: one row for each value or repeated "
        "case."
    ),
)
workers_option = click.option(
    "--workers", type=click.IntRange(min=1), help="Number of worker processes. Default: one per core."
)
