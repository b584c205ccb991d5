"""``reviewer templates nulls``: what the score of a test is for those who do not read it."""

from reviewer.cli.options import note, print_table
from reviewer.cli.templates.rules import gap_templates, note_unused_rules
from reviewer.exchange.rows.template_files import read_rules, read_templates
from reviewer.options.templates import TemplatesNullsOptions


def templates_nulls_command(options: TemplatesNullsOptions) -> None:
    """Carry out ``reviewer templates nulls``."""
    gaps = gap_templates()
    beside = read_rules(options.rules, gaps)
    templates = read_templates(options.files, gaps, beside).templates
    scores = gaps.null_scores(templates, rounded=options.form == "table")
    print_table(scores.table, options.form)
    for sentence in scores.notes:
        note(sentence)
    note_unused_rules(gaps, beside, (template.group for template in templates))
