"""``reviewer datasets revert``: brings an earlier content of a case back."""

from reviewer.cli.revising import place_for_change, tell_revision
from reviewer.options.datasets import DatasetsRevertOptions
from reviewer.runs.repair.revise import revert


def datasets_revert_command(options: DatasetsRevertOptions) -> None:
    """Carry out ``reviewer datasets revert``."""
    with place_for_change(options.store, options.dataset, options.key, options.who) as (database, now):
        made = revert(
            database,
            options.dataset,
            options.key,
            to=options.target,
            expected=now.parent,
            author=options.who,
            reason=options.reason,
        )
        tell_revision(database, made, "has an earlier content again")
