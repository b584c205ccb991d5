"""``reviewer models calls``: the calls that the store keeps, counted."""

from contextlib import closing
from dataclasses import fields

from reviewer.cli.options import note, open_store, print_table
from reviewer.core.table import Table
from reviewer.options.models import ModelsCallsOptions
from store.calls import CallTotal, call_totals


def models_calls_command(options: ModelsCallsOptions) -> None:
    """Carry out ``reviewer models calls``."""
    with closing(open_store(options.store, must_exist=True)) as database, database.read() as session:
        totals = call_totals(session)
    names = [field.name for field in fields(CallTotal)]
    print_table(Table.of(names, [[getattr(total, name) for name in names] for total in totals]), options.form)
    if unpriced := sum(total.unpriced for total in totals):
        note(f"Calls without a known price: {unpriced:,}; the cost does not include them.")
    if estimated := sum(total.estimated for total in totals):
        note(f"Calls whose cost is estimated from their text, for want of token counts: {estimated:,}.")
