"""``reviewer templates reading``: how well free answers with known choices are read."""

from reviewer.cli.options import note, print_table
from reviewer.cli.templates.rules import slot_templates
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_source_text
from reviewer.options.templates import TemplatesReadingOptions

_MOST_BYTES = 64 * 1024 * 1024


def templates_reading_command(options: TemplatesReadingOptions) -> None:
    """Carry out ``reviewer templates reading``."""
    where = repr(one_line(options.file.name))
    text = read_source_text(options.file, where, _MOST_BYTES, "give a file of answers")
    readings = slot_templates().known_readings(text, where, errors=options.errors)
    print_table(readings.table, options.form)
    for sentence in readings.notes:
        note(sentence)
