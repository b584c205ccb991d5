"""``reviewer templates show``: what templates hold, and where."""

from collections.abc import Iterator
from pathlib import Path

import click

from reviewer.cli.options import Format, format_option, note, print_table
from reviewer.core.case_template import CaseTemplate
from reviewer.core.gap_text import TemplateText, TextPlace, parts_of_kind, template_source
from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.exchange.rows.template_files import read_templates

_COLUMNS = ("group", "variant", "version", "kind", "text", "line", "column")
_Row = tuple[str, str, str, str, str, int | None, int | None]


@click.command("show", epilog="Example: reviewer templates show Anchoring.xml")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@format_option
def templates_show_command(files: tuple[Path, ...], form: Format) -> None:
    """Check templates, and list their gaps, values and options with their places in the file.

    FILE is an .xml file of the published form, a .toml file, or a folder of such files. The first fault is
    reported with its line and column.
    """
    read = read_templates(files)
    rows = [row for template in read.templates for row in _rows(template)]
    print_table(Table.of(_COLUMNS, rows), form)
    scenarios = f" and {counted(len(read.scenarios), 'scenario')}" if read.scenarios else ""
    note(f"{counted(len(read.templates), 'template')}{scenarios} without a fault.")


def _rows(template: CaseTemplate) -> Iterator[_Row]:
    for name, value in template.values.items():
        place = value.place
        in_file = place != TextPlace()  # others are added for their group when the file is read
        yield (
            *(template.group, "", "", "list" if in_file else "added"),
            name,
            place.line if in_file else None,
            place.column if in_file else None,
        )
    for variant in template.variants:
        for kind, version in variant.versions:
            where = template.group, variant.name, kind
            for text in version.texts:
                yield from _of_text(where, text)
            for option in version.options:
                place = option[0].place
                yield *where, "option", template_source(option), place.line, place.column


def _of_text(where: tuple[str, str, str], text: TemplateText) -> Iterator[_Row]:
    for kind in ("gap", "value"):
        for part in parts_of_kind(text, "gap" if kind == "gap" else "value"):
            yield *where, kind, part.text, part.place.line, part.place.column
