"""``reviewer datasets hard``: a new dataset of cases that a model answers wrongly under every condition."""

from contextlib import closing

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.viewer import check_outcomes
from reviewer.core.sanitize import counted, visible
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.results.outcomes.hard_cases import HardCases, make_hard_dataset


@click.command("hard", epilog="Example: reviewer datasets hard judges --model gpt-4o-mini --into hard-pairs")
@click.argument("run")
@click.option("--model", required=True, metavar="NAME", help="The model whose errors select the cases.")
@click.option("--into", required=True, metavar="NAME", help="Name of the dataset to create.")
@store_option
def datasets_hard_command(run: str, model: str, into: str, store: str) -> None:
    """Make a dataset of the cases that a model answered wrongly under every condition of a run.

    RUN is an evaluation run that asked under several conditions, such as in both orders. The new dataset and
    its releases state that the errors of this model selected the cases. On these cases, other models have an
    advantage over it. The old datasets do not change.
    """
    with closing(open_store(store, must_exist=True)) as database:
        evaluation = read_evaluation(database, protocols_of(database), run)
        check_outcomes(database, evaluation.settings.datasets)
        made = make_hard_dataset(database, evaluation, model, into)
    for remark in _remarks(made):
        note(remark)
    click.echo(visible(f"{into}: {made.source}"))


def _remarks(made: HardCases) -> list[str]:
    left_out = {
        "whose right answer is not known": made.unknown,
        "with an answer that is missing or has no label": made.unanswered,
        "whose place holds other content now": made.changed,
    }
    return [f"Left out: {counted(number, 'case')} {why}." for why, number in left_out.items() if number]
