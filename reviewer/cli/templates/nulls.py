"""``reviewer templates nulls``: what the score of a test is for those who do not read it."""

from pathlib import Path

import click

from reviewer.cli.options import format_option, note, print_table
from reviewer.cli.templates.rules import gap_templates, note_unused_rules, rules_option
from reviewer.exchange.rows.template_files import read_rules, read_templates
from reviewer.options.shared import Format


@click.command("nulls", epilog="Example: reviewer templates nulls templates.toml --format csv")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@rules_option
@format_option
def templates_nulls_command(files: tuple[Path, ...], rules: Path | None, form: Format) -> None:
    """Print the exact mean score of a coin and of constant answers, for the template of each group.

    coin: the mean score if both decisions are drawn at random. size: the mean absolute score of that coin.
    first, middle, last: the mean score if this option is always chosen. first_place: the mean score if the
    option in the first place of the list is always chosen. In one half of the cases this is the last option,
    because the list is reversed. Parameters are sampled as the template says. The column remark says which
    rule or value a template lacks; give it with --rules.
    """
    gaps = gap_templates()
    beside = read_rules(rules, gaps)
    templates = read_templates(files, gaps, beside).templates
    scores = gaps.null_scores(templates, rounded=form == "table")
    print_table(scores.table, form)
    for sentence in scores.notes:
        note(sentence)
    note_unused_rules(gaps, beside, (template.group for template in templates))
