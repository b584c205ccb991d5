"""Importing filled validation sheets: all of them, as events of the ledger, or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import text_fault
from reviewer.exchange.labels.verdict_storing import IncomingVerdict, StoredVerdicts, store_verdicts
from reviewer.exchange.sheets.filled_sheets import Problem, read_filled
from reviewer.exchange.sheets.sheet_matching import match_sheets
from reviewer.exchange.sheets.sheet_writer import sheets_of
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.transfer.answer_reports import late_answers_refused
from store.database import Database


@dataclass(frozen=True, slots=True)
class CheckedSheets:
    """The verdicts in the sheets, the problems that keep them from being stored, and notices."""

    verdicts: tuple[IncomingVerdict, ...]
    problems: tuple[Problem, ...]
    notices: tuple[str, ...]


def check_sheets(bundle: StudyBundle, path: Path) -> CheckedSheets:
    """Read and match everything without writing anything; raises InputError for no sheets at all."""
    validation = sheets_of(bundle)
    if bundle.study.closed_at is not None:
        raise RequestError(late_answers_refused(bundle.study.name, bundle.study.closed_at))
    matched = match_sheets(bundle, read_filled(path, validation.sheets))
    unfit = [
        Problem(verdict.file, verdict.line, None, f"its comment {'; '.join(fault)}")
        for verdict in matched.verdicts
        if (fault := text_fault(verdict.comment))
    ]
    return CheckedSheets(tuple(matched.verdicts), (*matched.problems, *unfit), tuple(matched.notices))


def store_sheets(
    database: Database, bundle: StudyBundle, rater: str, verdicts: Sequence[IncomingVerdict]
) -> StoredVerdicts:
    """Append what differs from the rater's current verdicts, in one turn of the ledger.

    An empty cell takes nothing back. Raises RequestError for a rater who may not take part.
    """
    return store_verdicts(database, bundle, {rater: verdicts}, "spreadsheet")
