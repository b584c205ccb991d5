"""``reviewer templates scores``: published scores, computed again."""

from pathlib import Path

import click

from reviewer.cli.options import Format, format_option, note, print_table
from reviewer.core.number_text import all_digits
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.core.table import Table
from reviewer.exchange.rows.published_csv import published_rows
from reviewer.protocols.treatment_tests.published_scores import COLUMNS, PublishedScore, read_published

_SHOWN = (
    "row",
    "bias",
    "control",
    "treatment",
    "published",
    "recomputed",
    "coin",
    "follows",
    "k",
    "x1",
    "x2",
    "rule",
)


@click.command("scores", epilog="Example: reviewer templates scores decisions.csv --differing")
@click.argument("file", metavar="FILE.csv", type=click.Path(path_type=Path))
@click.option("--differing", is_flag=True, help="Show only rows whose score does not follow from the rules.")
@format_option
def templates_scores_command(file: Path, differing: bool, form: Format) -> None:
    """Recompute the scores of published decisions, and list which of them follow from the published rules.

    FILE needs the columns bias, options, control_decision, treatment_decision and published_score. Rows do
    not say which parameters were sampled. A score follows from the rules if parameters that the rules allow
    give this score. For other scores, the column rule names one rule whose change would explain the score, if
    there is such a rule. The column coin has the mean score of a coin by the rules.
    """
    scores = _scores(file)
    rows = [_row(number, score) for number, score in scores if not (differing and score.follows)]
    print_table(Table.of(_SHOWN, rows), form)
    follow = sum(score.follows for _, score in scores)
    rest = len(scores) - follow
    note(f"Of {counted(len(scores), 'score')}, {follow:,} follow from the rules and {rest:,} do not.")
    if shifted := [one_line(each) for each in dict.fromkeys(score.test for _, score in scores if score.coin)]:
        named = agreeing(len(shifted), "A coin does not score 0 on", "A coin does not score 0 on any of")
        note(f"{named} {', '.join(shifted)}: compare scores with the column coin, not with 0.")


def _scores(file: Path) -> list[tuple[int, PublishedScore]]:
    where, rows = published_rows(file, COLUMNS)
    return [(number, read_published(row, f"{where}, row {number}")) for number, row in enumerate(rows, 1)]


def _row(number: int, score: PublishedScore) -> tuple[str | int | float | bool | None, ...]:
    given = score.parameters
    parameters = (given.k, given.x1, given.x2) if given else (None, None, None)
    return (
        number,
        score.test,
        score.control,
        score.treatment,
        score.published,
        all_digits(score.recomputed),
        all_digits(score.coin),
        score.follows,
        *parameters,
        score.rule,
    )
