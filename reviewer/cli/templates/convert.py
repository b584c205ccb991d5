"""``reviewer templates convert``: templates from one form into the other."""

from dataclasses import replace

import click

from reviewer.cli.templates.rules import gap_templates, note_unused_rules
from reviewer.core.errors import RequestError
from reviewer.exchange.rows.template_files import read_rules, read_scenarios, read_templates
from reviewer.options.templates import TemplatesConvertOptions
from reviewer.protocols.templates.template_writing import templates_to_toml


def templates_convert_command(options: TemplatesConvertOptions) -> None:
    """Carry out ``reviewer templates convert``."""
    gaps = gap_templates()
    beside = read_rules(options.rules, gaps)
    read = read_templates(options.files, gaps, beside)
    note_unused_rules(gaps, beside, (template.group for template in read.templates))
    if options.form == "xml":
        if len(read.templates) != 1 or options.scenarios:
            raise RequestError("the published form holds one template and no scenarios; give one template.")
        click.echo(gaps.published_text(read.templates[0]), nl=False)
        return
    if options.scenarios:
        read = replace(read, scenarios=(*read.scenarios, *read_scenarios(options.scenarios)))
    click.echo(templates_to_toml(read), nl=False)
