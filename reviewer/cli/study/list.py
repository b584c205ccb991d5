"""``reviewer study list``: the studies of the store."""

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.cli.study import EXAMPLE
from reviewer.core.table import Table
from reviewer.options.shared import Format
from reviewer.study.session.rater_progress import StudyProgress, study_progress


@click.command("list", epilog="Example: reviewer study list")
@format_option
@store_option
def study_list_command(form: Format, store: str) -> None:
    """List the studies."""
    studies = study_progress(open_store(store, must_exist=True))
    rows = [
        (
            p.study.name,
            p.study.protocol,
            p.cases,
            p.questions,
            len(p.raters),
            p.study.view,
            p.study.seed,
            _state(p),
        )
        for p in studies
    ]
    columns = ("study", "protocol", "cases", "questions", "raters", "view", "seed", "state")
    print_table(Table.of(columns, rows), form)
    if not studies:
        note(f"No studies yet. {EXAMPLE}")


def _state(progress: StudyProgress) -> str:
    if progress.study.closed_at:
        return "closed"
    return "all done" if progress.finished else "open"
