"""``reviewer datasets settle``: ends conflicts between the revisions of two authors."""

from contextlib import closing

import click

from reviewer.cli.options import note, open_store, print_table
from reviewer.cli.revising import place_for_change, tell_revision
from reviewer.cli.viewer import check_history
from reviewer.core.sanitize import counted
from reviewer.options.datasets import DatasetsSettleOptions
from reviewer.options.shared import Format
from reviewer.runs.repair.revise import settle
from reviewer.runs.repair.revision_tables import conflicts_table
from store.cases import get_dataset
from store.revisions import histories, place_now


def datasets_settle_command(options: DatasetsSettleOptions) -> None:
    """Carry out ``reviewer datasets settle``."""
    if options.key is None or options.choice is None:
        if options.choice is not None or options.reason is not None:
            raise click.UsageError("Give KEY, --choose and --reason together.")
        _list(options.dataset, options.key, options.form, options.store)
        return
    if options.reason is None:
        raise click.UsageError("Missing option '--reason': say in a few words why.")
    with place_for_change(options.store, options.dataset, options.key, options.who) as (database, now):
        made = settle(
            database,
            options.dataset,
            options.key,
            choice=options.choice,
            expected=now.parent,
            author=options.who,
            reason=options.reason,
        )
        tell_revision(database, made, "is settled")


def _list(dataset: str, key: str | None, form: Format, store: str) -> None:
    with closing(open_store(store, must_exist=True)) as database, database.read() as session:
        get_dataset(session, dataset)
        if key is not None:
            place_now(session, dataset, key)
        check_history(database, dataset)
        conflicts = [history for history in histories(session, [dataset]).values() if history.in_conflict]
    shown = [history for history in conflicts if key in (None, history.key)]
    print_table(conflicts_table(shown), form)
    note(f"{counted(len(shown), 'case')} in conflict." if shown else "No case is in conflict.")
