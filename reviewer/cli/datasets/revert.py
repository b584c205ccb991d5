"""``reviewer datasets revert``: brings an earlier content of a case back."""

import click

from reviewer.cli.options import store_option
from reviewer.cli.revising import place_for_change, revision_options, tell_revision
from reviewer.runs.repair.revise import revert


@click.command(
    "revert",
    epilog='Example: reviewer datasets revert first case-7 --to first --reason "was right"',
)
@click.argument("dataset", metavar="DATASET")
@click.argument("key", metavar="KEY")
@click.option(
    "--to",
    "target",
    metavar="REVISION",
    help="The content to bring back. Give the beginning of a revision's id for the content that it made, or "
    "`first` for the content before all revisions. Default: the content before the newest revision.",
)
@revision_options
@store_option
def datasets_revert_command(
    dataset: str, key: str, target: str | None, who: str, reason: str, store: str
) -> None:
    """Restore an earlier content of the case at KEY, with the values that were published with it.

    A revert is a revision itself, so nothing is lost and it can be reverted too. A revert also undoes a
    withdrawal.
    """
    with place_for_change(store, dataset, key, who) as (database, now):
        made = revert(database, dataset, key, to=target, expected=now.parent, author=who, reason=reason)
        tell_revision(database, made, "has an earlier content again")
