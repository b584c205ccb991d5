"""``reviewer datasets export``: a dataset as a file."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.result_options import label_rule_option
from reviewer.cli.viewer import check_published, check_results
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, visible
from store.revisions import RevisionCounts

if TYPE_CHECKING:
    from reviewer.exchange.rows.dataset_export import Written
    from reviewer.results.labels.final_labels import LabelRule


@click.command("export", epilog="Example: reviewer datasets export first -o first.json")
@click.argument("dataset")
@click.option(
    "-o", "file", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The file to write."
)
@click.option(
    "--study",
    metavar="NAME",
    help="Add the key and the digest of each case, and its final labels in this study, as columns. For "
    "protocols that are declared in a file.",
)
@label_rule_option
@store_option
def datasets_export_command(
    dataset: str, file: Path, study: str | None, rule: "LabelRule", store: str
) -> None:
    """Write a dataset as a file that `reviewer import` reads.

    The file is in the protocol's own format, which the published scripts read too, or in JSON Lines if the
    name of FILE ends in .jsonl. If the protocol is declared in a file, the dataset is written as rows: JSON
    Lines, JSON, CSV, TSV or Parquet, by the ending of FILE.

    A dataset that was imported from a file is written as it was published: the same fields in the same order,
    with the same texts and values. A repaired case is written with its new content. Values
    published with the old content are left out; values that an audit measured replace them, if there are any.
    Withdrawn cases are left out.
    """
    if study is None and rule != "majority":
        raise RequestError("--rule is about the final labels of a study; name it with --study.")
    from reviewer.exchange.rows.dataset_export import write_dataset

    database = open_store(store, must_exist=True)
    check_published(database, dataset)
    if study is not None:
        check_results(database, study)
    written = write_dataset(database, dataset, file, study, rule)
    note(visible(f"{file}: {counted(written.cases, 'case')}"))
    if rule == "median":
        note("Final labels are adjudicated ones, else the median of the votes; column final_rule says so.")
    if changed := RevisionCounts(written.revised, written.withdrawn).words:
        note(f"Of dataset {dataset}: {changed}. Withdrawn cases are not in the file.")
    if written.not_as_published:
        note(visible(_not_as_published(dataset, written)))


def _not_as_published(dataset: str, written: "Written") -> str:
    cases = f"{written.not_as_published:,} of {counted(written.cases, 'case')}"
    return (
        f"Note: dataset {dataset} has no published record of {cases}: they came from no file, or "
        "from another dataset. They are written with the texts and values of the store, which are "
        "normalised. To keep the records of a file, import the file again."
    )
