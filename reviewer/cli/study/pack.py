"""``reviewer study pack``: one file with all that one rater needs."""

from pathlib import Path

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.core.sanitize import counted

_PACK_EXAMPLE = "Example: reviewer study pack pilot --rater anna -o anna.review"


@click.command("pack", epilog=_PACK_EXAMPLE)
@click.argument("study", metavar="STUDY")
@click.option("--rater", required=True, help="Who will work in it.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The new file.")
@click.option(
    "--bare",
    is_flag=True,
    help="Leave out what machines say about the questions; other programs could read it before the answers.",
)
@store_option
def study_pack_command(study: str, rater: str, output: Path, bare: bool, store: str) -> None:
    """Write one file with all that one rater needs: `reviewer review FILE` opens it on any machine.

    It holds nothing of other raters and no known answers but those of training, and is sealed: what was
    altered on its way is named when it comes back through `reviewer merge FILE`.
    """
    from reviewer.exchange.packs.pack import write_pack

    pack = write_pack(open_store(store, must_exist=True), study, rater, output, bare=bare)
    held = f", {counted(len(pack.events), 'event')} of {rater} so far" if pack.events else ""
    click.echo(f"{output}: {counted(len(pack.sample), 'case')}{held}, {output.stat().st_size:,} bytes")
    note(f"{rater} opens it with: reviewer review {output.name}")
    note(f"Bring it back with: reviewer merge {output.name}")
