"""``reviewer templates scores``: published scores, computed again."""

from pathlib import Path

import click

from reviewer.cli.options import format_option, note, print_table
from reviewer.cli.templates.rules import gap_templates, note_unused_rules, rules_option
from reviewer.exchange.rows.published_csv import published_rows
from reviewer.exchange.rows.template_files import read_rules
from reviewer.options.shared import Format


@click.command("scores", epilog="Example: reviewer templates scores decisions.csv --differing")
@click.argument("file", metavar="FILE.csv", type=click.Path(path_type=Path))
@rules_option
@click.option("--differing", is_flag=True, help="Show only rows whose score does not follow from the rules.")
@format_option
def templates_scores_command(file: Path, rules: Path | None, differing: bool, form: Format) -> None:
    """Recompute the scores of published decisions, and list which of them follow from the published rules.

    FILE needs the columns bias, options, control_decision, treatment_decision and published_score. Rows do
    not say which parameters were sampled. A score follows from the rules if parameters that the rules allow
    give this score. For other scores, the column rule names one rule whose change would explain the score, if
    there is such a rule. The column coin has the mean score of a coin by the rules.

    The rules of ten biases are known. Give those of others with --rules. A row of another bias, or one that
    has no valid decisions or score, is not read: the column not_read says why.
    """
    gaps = gap_templates()
    beside = read_rules(rules, gaps)
    where, rows = published_rows(file, gaps.score_columns)
    scores = gaps.published_scores(where, rows, beside, differing=differing)
    print_table(scores.table, form)
    for sentence in scores.notes:
        note(sentence)
    note_unused_rules(gaps, beside, (row["bias"] for row in rows))
