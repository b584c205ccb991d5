"""Options that the commands share which find things out about a dataset."""

from collections.abc import Sequence

import click

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
