"""``reviewer templates shares``: published tables of shares by level, checked and summed up."""

from collections.abc import Iterator
from pathlib import Path

import click

from reviewer.cli.options import Format, format_option, note, print_table
from reviewer.core.errors import InputError
from reviewer.core.estimate import Estimate
from reviewer.core.number_text import all_digits
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.core.source_text import read_source_text
from reviewer.core.table import Cell, Table
from reviewer.exchange.rows.published_csv import published_rows
from reviewer.protocols.detail_levels.level_instance import NUMBER_OF_LEVELS
from reviewer.protocols.detail_levels.published_shares import (
    ABSENT,
    CELL_COLUMNS,
    WITHOUT_CASES,
    PublishedShares,
    read_shares,
)

_MOST_BYTES = 64 * 1024 * 1024
_LEVELS = tuple(f"level_{number}" for number in range(1, NUMBER_OF_LEVELS + 1))


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
    help=f"Compare a published table of averages instead, a CSV with the columns {', '.join(CELL_COLUMNS)}.",
)
@format_option
def templates_shares_command(files: tuple[Path, ...], view: str, cells: Path | None, form: Format) -> None:
    """Check published shares of resistant answers by model, group, temperature and level, and print them.

    The shares were published without the cases, so no interval over cases can be computed. The command
    checks that each average is the mean of its levels, and that each share is a whole number of answers. It
    also lists runs that have fewer answers than others of their group. The shares of these runs
    are not checked for whole numbers, because their number of answers at each level is not published.
    """
    shares = read_shares(_texts(files))
    if cells:
        _compare(shares, cells, form)
        return
    print_table({"entries": _entries, "ranking": _ranking, "levels": _levels}[view](shares), form)
    for sentence in _sentences(shares):
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


def _entries(shares: PublishedShares) -> Table:
    rows = [
        (
            *(entry.model, entry.group, entry.temperature, entry.answers),
            *(entry.estimate.value, *entry.levels),
            *(entry.average_fits, None if entry in shares.truncated else entry.counts_fit),
        )
        for entry in shares.entries
    ]
    columns = ("model", "group", "temperature", "answers", "average", *_LEVELS)
    return Table.of((*columns, "average_is_mean", "whole_numbers"), rows)


def _ranking(shares: PublishedShares) -> Table:
    rows = [(each.rank, each.model, all_digits(each.resistance), each.answers) for each in shares.ranking()]
    return Table.of(("rank", "model", "resistance", "answers"), rows)


def _levels(shares: PublishedShares) -> Table:
    rows = [(each.group, *map(all_digits, each.levels), *_ends(each.slope)) for each in shares.level_means()]
    return Table.of(("group", *_LEVELS, "slope", "low", "high", "models"), rows)


def _ends(slope: Estimate) -> Iterator[Cell]:
    low, high = (slope.interval.low, slope.interval.high) if slope.interval else (None, None)
    yield from (all_digits(slope.value), all_digits(low), all_digits(high), slope.n)


def _sentences(shares: PublishedShares) -> Iterator[str]:
    for file in dict.fromkeys(entry.file for entry in shares.entries):
        entries = [entry for entry in shares.entries if entry.file == file]
        answers = sum(entry.answers for entry in entries)
        models = counted(len({entry.model for entry in entries}), "model")
        number = f"{len(entries):,} {'entry' if len(entries) == 1 else 'entries'}"
        truncated = counted(sum(entry in shares.truncated for entry in entries), "truncated run")
        yield f"{file}: {number} of {models}, {answers:,} answers, {truncated}."
    fit = sum(entry.average_fits for entry in shares.entries)
    yield f"The average is the mean of the levels to 1e-9 in {fit:,} of {len(shares.entries):,}."
    whole = [entry for entry in shares.entries if entry not in shares.truncated]
    fit = sum(entry.counts_fit for entry in whole)
    yield f"The shares are whole numbers of answers in {fit:,} of {len(whole):,} without the truncated runs."
    yield from shares.faults()
    if shares.truncated:
        yield "Counts by level are not published for the runs with fewer answers than others of their group:"
        for entry in shares.truncated:
            where = f"{entry.model}, {entry.group}, temperature {entry.temperature}"
            yield f"  {where}: {entry.answers:,} answers."
    yield ABSENT
    for model in shares.models:
        if lacking := [group for group in shares.groups if (model, group) not in shares.by_cell]:
            yield f"{model} has no share for {', '.join(lacking)}."
    common = shares.common_groups
    yield f"Models are ranked over the {len(common)} of {counted(len(shares.groups), 'group')} that all have."
    yield f"Shares are {WITHOUT_CASES}, so they have no interval over cases."


def _compare(shares: PublishedShares, file: Path, form: Format) -> None:
    where, rows = published_rows(file, CELL_COLUMNS)
    compared = list(shares.compared(rows, where))
    table = [
        (cell.model, cell.group, cell.published, all_digits(cell.recomputed), cell.fits) for cell in compared
    ]
    print_table(Table.of(("model", "group", "published", "recomputed", "within_.001"), table), form)
    known = [cell.fits for cell in compared if cell.fits is not None]
    of = f"{sum(known):,} of {counted(len(known), 'cell')}"
    note(f"{of} {agreeing(len(known), 'is', 'are')} within .001 of the mean over temperatures.")
    if absent := len(compared) - len(known):
        have = agreeing(absent, "has no shares", "have no shares")
        note(f"{counted(absent, 'cell')} {have} in the files: not compared.")
