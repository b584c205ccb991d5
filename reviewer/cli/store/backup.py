"""``reviewer store backup``: the store as it is at one moment."""

import click

from reviewer.cli.options import note, protocols_here
from reviewer.options.store import StoreBackupOptions


def store_backup_command(options: StoreBackupOptions) -> None:
    """Carry out ``reviewer store backup``."""
    from reviewer.exchange.packs.backup import back_up_store

    check = back_up_store(options.store, options.output, protocols_here())
    click.echo(f"{options.output}: {options.output.stat().st_size:,} bytes. {check.sentence}")
    if check.faults:
        note("The store itself is not whole; see `reviewer store check`.")
        click.get_current_context().exit(2)
