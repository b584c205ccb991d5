"""``reviewer store check``: whether every verdict is whole."""

import re

import click

from reviewer.cli.options import format_option, note, print_table, protocols_here, store_option
from reviewer.core.errors import RequestError
from reviewer.core.table import Table
from reviewer.options.shared import Format
from store.location import file_of


@click.command("check", epilog="Example: reviewer store check")
@click.option(
    "--against",
    metavar="DIGEST",
    help="A digest that a report or an earlier check printed. The check says whether everything that it "
    "covers is still there.",
)
@format_option
@store_option
def store_check_command(against: str | None, form: Format, store: str) -> None:
    """Check that no answer or case in the store was deleted, changed or damaged.

    The first line gives the result; each problem follows on a line of its own. The exit code is 2 if there is
    a problem. The check works on a temporary copy and changes nothing in the store.

    The check recomputes the digests of all events (answers, comments, flags …) and cases. It also checks the
    order of the events, what they refer to, the seals of releases, the database's protections against
    editing, and gaps where a row is missing.

    The check prints a digest of each study, as the study's report does. Keep it. Give it later with --against
    to see whether everything that it covers is still there, unchanged.

    Whenever a study is created, packed, closed or reported, the store keeps a signed count of its contents.
    The check names whatever was deleted or changed since then. It also reports signed counts that are
    missing.

    Two kinds of change go unnoticed. Somebody can delete the newest events before they are counted, or
    together with their count. Somebody can also rewrite the whole store. A digest that you keep elsewhere
    reveals both. Counts do not cover what may change later by design: raters' profiles, descriptions of
    studies, dismissals, measurements and findings. The index that finds cases by words is not checked, as it
    holds nothing of its own: `reviewer store copy` writes a store with a new index.
    """
    from reviewer.exchange.packs.backup import checked

    wanted = None if against is None else checked_digest(against)
    check = checked(store, protocols_here())
    click.echo(check.sentence, err=form != "table")
    for study in check.counts:
        click.echo(f"Digest of study {study.study!r}: {study.digest}", err=form != "table")
        click.echo(study.sentence, err=form != "table")
    compared = None if wanted is None else check.compared(wanted)
    if compared is not None:
        click.echo(compared.sentence, err=form != "table")
    if check.faults or form != "table":
        rows = [(fault.study, fault.where, fault.wrong) for fault in check.faults]
        print_table(Table.of(("study", "where", "what is wrong"), rows), form)
    for remark in check.remarks:
        note(remark)
    note(_PROVES)
    if file_of(store) is not None:  # a server searches the texts themselves
        note(_NOT_CHECKED)
    if check.faults or not (compared is None or compared.holds):
        click.get_current_context().exit(2)


_PROVES = (
    "Signed counts prove that what they cover is still there, unchanged. They do not prove this of newer "
    "events and counts, nor that nobody rewrote the whole store. A digest that you keep elsewhere does: give "
    "it with --against."
)

_NOT_CHECKED = (
    "Not checked: the index that finds cases by words. If a search misses cases, `reviewer store copy` "
    "writes a store with a new index."
)


def checked_digest(text: str) -> str:
    """A digest as it is printed, blanks and letter case aside; raises RequestError for anything else."""
    digest = text.strip().lower()
    if re.fullmatch("[0-9a-f]{64}", digest) is None:
        raise RequestError("--against takes the 64 hex digits that reports and `store check` print.")
    return digest
