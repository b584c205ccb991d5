"""``reviewer study pack``: one file with all that one rater needs."""

from pathlib import Path

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.core.sanitize import counted

_PACK_EXAMPLE = "Example: reviewer study pack pilot --rater anna -o anna.review"


@click.command("pack", epilog=_PACK_EXAMPLE)
@click.argument("study", metavar="STUDY")
@click.option("--rater", required=True, help="The rater who will work with the pack.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The file to create.")
@click.option(
    "--bare",
    is_flag=True,
    help="Leave out the automatic measurements and findings. Otherwise a rater could read them with "
    "another program before answering.",
)
@store_option
def study_pack_command(study: str, rater: str, output: Path, bare: bool, store: str) -> None:
    """Write one file with everything that one rater needs. `reviewer review FILE` opens it on any machine.

    The file holds nothing about other raters, and no known answers except those for training. It is sealed:
    when it comes back, `reviewer merge FILE` names everything that was altered on the way.
    """
    from reviewer.exchange.packs.pack import write_pack

    pack = write_pack(open_store(store, must_exist=True), study, rater, output, bare=bare)
    held = f", {counted(len(pack.events), 'event')} of {rater} so far" if pack.events else ""
    click.echo(f"{output}: {counted(len(pack.sample), 'case')}{held}, {output.stat().st_size:,} bytes")
    note(f"{rater} opens it with: reviewer review {output.name}")
    note(f"Bring it back with: reviewer merge {output.name}")
