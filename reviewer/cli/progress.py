"""``reviewer progress``: how far each rater of a study is."""

import click

from reviewer.cli.options import Format, format_option, note, print_table, store_option
from reviewer.core.table import Table
from reviewer.study.session.rater_progress import progress_of
from store.database import Database


@click.command("progress", epilog="Example: reviewer progress pilot")
@click.argument("name", metavar="STUDY")
@format_option
@store_option
def progress_command(name: str, form: Format, store: str) -> None:
    """Show how far each rater of a study is. Answers are not shown."""
    progress = progress_of(Database.open(store, must_exist=True), name)
    rows = [
        (rater.rater, rater.done, rater.skipped, progress.slots, rater.done / progress.slots)
        for rater in progress.raters
    ]
    print_table(Table.of(("rater", "labelled", "skipped", "of", "share"), rows), form)
    if not rows:
        note(f"Nobody has begun. Begin with: reviewer review {name} --rater YOUR-NAME")
