"""``reviewer progress``: how far each rater of a study is, and notes for its leads."""

from collections.abc import Sequence

from reviewer.cli.printing import note, print_rows, print_table
from reviewer.cli.store_access import open_store
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.core.table import Cell, Table
from reviewer.options.reviewing import ProgressOptions
from reviewer.study.design.left_out_raters import excluded_in_words
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.session.blinding import why_not_agreement, why_not_warnings
from reviewer.study.session.rater_progress import StudyProgress, progress_of
from store.database import Database


def progress_command(options: ProgressOptions) -> None:
    """``reviewer progress``: how far each rater of a study is."""
    database = open_store(options.store)
    progress = progress_of(database, options.name)
    if options.shown != "raters":
        _print_for_lead(database, progress, options)
        return
    refused = why_not_warnings(database, progress, options.who)
    warnings = None if refused else _warnings(database, progress)
    print_table(_table(progress, warnings), options.form)
    awaiting = sum(rater.awaiting for rater in progress.raters)
    if awaiting:
        verb = "awaits its second look: it is" if awaiting == 1 else "await their second look: they are"
        note(f"{counted(awaiting, 'answer')} {verb} saved, and not yet part of the share that is done.")
    if not progress.raters:
        note(
            "Nobody answered, and the study is closed."
            if progress.study.closed_at
            else f"Nobody has begun. Begin with: reviewer review {options.name} --rater YOUR-NAME"
        )
    if warnings is not None:
        note(*_notes_for_lead(database, progress, options.who))
    for sentences in (warnings or {}).values():
        note(*(f"Warning: {sentence}" for sentence in sentences))


def _print_for_lead(database: Database, progress: StudyProgress, options: ProgressOptions) -> None:
    """Print the work of raters by question, or their remarks; raises RequestError for anybody else."""
    from reviewer.results.labels.rater_work import rater_work, remarks_of  # numpy takes a moment to load
    from reviewer.results.tables.rater_tables import REMARKS, WORK, lines_of
    from reviewer.study.integrity.quarantine import read_study
    from reviewer.study.session.label_rows import label_rows

    if refused := why_not_warnings(database, progress, options.who):
        raise RequestError(refused)
    bundle, events = read_study(database, options.name, late=True)
    if options.shown == "drift":
        _print_drift(database, progress, options)
    elif options.shown == "comments":
        print_rows(REMARKS, remarks_of(bundle, events), options.form)
    else:
        rows = label_rows(bundle, events, everyone=True)
        print_rows(WORK, lines_of(rater_work(bundle, rows, events)), options.form)


def _print_drift(database: Database, progress: StudyProgress, options: ProgressOptions) -> None:
    """Print how raters change over their work, to somebody who may see warnings about them."""
    from reviewer.results.labels.rater_warnings import drift_remarks, rater_drift
    from reviewer.results.tables.rater_tables import DRIFT
    from reviewer.study.integrity.quarantine import read_study
    from reviewer.study.session.label_rows import label_rows

    bundle, events = read_study(database, options.name, late=True)
    hidden = why_not_agreement(progress, options.who)
    rows = label_rows(bundle, events)
    quarters = rater_drift(bundle, rows, with_agreement=hidden is None)
    print_rows(DRIFT, quarters, options.form)
    note(*([hidden] if hidden else []), *drift_remarks(rows, quarters), *excluded_in_words(bundle))


def _notes_for_lead(database: Database, progress: StudyProgress, person: str) -> Sequence[str]:
    """Notes for the lead of a study with third votes or a rule for stopping."""
    if not StudyDesign.of(progress.study).needs_its_lead:
        return ()
    from reviewer.results.labels.rater_work import lead_notes
    from reviewer.study.integrity.quarantine import read_study

    return lead_notes(progress, person, *read_study(database, progress.study.name, late=True)).sentences


def _warnings(database: Database, progress: StudyProgress) -> dict[str, list[str]]:
    """Rater → warnings about them."""
    if not any(rater.labelled for rater in progress.raters):
        return {}
    from reviewer.results.labels.rater_warnings import rater_warnings  # loads where there is an answer
    from reviewer.study.integrity.quarantine import read_study
    from reviewer.study.session.label_rows import label_rows

    bundle, events = read_study(database, progress.study.name, late=True)
    warnings: dict[str, list[str]] = {}
    for warning in rater_warnings(bundle, label_rows(bundle, events)):
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
