"""``reviewer datasets diff``: what a revision changed in the texts of a case."""

from reviewer.cli.options import note, open_store, print_table
from reviewer.cli.viewer import check_history
from reviewer.core.sanitize import counted
from reviewer.options.datasets import DatasetsDiffOptions
from reviewer.runs.repair.revise import content_of
from reviewer.runs.repair.revision_tables import changes_table
from store.cases import get_case
from store.revisions import place_now


def datasets_diff_command(options: DatasetsDiffOptions) -> None:
    """Carry out ``reviewer datasets diff``."""
    database = open_store(options.store, must_exist=True)
    check_history(database, options.dataset)
    with database.read() as session:
        now = place_now(session, options.dataset, options.key)
        before = get_case(session, content_of(now, options.old))
        after = now.case if options.new is None else get_case(session, content_of(now, options.new))
    table = changes_table(before, after)
    print_table(table, options.form)
    note(f"{counted(len(table.rows), 'change')}." if table.rows else "The two contents are the same.")
