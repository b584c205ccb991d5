"""``reviewer templates nulls``: what the score of a test is for those who do not read it."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click

from reviewer.cli.options import Format, format_option, note, print_table
from reviewer.core.case_template import CaseTemplate
from reviewer.core.number_text import all_digits, fixed
from reviewer.core.sanitize import agreeing, one_line
from reviewer.core.table import Cell, Table
from reviewer.exchange.rows.template_files import read_templates
from reviewer.protocols.treatment_tests.score import SIZE_CAUTION, NullScores, null_scores, template_weights

_NAMES = tuple(field.name for field in fields(NullScores))
_COLUMNS = ("group", "options", *_NAMES, "remark")
_DIGITS = 6


@click.command("nulls", epilog="Example: reviewer templates nulls templates.toml --format csv")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@format_option
def templates_nulls_command(files: tuple[Path, ...], form: Format) -> None:
    """Print the exact mean score of a coin and of constant answers, for the template of each group.

    coin: the mean score if both decisions are drawn at random. size: the mean absolute score of that coin.
    first, middle, last: the mean score if this option is always chosen. first_place: the mean score if the
    option in the first place of the list is always chosen. In one half of the cases this is the last option,
    because the list is reversed. Parameters are sampled as the template says.
    """
    read = read_templates(files)
    rows = [
        (template, null_scores(_options(template), template_weights(template))) for template in read.templates
    ]
    print_table(Table.of(_COLUMNS, [tuple(_row(template, nulls, form)) for template, nulls in rows]), form)
    if shifted := [one_line(template.group) for template, nulls in rows if nulls.is_shifted]:
        scores = agreeing(len(shifted), "A coin does not score 0 on", "A coin does not score 0 on any of")
        note(f"{scores} {', '.join(shifted)}: compare its scores with the coin's, not with 0.")
    note(SIZE_CAUTION)


def _options(template: CaseTemplate) -> int:
    return len(template.variants[0].control.options)


def _row(template: CaseTemplate, nulls: NullScores, form: Format) -> Iterator[Cell]:
    yield template.group
    yield _options(template)
    for name in _NAMES:
        number = float(getattr(nulls, name))
        yield fixed(number, _DIGITS) if form == "table" else all_digits(number)
    yield "a coin does not score 0" if nulls.is_shifted else ""
