"""``reviewer templates convert``: templates from one form into the other."""

from dataclasses import replace
from pathlib import Path

import click

from reviewer.cli.templates.rules import gap_templates, note_unused_rules, rules_option
from reviewer.core.errors import RequestError
from reviewer.exchange.rows.template_files import read_rules, read_scenarios, read_templates
from reviewer.protocols.templates.template_writing import templates_to_toml


@click.command("convert", epilog="Example: reviewer templates convert templates/ > templates.toml")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--as",
    "form",
    type=click.Choice(["toml", "xml"]),
    default="toml",
    show_default=True,
    help="toml: our own form, with values and rules; xml: the published form, for one template.",
)
@click.option(
    "--scenarios",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Text file with one scenario a line, to add to the TOML file.",
)
@rules_option
def templates_convert_command(
    files: tuple[Path, ...], form: str, scenarios: Path | None, rules: Path | None
) -> None:
    """Print templates in another form: many files as one TOML file, or one template as XML.

    The TOML file can be given to `reviewer generate --settings`.
    """
    gaps = gap_templates()
    beside = read_rules(rules, gaps)
    read = read_templates(files, gaps, beside)
    note_unused_rules(gaps, beside, (template.group for template in read.templates))
    if form == "xml":
        if len(read.templates) != 1 or scenarios:
            raise RequestError("the published form holds one template and no scenarios; give one template.")
        click.echo(gaps.published_text(read.templates[0]), nl=False)
        return
    if scenarios:
        read = replace(read, scenarios=(*read.scenarios, *read_scenarios(scenarios)))
    click.echo(templates_to_toml(read), nl=False)
