"""``reviewer study pack``: one file with all that one rater needs."""

import click

from reviewer.cli.options import note, open_store
from reviewer.core.sanitize import counted
from reviewer.options.study import StudyPackOptions


def study_pack_command(options: StudyPackOptions) -> None:
    """Carry out ``reviewer study pack``."""
    from reviewer.exchange.packs.pack import write_pack

    pack = write_pack(
        open_store(options.store, must_exist=True),
        options.study,
        options.rater,
        options.output,
        bare=options.bare,
    )
    held = f", {counted(len(pack.events), 'event')} of {options.rater} so far" if pack.events else ""
    click.echo(
        f"{options.output}: {counted(len(pack.sample), 'case')}{held}, "
        f"{options.output.stat().st_size:,} bytes"
    )
    note(f"{options.rater} opens it with: reviewer review {options.output.name}")
    note(f"Bring it back with: reviewer merge {options.output.name}")
