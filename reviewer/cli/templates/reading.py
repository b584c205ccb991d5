"""``reviewer templates reading``: how well free answers with known choices are read."""

from collections import Counter
from pathlib import Path

import click

from reviewer.agreement import wilson
from reviewer.cli.options import Format, format_option, note, print_table
from reviewer.core.errors import InputError
from reviewer.core.number_text import fixed
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_source_text
from reviewer.core.table import Cell, Table
from reviewer.protocols.detail_levels.reader_errors import RESULTS, RIGHT, KnownReading, known_readings

_MOST_BYTES = 64 * 1024 * 1024


@click.command("reading", epilog="Example: reviewer templates reading level-answers.jsonl --errors")
@click.argument("file", metavar="FILE.jsonl", type=click.Path(path_type=Path))
@click.option("--errors", is_flag=True, help="List every answer that is read wrongly instead.")
@format_option
def templates_reading_command(file: Path, errors: bool, form: Format) -> None:
    """Read free answers whose choice is known, and count the reader's errors by the kind of answer.

    FILE is JSON Lines with cases of the protocol level-answers. Each case needs the published values
    known_choice and kind_of_answer. `reviewer protocol example level-answers` writes such a file with 200
    answers.
    """
    where = repr(one_line(file.name))
    text = read_source_text(file, where, _MOST_BYTES, "give a file of answers")
    readings = list(known_readings(text, where))
    if not readings:
        raise InputError(where, "holds no answer", "check that it is the right file")
    print_table(_errors(readings) if errors else _by_kind(readings), form)
    right = sum(reading.result == RIGHT for reading in readings)
    interval = wilson(right, len(readings))
    ends = f"{fixed(interval.low, 3)} to {fixed(interval.high, 3)}, {interval.method}"
    share = fixed(right / len(readings), 3)
    note(f"{right:,} of {len(readings):,} answers are read rightly: {share} ({ends}).")


def _by_kind(readings: list[KnownReading]) -> Table:
    counts = Counter((reading.kind, reading.result) for reading in readings)
    kinds = dict.fromkeys(reading.kind for reading in readings)
    rows: list[tuple[Cell, ...]] = [
        (kind, sum(counts[kind, result] for result in RESULTS), *(counts[kind, result] for result in RESULTS))
        for kind in kinds
    ]
    return Table.of(("kind", "answers", *RESULTS), rows)


def _errors(readings: list[KnownReading]) -> Table:
    rows = [
        (
            reading.key,
            reading.kind,
            reading.result,
            reading.known,
            reading.read,
            reading.remark,
            one_line(reading.answer),
        )
        for reading in readings
        if reading.result != RIGHT
    ]
    return Table.of(("key", "kind", "result", "known", "read", "remark", "answer"), rows)
