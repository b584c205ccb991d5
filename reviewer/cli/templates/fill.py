"""``reviewer templates fill``: cases from templates with slots, without a model."""

import json
from itertools import groupby

import click

from reviewer.cli.options import note
from reviewer.cli.templates.rules import slot_protocol, slot_templates
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted
from reviewer.exchange.rows.template_files import read_slot_file
from reviewer.options.templates import TemplatesFillOptions

_MOST_CASES = 200_000


def templates_fill_command(options: TemplatesFillOptions) -> None:
    """Carry out ``reviewer templates fill``."""
    protocol = slot_protocol()
    slots = slot_templates()
    templates = read_slot_file(options.file, slots)
    if len(templates) * options.times > _MOST_CASES:
        raise RequestError(f"this gives more than {_MOST_CASES:,} cases; give a smaller number with --times.")
    cases = list(slots.cases(templates, options.times, options.seed))
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
    note(
        f"{read}, filled {options.times:,} {agreeing(options.times, 'time', 'times')}: "
        f"{counted(len(cases), 'case')}."
    )
