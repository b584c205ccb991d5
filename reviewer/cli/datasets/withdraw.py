"""``reviewer datasets withdraw``: takes a case out of what new studies and exports use."""

from reviewer.cli.revising import place_for_change, tell_revision
from reviewer.options.datasets import DatasetsWithdrawOptions
from reviewer.runs.repair.revise import withdraw


def datasets_withdraw_command(options: DatasetsWithdrawOptions) -> None:
    """Carry out ``reviewer datasets withdraw``."""
    with place_for_change(options.store, options.dataset, options.key, options.who) as (database, now):
        made = withdraw(
            database,
            options.dataset,
            options.key,
            expected=now.parent,
            author=options.who,
            reason=options.reason,
        )
        tell_revision(database, made, "is withdrawn")
