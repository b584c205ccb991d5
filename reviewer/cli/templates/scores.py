"""``reviewer templates scores``: published scores, computed again."""

from reviewer.cli.options import note, print_table
from reviewer.cli.templates.rules import gap_templates, note_unused_rules
from reviewer.exchange.rows.published_csv import published_rows
from reviewer.exchange.rows.template_files import read_rules
from reviewer.options.templates import TemplatesScoresOptions


def templates_scores_command(options: TemplatesScoresOptions) -> None:
    """Carry out ``reviewer templates scores``."""
    gaps = gap_templates()
    beside = read_rules(options.rules, gaps)
    where, rows = published_rows(options.file, gaps.score_columns)
    scores = gaps.published_scores(where, rows, beside, differing=options.differing)
    print_table(scores.table, options.form)
    for sentence in scores.notes:
        note(sentence)
    note_unused_rules(gaps, beside, (row["bias"] for row in rows))
