"""``reviewer outcomes cases``: answers of models as cases that experts review."""

import json
from contextlib import closing

import click

from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.viewer import check_outcomes
from reviewer.core.sanitize import counted
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.answer_cases import answers_to_review
from reviewer.results.outcomes.evaluated import read_evaluation


@click.command("cases", epilog="Example: reviewer outcomes cases first --number 40 > answers.jsonl")
@click.argument("run")
@click.option("--number", type=click.IntRange(min=1), help="How many answers to draw. Default: all.")
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Random seed. A different seed draws other answers.",
)
@click.option("--model", metavar="NAME", help="Take only answers of this model.")
@store_option
def outcomes_cases_command(run: str, number: int | None, seed: int, model: str | None, store: str) -> None:
    """Print free answers of the evaluation run RUN as cases that experts review.

    The cases are JSON Lines; import them with `reviewer import answers.jsonl --dataset NAME`. Raters say
    which choice each answer took, and see afterwards how it was read. `reviewer judges` then compares the
    reader with the raters. An answer that was given several times is printed once.
    """
    with closing(open_store(store, must_exist=True)) as database:
        evaluation = read_evaluation(database, protocols_of(database), run)
        check_outcomes(database, evaluation.settings.datasets)
        answers = answers_to_review(database, evaluation, number, seed, model)
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
