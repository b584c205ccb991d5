"""``reviewer datasets history``: every revision of a dataset or of one case."""

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.cli.viewer import check_history
from reviewer.core.sanitize import counted
from reviewer.options.shared import Format
from reviewer.runs.repair.revision_tables import history_table
from store.cases import get_dataset
from store.revisions import histories, place_now, revision_counts


@click.command("history", epilog="Example: reviewer datasets history first case-7")
@click.argument("dataset", metavar="DATASET")
@click.argument("key", metavar="[KEY]", required=False)
@format_option
@store_option
def datasets_history_command(dataset: str, key: str | None, form: Format, store: str) -> None:
    """List the revisions of DATASET, or of the case at KEY, oldest first.

    A revision is a repair, a withdrawal, a revert, an import over an earlier revision, or the settlement of a
    conflict. CSV and JSON also have the digests, and what was measured before and after.

    Raters who still have cases of the dataset to answer cannot see them: the reasons say what is wrong in a
    case.
    """
    database = open_store(store, must_exist=True)
    with database.read() as session:
        get_dataset(session, dataset)
    check_history(database, dataset)
    with database.read() as session:
        if key is None:
            shown = list(histories(session, [dataset]).values())
        else:
            shown = [place_now(session, dataset, key).history]
        counts = revision_counts(session).get(dataset)
    print_table(history_table(shown, whole=form != "table"), form)
    steps = sum(len(history.revisions) for history in shown)
    of_dataset = f" Of dataset {dataset}: {counts.words}." if counts and counts.words else ""
    note(f"{counted(steps, 'revision')}.{of_dataset}" if steps else "No revision yet.")
