"""``reviewer datasets hard``: a new dataset of cases that a model answers wrongly under every condition."""

from contextlib import closing

import click

from reviewer.cli.options import note, open_store
from reviewer.cli.viewer import check_outcomes
from reviewer.core.sanitize import counted, visible
from reviewer.options.datasets import DatasetsHardOptions
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.results.outcomes.hard_cases import HardCases, make_hard_dataset


def datasets_hard_command(options: DatasetsHardOptions) -> None:
    """Carry out ``reviewer datasets hard``."""
    with closing(open_store(options.store, must_exist=True)) as database:
        evaluation = read_evaluation(database, protocols_of(database), options.run)
        check_outcomes(database, evaluation.settings.datasets)
        made = make_hard_dataset(database, evaluation, options.model, options.into)
    for remark in _remarks(made):
        note(remark)
    click.echo(visible(f"{options.into}: {made.source}"))


def _remarks(made: HardCases) -> list[str]:
    left_out = {
        "whose right answer is not known": made.unknown,
        "with an answer that is missing or has no label": made.unanswered,
        "whose place holds other content now": made.changed,
    }
    return [f"Left out: {counted(number, 'case')} {why}." for why, number in left_out.items() if number]
