"""``reviewer datasets withdraw``: takes a case out of what new studies and exports use."""

import click

from reviewer.cli.options import store_option
from reviewer.cli.revising import place_for_change, revision_options, tell_revision
from reviewer.runs.repair.revise import withdraw


@click.command(
    "withdraw",
    epilog='Example: reviewer datasets withdraw first case-7 --reason "states the decision"',
)
@click.argument("dataset", metavar="DATASET")
@click.argument("key", metavar="KEY")
@revision_options
@store_option
def datasets_withdraw_command(dataset: str, key: str, who: str, reason: str, store: str) -> None:
    """Withdraw the case at KEY of DATASET.

    The case stays in the store, and its history says who withdrew it and why. New studies do not draw it,
    and exported and merged datasets leave it out. Studies that exist already keep it in their samples. To
    take a withdrawal back, use `reviewer datasets revert`.
    """
    with place_for_change(store, dataset, key, who) as (database, now):
        made = withdraw(database, dataset, key, expected=now.parent, author=who, reason=reason)
        tell_revision(database, made, "is withdrawn")
