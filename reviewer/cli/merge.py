"""``reviewer merge``: verdicts from other machines."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.core.table import Cell, Table
from reviewer.options.shared import Format
from reviewer.study.session.rater_progress import owed, progress_of
from reviewer.study.transfer.answer_reports import blank_answers, doubled_answers, late_answers
from reviewer.study.transfer.merge import Merged
from store.database import Database


def _store_or_into_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return store_option(command, "--into")


_MERGE_EXAMPLE = "Example: reviewer merge anna.review ben.review --dry-run"
_COLUMNS = (
    *("file", "study", "rater", "added", "there already", "late", "refused", "forks", "why"),
    *("kept aside", "revisions"),
)
_MOST_TOLD = 20


@click.command("merge", epilog=_MERGE_EXAMPLE)
@click.argument("files", metavar="FILE...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show what the merge would do. Nothing is written.")
@click.option(
    "--trust",
    is_flag=True,
    help="Accept verdicts from stores that are not copies of this one. You vouch for them.",
)
@click.option(
    "--accept-clock",
    is_flag=True,
    help="Also merge events dated more than a day in the future, including those that earlier merges kept "
    "aside.",
)
@format_option
@_store_or_into_option
def merge_command(
    files: tuple[Path, ...], dry_run: bool, trust: bool, accept_clock: bool, form: Format, store: str
) -> None:
    """Merge answers, comments and flags from packs or from whole stores.

    Files can be merged in any order and any number of times: an event is never added twice. Each file is
    merged in one transaction. Refused events are listed with the reason and set the exit code to 2; the
    others are merged. Events that reach the store after a study was closed are kept as late and not counted,
    whenever they were made. Events dated more than a day in the future are kept aside until you accept them
    with --accept-clock.
    """
    from reviewer.exchange.packs.merge_files import merge_file
    from reviewer.study.transfer.merge import merge_waiting

    if not files and not accept_clock:
        raise click.UsageError("Missing argument 'FILE...'.")
    database = open_store(store, must_exist=True)
    done = [
        (file.name, account)
        for file in files
        for account in merge_file(database, file, trusted=trust, accept_clock=accept_clock, dry_run=dry_run)
    ]
    if accept_clock:
        done += merge_waiting(database, dry_run=dry_run)
    print_table(Table.of(_COLUMNS, [_row(name, account) for name, account in done]), form)
    if not dry_run:
        _tell_blank_answers(database, done)
    _tell(done, dry_run)


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
