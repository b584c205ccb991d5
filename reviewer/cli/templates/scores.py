"""``reviewer templates scores``: published scores, computed again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from reviewer.cli.options import Format, format_option, note, print_table
from reviewer.cli.templates.rules import note_unused_rules, rules_option
from reviewer.core.errors import InputError
from reviewer.core.number_text import all_digits
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.core.table import Cell, Table
from reviewer.exchange.rows.published_csv import published_rows
from reviewer.exchange.rows.template_files import read_rules
from reviewer.protocols.treatment_tests.published_scores import (
    COLUMNS,
    PublishedScore,
    RulesMissingError,
    ScoreReader,
)

_MOST_NAMED = 10
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
    "not_read",
)
_Rows = Sequence[tuple[str, PublishedScore | InputError]]
"""The bias of each row, and its score or the reason why it is not read."""


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
    beside = read_rules(rules)
    rows = _rows(file, ScoreReader(beside))
    scores = [score for _, score in rows if isinstance(score, PublishedScore)]
    if rows and not scores:
        raise next(fault for _, fault in rows if isinstance(fault, InputError))
    shown = [_cells(number, *row) for number, row in enumerate(rows, 1) if not differing or _differs(row[1])]
    print_table(Table.of(_SHOWN, shown), form)
    follow = sum(score.follows for score in scores)
    rest = len(scores) - follow
    note(f"Of {counted(len(scores), 'score')}, {follow:,} follow from the rules and {rest:,} do not.")
    for sentence in (*_not_read(rows), *_shifted(scores)):
        note(sentence)
    note_unused_rules(beside, (bias for bias, _ in rows))


def _rows(file: Path, reader: ScoreReader) -> _Rows:
    where, rows = published_rows(file, COLUMNS)
    read: list[tuple[str, PublishedScore | InputError]] = []
    for number, row in enumerate(rows, 1):
        try:
            read.append((row["bias"], reader.read(row, f"{where}, row {number}")))
        except InputError as fault:
            read.append((row["bias"], fault))
    return read


def _differs(score: PublishedScore | InputError) -> bool:
    return isinstance(score, PublishedScore) and not score.follows


def _not_read(rows: _Rows) -> Iterator[str]:
    """What is to be said of rows that are not read: by bias if only its rules lack, else one by one."""
    unknown = Counter(one_line(bias) for bias, fault in rows if isinstance(fault, RulesMissingError))
    if unknown:
        named = ", ".join(f"{bias} ({number:,})" for bias, number in unknown.items())
        are = agreeing(unknown.total(), "row is", "rows are")
        yield f"{unknown.total():,} {are} not read, for lack of rules: {named}. Give them with --rules FILE."
    faults = [fault for _, fault in rows if type(fault) is InputError]
    yield from (f"Not read: {fault}" for fault in faults[:_MOST_NAMED])
    if more := len(faults[_MOST_NAMED:]):
        yield f"Not read: {counted(more, 'more row')}; the column not_read says why."


def _shifted(scores: Sequence[PublishedScore]) -> Iterator[str]:
    if shifted := [one_line(test) for test in dict.fromkeys(score.test for score in scores if score.coin)]:
        named = agreeing(len(shifted), "A coin does not score 0 on", "A coin does not score 0 on any of")
        yield f"{named} {', '.join(shifted)}: compare scores with the column coin, not with 0."


def _cells(number: int, bias: str, score: PublishedScore | InputError) -> tuple[Cell, ...]:
    if isinstance(score, InputError):
        return (number, bias, *([None] * (len(_SHOWN) - 3)), f"{score.wrong}; {score.remedy}")
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
        "",
    )
