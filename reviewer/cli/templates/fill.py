"""``reviewer templates fill``: cases from templates with slots, without a model."""

import json
from itertools import groupby
from pathlib import Path

import click

from reviewer.cli.options import note
from reviewer.cli.templates.rules import slot_protocol, slot_templates
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted
from reviewer.exchange.rows.template_files import read_slot_file
from reviewer.protocols.templates.slot_template import USUAL_FILLINGS

_MOST_CASES = 200_000


@click.command("fill", epilog="Example: reviewer templates fill levels.toml --times 25 > cases.jsonl")
@click.argument("file", metavar="FILE.toml", type=click.Path(path_type=Path))
@click.option(
    "--times",
    type=click.IntRange(1, 10_000),
    default=USUAL_FILLINGS,
    show_default=True,
    help="How often each template is filled; no two fillings are the same.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Random seed. A different seed fills other words and numbers.",
)
def templates_fill_command(file: Path, times: int, seed: int) -> None:
    """Fill the slots of templates and print each filling as a case with five levels of detail.

    The slot `<name>` is filled with a word from a list. The slot `<name = [50, 75] / 100>` is filled with a
    computed number: here, a whole number from 50 to 75 is drawn and divided by 100. The cases are JSON Lines.
    Import them with `reviewer import cases.jsonl --dataset NAME`.
    """
    protocol = slot_protocol()
    slots = slot_templates()
    templates = read_slot_file(file, slots)
    if len(templates) * times > _MOST_CASES:
        raise RequestError(f"this gives more than {_MOST_CASES:,} cases; give a smaller number with --times.")
    cases = list(slots.cases(templates, times, seed))
    for made in cases:
        line = {
            "protocol": protocol.name,
            "group": made.case.group,
            "key": made.key,
            "generator": slots.filled_by,
            "payload": made.case.payload,
            "published": dict(made.published),
        }
        click.echo(json.dumps(line, ensure_ascii=False))
    groups = len(list(groupby(sorted(made.case.group for made in cases))))
    read = f"{counted(len(templates), 'template')} of {counted(groups, 'group')}"
    note(f"{read}, filled {times:,} {agreeing(times, 'time', 'times')}: {counted(len(cases), 'case')}.")
