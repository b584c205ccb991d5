"""``reviewer export``: a study written out as tables, or as sheets for raters."""

from pathlib import Path

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.result_options import (
    DEFAULT_BY,
    by_option,
    label_rule_option,
)
from reviewer.cli.study_events import check_answered
from reviewer.cli.viewer import check_results
from reviewer.core.sanitize import visible
from reviewer.exchange.exports.study_export import export_study, write_texts
from reviewer.exchange.exports.study_source import open_study_source
from reviewer.exchange.sheets.sheet_writer import export_notes, validation_files
from reviewer.results.labels.final_labels import LabelRule, check_label_rule
from reviewer.study.integrity.quarantine import left_out_in_words, read_study


@click.command("export", epilog="Example: reviewer export pilot -o exports/pilot")
@click.argument("name", metavar="STUDY")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    help="Folder to write to. Default: exports/STUDY.",
)
@click.option(
    "--as",
    "kind",
    type=click.Choice(["study", "validation-csv"]),
    default="study",
    show_default=True,
    help="study: labels and tables; validation-csv: sheets that raters fill in with a spreadsheet program.",
)
@click.option(
    "--rater",
    "raters",
    multiple=True,
    help="With validation-csv: write sheets for this rater only; may be repeated.",
)
@click.option(
    "--with-explanations",
    is_flag=True,
    help="With validation-csv: include the generating model's own explanations.",
)
@by_option
@label_rule_option
@store_option
def export_command(
    name: str,
    folder: Path | None,
    kind: str,
    raters: tuple[str, ...],
    with_explanations: bool,
    by: tuple[str, ...] | None,
    rule: LabelRule,
    store: str,
) -> None:
    """Write the raw labels, all tables, a codebook and the whole study, as CSV, JSON Lines and JSON.

    With --as validation-csv, write empty sheets for raters instead, in the layout of the benchmark's authors:
    a folder and a ZIP for each rater.
    """
    target = folder or Path("exports") / name
    if kind == "validation-csv":
        database = open_store(store, must_exist=True)
        bundle, events = read_study(database, name)
        files = validation_files(bundle, events, raters, with_explanations=with_explanations)
        paths = write_texts(target, files)
        for sentence in export_notes(bundle, events, raters):
            note(visible(f"Note: {sentence}"))
    else:
        database = open_store(store, must_exist=True)
        check_results(database, name)
        with open_study_source(database, name) as source:
            bundle = source.bundle
            check_answered(name, any(True for _ in source.events))
            check_label_rule(bundle, rule)
            paths = export_study(source, target, DEFAULT_BY if by is None else by, rule=rule)
    for path in paths:
        click.echo(path)
    for sentence in left_out_in_words(bundle):
        note(sentence)
