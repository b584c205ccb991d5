"""``reviewer progress``: how far each rater of a study is."""

from reviewer.cli.options import note, open_store, print_table
from reviewer.core.sanitize import counted, visible
from reviewer.core.table import Cell, Table
from reviewer.options.progress import ProgressOptions
from reviewer.study.session.blinding import may_see_warnings
from reviewer.study.session.rater_progress import StudyProgress, progress_of
from store.database import Database


def progress_command(options: ProgressOptions) -> None:
    """Carry out ``reviewer progress``."""
    database = open_store(options.store, must_exist=True)
    progress = progress_of(database, options.name)
    warnings = _warnings(database, options.name) if may_see_warnings(progress, options.who) else None
    print_table(_table(progress, warnings), options.form)
    awaiting = sum(rater.awaiting for rater in progress.raters)
    if awaiting:
        verb = "awaits its second look: it is" if awaiting == 1 else "await their second look: they are"
        note(f"{counted(awaiting, 'answer')} {verb} saved, and not yet part of the share that is done.")
    if not progress.raters:
        note(f"Nobody has begun. Begin with: reviewer review {options.name} --rater YOUR-NAME")
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
