"""``reviewer templates reading``: how well free answers with known choices are read."""

from pathlib import Path

import click

from reviewer.cli.options import format_option, note, print_table
from reviewer.cli.templates.rules import slot_templates
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_source_text
from reviewer.options.shared import Format

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
    readings = slot_templates().known_readings(text, where, errors=errors)
    print_table(readings.table, form)
    for sentence in readings.notes:
        note(sentence)
