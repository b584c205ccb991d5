"""``reviewer progress``: how far each rater of a study is."""

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.cli.study.acts import as_option
from reviewer.core.sanitize import counted, visible
from reviewer.core.table import Cell, Table
from reviewer.options.shared import Format
from reviewer.study.session.blinding import may_see_warnings
from reviewer.study.session.rater_progress import StudyProgress, progress_of
from store.database import Database


@click.command("progress", epilog="Example: reviewer progress pilot")
@click.argument("name", metavar="STUDY")
@as_option
@format_option
@store_option
def progress_command(name: str, who: str, form: Format, store: str) -> None:
    """Show how far each rater of a study is. Answers are not shown.

    A lead also sees warnings about raters who answer faster than people read, match too few known answers
    (gold cases or training, see `reviewer study new --training-pass`), or always give the same label. A lead
    who also rates sees the warnings only after finishing their own cases, or when the study is closed.
    """
    database = open_store(store, must_exist=True)
    progress = progress_of(database, name)
    warnings = _warnings(database, name) if may_see_warnings(progress, who) else None
    print_table(_table(progress, warnings), form)
    awaiting = sum(rater.awaiting for rater in progress.raters)
    if awaiting:
        verb = "awaits its second look: it is" if awaiting == 1 else "await their second look: they are"
        note(f"{counted(awaiting, 'answer')} {verb} saved, and not yet part of the share that is done.")
    if not progress.raters:
        note(f"Nobody has begun. Begin with: reviewer review {name} --rater YOUR-NAME")
    for sentences in (warnings or {}).values():
        for sentence in sentences:
            note(visible(f"Warning: {sentence}"))


def _warnings(database: Database, name: str) -> dict[str, list[str]]:
    """Rater → warnings about them."""
    from reviewer.results.labels.study_statistics import StudyStatistics  # numpy takes a moment to load

    warnings: dict[str, list[str]] = {}
    for warning in StudyStatistics.read(database, name).warnings():
        warnings.setdefault(warning.rater, []).append(warning.sentence)
    return warnings


def _table(progress: StudyProgress, warnings: dict[str, list[str]] | None) -> Table:
    """One row a rater; what awaits a second look has a column where the study has second looks.

    If warnings may be seen, a column counts them.
    """
    twice = progress.looks_twice
    rows: list[list[Cell]] = [
        [
            rater.rater,
            rater.labelled,
            *([rater.awaiting] if twice else []),
            rater.skipped,
            rater.slots,
            rater.done / rater.slots,
            *([] if warnings is None else [len(warnings.get(rater.rater, ()))]),
        ]
        for rater in progress.raters
    ]
    awaiting = ("awaiting second look",) if twice else ()
    warned = () if warnings is None else ("warnings",)
    return Table.of(("rater", "labelled", *awaiting, "skipped", "of", "share", *warned), rows)
