"""``reviewer outcomes cases``: answers of models as cases that experts review."""

import json
from contextlib import closing

import click

from reviewer.cli.options import note, open_store
from reviewer.cli.viewer import check_outcomes
from reviewer.core.sanitize import counted
from reviewer.options.outcomes import OutcomesCasesOptions
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.answer_cases import answers_to_review
from reviewer.results.outcomes.evaluated import read_evaluation


def outcomes_cases_command(options: OutcomesCasesOptions) -> None:
    """Carry out ``reviewer outcomes cases``."""
    with closing(open_store(options.store, must_exist=True)) as database:
        evaluation = read_evaluation(database, protocols_of(database), options.run)
        check_outcomes(database, evaluation.settings.datasets)
        answers = answers_to_review(database, evaluation, options.number, options.seed, options.model)
    for answer in answers:
        made = answer.made
        line = {
            "protocol": made.case.protocol,
            "group": made.case.group,
            "key": made.key,
            "generator": answer.model,
            "payload": made.case.payload,
            "published": dict(made.published),
        }
        click.echo(json.dumps(line, ensure_ascii=False))
    note(f"{counted(len(answers), 'answer')}.")
