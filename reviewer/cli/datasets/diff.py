"""``reviewer datasets diff``: what a revision changed in the texts of a case."""

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.cli.viewer import check_history
from reviewer.core.sanitize import counted
from reviewer.options.shared import Format
from reviewer.runs.repair.revise import content_of
from reviewer.runs.repair.revision_tables import changes_table
from store.cases import get_case
from store.revisions import place_now


@click.command("diff", epilog="Example: reviewer datasets diff first case-7 --from first")
@click.argument("dataset", metavar="DATASET")
@click.argument("key", metavar="KEY")
@click.option(
    "--from",
    "old",
    metavar="REVISION",
    help="The first version to compare. Give the beginning of a revision's id for the version that it made, "
    "or `first` for the version before all revisions. Default: the version before the newest revision.",
)
@click.option(
    "--to",
    "new",
    metavar="REVISION",
    help="The second version to compare, given in the same way. Default: the current version.",
)
@format_option
@store_option
def datasets_diff_command(
    dataset: str, key: str, old: str | None, new: str | None, form: Format, store: str
) -> None:
    """Show each passage of the case at KEY that differs between two of its versions.

    Raters who still have cases of the dataset to answer cannot see it.
    """
    database = open_store(store, must_exist=True)
    check_history(database, dataset)
    with database.read() as session:
        now = place_now(session, dataset, key)
        before = get_case(session, content_of(now, old))
        after = now.case if new is None else get_case(session, content_of(now, new))
    table = changes_table(before, after)
    print_table(table, form)
    note(f"{counted(len(table.rows), 'change')}." if table.rows else "The two contents are the same.")
