"""``reviewer merge``: verdicts from other machines."""

from collections.abc import Sequence

import click

from reviewer.cli.options import note, open_store, print_table
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.core.table import Cell, Table
from reviewer.options.merge import MergeOptions
from reviewer.study.session.rater_progress import owed, progress_of
from reviewer.study.transfer.answer_reports import blank_answers, doubled_answers, late_answers
from reviewer.study.transfer.merge import Merged
from store.database import Database

_COLUMNS = (
    *("file", "study", "rater", "added", "there already", "late", "refused", "forks", "why"),
    *("kept aside", "revisions"),
)
_MOST_TOLD = 20


def merge_command(options: MergeOptions) -> None:
    """Carry out ``reviewer merge``."""
    from reviewer.exchange.packs.merge_files import merge_file
    from reviewer.study.transfer.merge import merge_waiting

    if not options.files and not options.accept_clock:
        raise click.UsageError("Missing argument 'FILE...'.")
    database = open_store(options.store, must_exist=True)
    done = [
        (file.name, account)
        for file in options.files
        for account in merge_file(
            database, file, trusted=options.trust, accept_clock=options.accept_clock, dry_run=options.dry_run
        )
    ]
    if options.accept_clock:
        done += merge_waiting(database, dry_run=options.dry_run)
    print_table(Table.of(_COLUMNS, [_row(name, account) for name, account in done]), options.form)
    if not options.dry_run:
        _tell_blank_answers(database, done)
    _tell(done, options.dry_run)


def _tell_blank_answers(database: Database, done: Sequence[tuple[str, Merged]]) -> None:
    """Say how many questions the raters of the files still leave open."""
    raters = dict.fromkeys((merged.study, merged.rater) for _, merged in done if merged.added or merged.known)
    late = {(merged.study, merged.rater) for _, merged in done if merged.late}
    for study, rater in raters:
        if left := owed(progress_of(database, study)).get(rater):
            which = f"{counted(left, 'question')} of rater {rater} in study {study}"
            which += " without an answer that came in time" if (study, rater) in late else ""
            note(f"Note: {blank_answers(which)}")


def _row(file: str, account: Merged) -> list[Cell]:
    counts = (account.added, account.known, account.late, len(account.refused), account.forks)
    return [
        file,
        account.study,
        account.rater,
        *counts,
        "; ".join(account.refused) or None,
        account.aside,
        account.revisions,
    ]


def _tell_apart(name: str, account: Merged) -> None:
    """Say what did not come into the ledger although it was not refused."""
    if account.aside:
        note(
            f"Kept aside: {counted(account.aside, 'event')} of {account.rater} from file {name!r}, whose ids "
            f"lie in the future (up to {account.until[:10]}): a clock was ahead. They count only after "
            "`reviewer merge --accept-clock`."
        )
    for missing in account.missing[:_MOST_TOLD]:
        note(f"File {name!r}: {missing}. This breaks nothing.")
    if len(account.missing) > _MOST_TOLD:
        note(f"File {name!r}: {len(account.missing) - _MOST_TOLD:,} more events are not here.")


def _tell(done: Sequence[tuple[str, Merged]], dry_run: bool) -> None:
    """Say in words what the table only counts; raises RequestError where anything was refused."""
    late = sum(account.late for _, account in done)
    # What comes late counts nowhere, so it is not the last one that counts either.
    forks = sum(account.forks for _, account in done if not account.late)
    if late:
        note(f"Note: {late_answers(counted(late, 'event'))}")
    if forks:
        note(f"Note: {doubled_answers(f'{forks} given on two machines, neither knowing the other')}")
    for name, account in done:
        _tell_apart(name, account)
        for remark in account.remarks:
            note(f"File {name!r}: {remark}.")
    if dry_run:
        note("Nothing was written: this was a dry run.")
    refusals = [f"file {name!r}: {why}" for name, account in done for why in account.refused]
    for refusal in refusals[:-1][:_MOST_TOLD]:
        note(f"Refused: {refusal}.")
    if refusals:
        more = f" (and {len(refusals) - 1} more refusals)" if len(refusals) > 1 else ""
        raise RequestError(f"refused{more}: {refusals[-1].rstrip('.')}.")
