"""``reviewer datasets export``: a dataset as a file."""

from typing import TYPE_CHECKING

from reviewer.cli.options import note, open_store
from reviewer.cli.viewer import check_published, check_results
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, visible
from reviewer.options.datasets import DatasetsExportOptions
from store.revisions import RevisionCounts

if TYPE_CHECKING:
    from reviewer.exchange.rows.dataset_export import Written


def datasets_export_command(options: DatasetsExportOptions) -> None:
    """Carry out ``reviewer datasets export``."""
    if options.study is None and options.rule != "majority":
        raise RequestError("--rule is about the final labels of a study; name it with --study.")
    from reviewer.exchange.rows.dataset_export import write_dataset

    database = open_store(options.store, must_exist=True)
    check_published(database, options.dataset)
    if options.study is not None:
        check_results(database, options.study)
    written = write_dataset(database, options.dataset, options.file, options.study, options.rule)
    note(visible(f"{options.file}: {counted(written.cases, 'case')}"))
    if options.rule == "median":
        note("Final labels are adjudicated ones, else the median of the votes; column final_rule says so.")
    if changed := RevisionCounts(written.revised, written.withdrawn).words:
        note(f"Of dataset {options.dataset}: {changed}. Withdrawn cases are not in the file.")
    if written.not_as_published:
        note(visible(_not_as_published(options.dataset, written)))


def _not_as_published(dataset: str, written: "Written") -> str:
    cases = f"{written.not_as_published:,} of {counted(written.cases, 'case')}"
    return (
        f"Note: dataset {dataset} has no published record of {cases}: they came from no file, or "
        "from another dataset. They are written with the texts and values of the store, which are "
        "normalised. To keep the records of a file, import the file again."
    )
