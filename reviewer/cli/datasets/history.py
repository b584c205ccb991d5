"""``reviewer datasets history``: every revision of a dataset or of one case."""

from reviewer.cli.options import note, open_store, print_table
from reviewer.cli.viewer import check_history
from reviewer.core.sanitize import counted
from reviewer.options.datasets import DatasetsHistoryOptions
from reviewer.runs.repair.revision_tables import history_table
from store.cases import get_dataset
from store.revisions import histories, place_now, revision_counts


def datasets_history_command(options: DatasetsHistoryOptions) -> None:
    """Carry out ``reviewer datasets history``."""
    database = open_store(options.store, must_exist=True)
    with database.read() as session:
        get_dataset(session, options.dataset)
    check_history(database, options.dataset)
    with database.read() as session:
        if options.key is None:
            shown = list(histories(session, [options.dataset]).values())
        else:
            shown = [place_now(session, options.dataset, options.key).history]
        counts = revision_counts(session).get(options.dataset)
    print_table(history_table(shown, whole=options.form != "table"), options.form)
    steps = sum(len(history.revisions) for history in shown)
    of_dataset = f" Of dataset {options.dataset}: {counts.words}." if counts and counts.words else ""
    note(f"{counted(steps, 'revision')}.{of_dataset}" if steps else "No revision yet.")
