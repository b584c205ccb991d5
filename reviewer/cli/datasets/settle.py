"""``reviewer datasets settle``: ends conflicts between the revisions of two authors."""

from contextlib import closing

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.cli.revising import place_for_change, tell_revision
from reviewer.cli.study.acts import as_option
from reviewer.cli.viewer import check_history
from reviewer.core.sanitize import counted
from reviewer.options.shared import Format
from reviewer.runs.repair.revise import settle
from reviewer.runs.repair.revision_tables import conflicts_table
from store.cases import get_dataset
from store.revisions import histories, place_now


@click.command(
    "settle",
    epilog='Example: reviewer datasets settle first case-7 --choose 01a206 --reason "clearer"',
)
@click.argument("dataset", metavar="DATASET")
@click.argument("key", metavar="[KEY]", required=False)
@click.option(
    "--choose", "choice", metavar="REVISION", help="The revision to keep, by the beginning of its id."
)
@click.option("--reason", metavar="TEXT", help="With --choose: why, in a few words.")
@as_option
@format_option
@store_option
def datasets_settle_command(
    dataset: str,
    key: str | None,
    choice: str | None,
    reason: str | None,
    who: str,
    form: Format,
    store: str,
) -> None:
    """List the cases of DATASET that two authors revised in different stores, or settle the case at KEY.

    After a merge of stores, a case may have several newest revisions. Until somebody chooses one of them,
    the case keeps the content that it had in this store, and cannot be repaired. Compare two of them with
    `reviewer datasets diff DATASET KEY --from REVISION --to REVISION`.
    """
    if key is None or choice is None:
        if choice is not None or reason is not None:
            raise click.UsageError("Give KEY, --choose and --reason together.")
        _list(dataset, key, form, store)
        return
    if reason is None:
        raise click.UsageError("Missing option '--reason': say in a few words why.")
    with place_for_change(store, dataset, key, who) as (database, now):
        made = settle(database, dataset, key, choice=choice, expected=now.parent, author=who, reason=reason)
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
