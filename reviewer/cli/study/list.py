"""``reviewer study list``: the studies of the store."""

from reviewer.cli.options import note, open_store, print_table
from reviewer.core.table import Table
from reviewer.options.study import StudyListOptions
from reviewer.study.session.rater_progress import StudyProgress, study_progress


def study_list_command(options: StudyListOptions) -> None:
    """Carry out ``reviewer study list``."""
    studies = study_progress(open_store(options.store, must_exist=True))
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
    print_table(Table.of(columns, rows), options.form)
    if not studies:
        note(
            "No studies yet. Example: reviewer study new pilot --dataset gpt-4o-mini --per-group 5 --seed 42"
        )


def _state(progress: StudyProgress) -> str:
    if progress.study.closed_at:
        return "closed"
    return "all done" if progress.finished else "open"
