"""``reviewer templates shares``: published tables of shares by level, checked and summed up."""

from pathlib import Path

from reviewer.cli.options import note, print_table
from reviewer.cli.templates.rules import slot_templates
from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_source_text
from reviewer.exchange.rows.published_csv import published_rows
from reviewer.options.templates import TemplatesSharesOptions

_MOST_BYTES = 64 * 1024 * 1024


def templates_shares_command(options: TemplatesSharesOptions) -> None:
    """Carry out ``reviewer templates shares``."""
    slots, texts = slot_templates(), _texts(options.files)
    if options.cells:
        shares = slots.compared_shares(texts, *published_rows(options.cells, slots.share_columns))
    else:
        shares = slots.published_shares(texts, options.view)
    print_table(shares.table, options.form)
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
