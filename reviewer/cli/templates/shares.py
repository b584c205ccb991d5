"""``reviewer templates shares``: published tables of shares by level, checked and summed up."""

from pathlib import Path

import click

from reviewer.cli.options import format_option, note, print_table
from reviewer.cli.templates.rules import slot_templates
from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_source_text
from reviewer.exchange.rows.published_csv import published_rows
from reviewer.options.shared import Format

_MOST_BYTES = 64 * 1024 * 1024


@click.command("shares", epilog="Example: reviewer templates shares full_report-api.json --view ranking")
@click.argument(
    "files",
    metavar="FILE.json...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
)
@click.option(
    "--view",
    type=click.Choice(["entries", "ranking", "levels"]),
    default="entries",
    show_default=True,
    help="entries: every share; ranking: models, over the groups that all of them have; levels: the mean "
    "over models at each level, with the slope from one level to the next.",
)
@click.option(
    "--cells",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="Compare a published table of averages instead, a CSV with the columns model_key, bias, "
    "paper_table1.",
)
@format_option
def templates_shares_command(files: tuple[Path, ...], view: str, cells: Path | None, form: Format) -> None:
    """Check published shares of resistant answers by model, group, temperature and level, and print them.

    The shares were published without the cases, so no interval over cases can be computed. The command
    checks that each average is the mean of its levels, and that each share is a whole number of answers. It
    also lists runs that have fewer answers than others of their group. The shares of these runs
    are not checked for whole numbers, because their number of answers at each level is not published.
    """
    slots, texts = slot_templates(), _texts(files)
    if cells:
        shares = slots.compared_shares(texts, *published_rows(cells, slots.share_columns))
    else:
        shares = slots.published_shares(texts, view)
    print_table(shares.table, form)
    for sentence in shares.notes:
        note(sentence)


def _texts(files: tuple[Path, ...]) -> dict[str, str]:
    """The texts by the names of their files; files of one name are called by their paths."""
    texts: dict[str, str] = {}
    for file in files:
        alike = [other for other in files if other.name == file.name]
        where = repr(one_line(str(file))) if len(alike) > 1 else _named(file)
        if where in texts:
            raise InputError(where, "is given twice", "name it once")
        texts[where] = read_source_text(file, where, _MOST_BYTES, "give a file")
    return texts


def _named(file: Path) -> str:
    return repr(one_line(file.name))
