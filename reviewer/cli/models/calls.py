"""``reviewer models calls``: the calls that the store keeps, counted."""

from contextlib import closing
from dataclasses import fields

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.core.table import Table
from reviewer.options.shared import Format
from store.calls import CallTotal, call_totals


@click.command("calls", epilog="Example: reviewer models calls --format csv")
@format_option
@store_option
def models_calls_command(form: Format, store: str) -> None:
    """Count the calls in the store, with their tokens and cost, by endpoint, model and purpose.

    Tokens are counted by the servers. If a server reported no tokens, or impossible numbers, they are
    estimated from the text, and the calls are counted as estimated.
    """
    with closing(open_store(store, must_exist=True)) as database, database.read() as session:
        totals = call_totals(session)
    names = [field.name for field in fields(CallTotal)]
    print_table(Table.of(names, [[getattr(total, name) for name in names] for total in totals]), form)
    if unpriced := sum(total.unpriced for total in totals):
        note(f"Calls without a known price: {unpriced:,}; the cost does not include them.")
    if estimated := sum(total.estimated for total in totals):
        note(f"Calls whose cost is estimated from their text, for want of token counts: {estimated:,}.")
