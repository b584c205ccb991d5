"""``reviewer effects --as``: the outcomes and effects of a run in the layout of another package."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewer.cli.embedding import open_embeddings
from reviewer.cli.options import note
from reviewer.cli.progress_bars import progress_bars
from reviewer.core.sanitize import agreeing, counted, one_line, visible
from reviewer.similarity.errors import ModelMissing, SimilarityMissing

if TYPE_CHECKING:
    from reviewer.exchange.evaluations.layout_writing import WrittenLayout
    from reviewer.results.outcomes.evaluated import Evaluation
    from store.database import Database


def write_effects_as(
    database: "Database", evaluation: "Evaluation", layout: str, folder: Path, sentence_model: str
) -> None:
    """Write the files, and say what the layout has no place for, and that its texts are not guarded."""
    from reviewer.exchange.evaluations.layout_writing import write_layout  # few ask for a layout

    with progress_bars() as progress:
        try:
            embeddings = open_embeddings(database, sentence_model)
            written = write_layout(database, evaluation, layout, folder, embeddings, progress)
        except (SimilarityMissing, ModelMissing) as missing:
            note(f"The similarities of texts have no value: {missing}")
            written = write_layout(database, evaluation, layout, folder, None, progress)
    for remark in _remarks(written):
        note(visible(remark))
    for file in written.files:
        click.echo(visible(str(file)))


def _remarks(written: "WrittenLayout") -> list[str]:
    remarks = []
    if any(file.suffix == ".csv" for file in written.files):
        remarks.append(
            "The CSV files are for scripts and hold each text as it is, without the apostrophe that keeps "
            "spreadsheets from running a text as a formula: do not open them in a spreadsheet."
        )
    if written.left_out:
        were = agreeing(written.left_out, "is", "are")
        remarks.append(
            f"{counted(written.left_out, 'pair')} of runs {were} in no file: a reply was unreadable or "
            "missing, or the right answer is unknown."
        )
    for model, number in written.not_asked.items():
        cases = counted(number, "case")
        remarks.append(f"{one_line(model)} was not asked {cases} of the run; its files hold the others.")
    if written.other:
        names = ", ".join(condition.key for condition in written.other)
        remarks.append(f"The layout has no place for these conditions: {names}.")
    return remarks
