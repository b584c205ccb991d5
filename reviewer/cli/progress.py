"""``reviewer progress``: how far each rater of a study is."""

import click

from reviewer.cli.options import Format, format_option, note, open_store, print_table, store_option
from reviewer.core.sanitize import counted
from reviewer.core.table import Cell, Table
from reviewer.study.session.rater_progress import StudyProgress, progress_of


@click.command("progress", epilog="Example: reviewer progress pilot")
@click.argument("name", metavar="STUDY")
@format_option
@store_option
def progress_command(name: str, form: Format, store: str) -> None:
    """Show how far each rater of a study is. Answers are not shown."""
    progress = progress_of(open_store(store, must_exist=True), name)
    print_table(_table(progress), form)
    awaiting = sum(rater.awaiting for rater in progress.raters)
    if awaiting:
        verb = "awaits its second look: it is" if awaiting == 1 else "await their second look: they are"
        note(f"{counted(awaiting, 'answer')} {verb} saved, and not yet part of the share that is done.")
    if not progress.raters:
        note(f"Nobody has begun. Begin with: reviewer review {name} --rater YOUR-NAME")


def _table(progress: StudyProgress) -> Table:
    """One row a rater; what awaits a second look has a column where the study has second looks."""
    twice = progress.looks_twice
    rows: list[list[Cell]] = [
        [
            rater.rater,
            rater.labelled,
            *([rater.awaiting] if twice else []),
            rater.skipped,
            progress.slots,
            rater.done / progress.slots,
        ]
        for rater in progress.raters
    ]
    awaiting = ("awaiting second look",) if twice else ()
    return Table.of(("rater", "labelled", *awaiting, "skipped", "of", "share"), rows)
