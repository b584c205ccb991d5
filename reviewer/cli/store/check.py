"""``reviewer store check``: whether every verdict is whole."""

import re

import click

from reviewer.cli.options import Format, format_option, note, print_table, protocols_here, store_option
from reviewer.core.errors import RequestError
from reviewer.core.table import Table


@click.command("check", epilog="Example: reviewer store check")
@click.option(
    "--against",
    metavar="DIGEST",
    help="A digest that a report or an earlier check printed. The check says whether the store still holds"
    " everything it covers.",
)
@format_option
@store_option
def store_check_command(against: str | None, form: Format, store: str) -> None:
    """Check that every verdict is whole, and list every fault; the exit code is 2 if there are any.

    Recomputes the digests of events and cases; checks ids, their order, what events refer to, that the
    triggers exist, and the file itself. Reads a copy: nothing is repaired or brought up to date.

    Prints a digest for each study. Reports print the same one, and --against says whether the store still
    holds everything that a digest covers. Making, packing and closing a study, and each report, sign a count
    of what it holds: the check names what was deleted or changed since. Each study records that it has
    counts, so the check also reports if its first count, or the count of a closing, is gone. Deleted rows are
    reported too if later rows of the same table are left.

    A check cannot show that nobody deleted the newest events, or the newest count together with the events
    after the count before it. It cannot show that nobody with write access to the store rewrote all of it.
    For that, keep a digest elsewhere. Counts do not cover what may change later by design: raters' profiles,
    descriptions of studies, dismissals, and what machines measured and found.
    """
    from reviewer.exchange.packs.backup import checked

    wanted = None if against is None else checked_digest(against)
    found = checked(store, protocols_here())
    click.echo(found.sentence, err=form != "table")
    for study in found.counts:
        click.echo(f"Digest of study {study.study!r}: {study.digest}", err=form != "table")
        click.echo(study.sentence, err=form != "table")
    compared = None if wanted is None else found.compared(wanted)
    if compared is not None:
        click.echo(compared.sentence, err=form != "table")
    if found.faults or form != "table":
        rows = [(fault.study, fault.where, fault.wrong) for fault in found.faults]
        print_table(Table.of(("study", "where", "what is wrong"), rows), form)
    for remark in found.remarks:
        note(remark)
    note(_PROVES)
    if found.faults or not (compared is None or compared.holds):
        click.get_current_context().exit(2)


_PROVES = (
    "What signed counts cover is proved. Not proved: newer events, that no newer count was deleted, and a "
    "store that somebody rewrote as a whole. A digest that you keep elsewhere proves that too: compare it "
    "with --against."
)


def checked_digest(text: str) -> str:
    """A digest as it is printed, blanks and letter case aside; raises RequestError for anything else."""
    digest = text.strip().lower()
    if re.fullmatch("[0-9a-f]{64}", digest) is None:
        raise RequestError("--against takes the 64 hex digits that reports and `store check` print.")
    return digest
