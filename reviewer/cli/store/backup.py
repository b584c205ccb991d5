"""``reviewer store backup``: the store as it is at one moment."""

from pathlib import Path

import click

from reviewer.cli.options import note, protocols_here, store_option


@click.command("backup", epilog="Example: reviewer store backup -o reviewer-monday.db")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The file to create.")
@store_option
def store_backup_command(output: Path, store: str) -> None:
    """Back up the store, also while people work on it, and check the copy."""
    from reviewer.exchange.packs.backup import back_up_store

    check = back_up_store(store, output, protocols_here())
    click.echo(f"{output}: {output.stat().st_size:,} bytes. {check.sentence}")
    if check.faults:
        note("The store itself is not whole; see `reviewer store check`.")
        click.get_current_context().exit(2)
