"""``reviewer export``: a study written out as tables, or as sheets for raters."""

from pathlib import Path

import click

from reviewer.cli.options import note, open_store
from reviewer.cli.result_options import (
    DEFAULT_BY,
)
from reviewer.cli.study_events import check_answered
from reviewer.cli.viewer import check_results
from reviewer.core.sanitize import visible
from reviewer.exchange.exports.study_export import export_study, write_texts
from reviewer.exchange.exports.study_source import open_study_source
from reviewer.exchange.sheets.sheet_writer import export_notes, validation_files
from reviewer.options.export import ExportOptions
from reviewer.results.labels.final_labels import check_label_rule
from reviewer.study.integrity.quarantine import left_out_in_words, read_study


def export_command(options: ExportOptions) -> None:
    """Carry out ``reviewer export``."""
    target = options.folder or Path("exports") / options.name
    if options.kind == "validation-csv":
        database = open_store(options.store, must_exist=True)
        bundle, events = read_study(database, options.name)
        files = validation_files(bundle, events, options.raters, with_explanations=options.with_explanations)
        paths = write_texts(target, files)
        for sentence in export_notes(bundle, events, options.raters):
            note(visible(f"Note: {sentence}"))
    else:
        database = open_store(options.store, must_exist=True)
        check_results(database, options.name)
        with open_study_source(database, options.name) as source:
            bundle = source.bundle
            check_answered(options.name, any(True for _ in source.events))
            check_label_rule(bundle, options.rule)
            paths = export_study(
                source, target, DEFAULT_BY if options.by is None else options.by, rule=options.rule
            )
    for path in paths:
        click.echo(path)
    for sentence in left_out_in_words(bundle):
        note(sentence)
