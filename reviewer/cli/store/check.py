"""``reviewer store check``: whether every verdict is whole."""

import re

import click

from reviewer.cli.options import note, print_table, protocols_here
from reviewer.core.errors import RequestError
from reviewer.core.table import Table
from reviewer.options.store import StoreCheckOptions
from store.location import file_of


def store_check_command(options: StoreCheckOptions) -> None:
    """Carry out ``reviewer store check``."""
    from reviewer.exchange.packs.backup import checked

    wanted = None if options.against is None else checked_digest(options.against)
    check = checked(options.store, protocols_here())
    click.echo(check.sentence, err=options.form != "table")
    for study in check.counts:
        click.echo(f"Digest of study {study.study!r}: {study.digest}", err=options.form != "table")
        click.echo(study.sentence, err=options.form != "table")
    compared = None if wanted is None else check.compared(wanted)
    if compared is not None:
        click.echo(compared.sentence, err=options.form != "table")
    if check.faults or options.form != "table":
        rows = [(fault.study, fault.where, fault.wrong) for fault in check.faults]
        print_table(Table.of(("study", "where", "what is wrong"), rows), options.form)
    for remark in check.remarks:
        note(remark)
    note(_PROVES)
    if file_of(options.store) is not None:  # a server searches the texts themselves
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
