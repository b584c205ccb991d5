"""``reviewer outcomes list``: the answers of models, one by one."""

from contextlib import closing
from itertools import islice

import click

from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.cli.viewer import check_outcomes
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, one_line, visible
from reviewer.core.table import Cell, Table
from reviewer.options.shared import Format
from reviewer.protocols.evaluation import conditions_of
from reviewer.protocols.registry import protocols_of
from reviewer.runs.evaluation.evaluation_settings import evaluation_plan_of, evaluation_settings
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, OutcomeState, Run, SampledCase

_LONGEST = 200
_COLUMNS = (
    *("dataset", "key", "model", "condition", "repeat", "state", "label", "why", "reply"),
    *("reader version", "stale"),
)


@click.command("list", epilog="Example: reviewer outcomes list first --unreadable --model gpt-4o-mini")
@click.argument("name", metavar="RUN")
@click.option("--model", metavar="NAME", help="Show only outcomes of this model.")
@click.option("--case", "key", metavar="[DATASET:]KEY", help="Show only outcomes of this case.")
@click.option("--condition", metavar="NAME", help="Show only outcomes under this condition.")
@click.option("--unreadable", "state", flag_value="unreadable", help="Show only replies without a label.")
@click.option("--missing", "state", flag_value="missing", help="Show only outcomes without a reply.")
@click.option(
    "--not-asked",
    "state",
    flag_value="not_asked",
    help="Show only cases that were not asked because a condition cannot be applied to them.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Show at most this many rows. Default: all.")
@format_option
@store_option
def outcomes_list_command(
    name: str,
    model: str | None,
    key: str | None,
    condition: str | None,
    state: OutcomeState | None,
    limit: int | None,
    form: Format,
    store: str,
) -> None:
    """List the outcomes of the evaluation run RUN: what was answered, and how it was read.

    A table shows the beginning of each reply; CSV and JSON have whole replies. An outcome is stale if its
    case was replaced or withdrawn after the run began.
    """
    with closing(open_store(store, must_exist=True)) as database:
        evaluations = Evaluations(database)
        run = evaluations.run(name)
        sample = evaluations.sample(name)
        check_outcomes(database, {drawn.dataset for drawn in sample})
        _check_model(evaluations, name, model)
        _check_condition(database, run, condition)
        place = None if key is None else _place_of(name, sample, key)
        outcomes = evaluations.outcomes(name, model=model, case=place, condition=condition, state=state)
        stale = evaluations.stale(name)
        rows = [
            _row(outcome, sample[outcome.case], outcome.case in stale, whole=form != "table")
            for outcome in islice(outcomes, limit)
        ]
    print_table(Table.of(_COLUMNS, rows), form)
    if parameters := evaluation_settings(run).parameters_in_words:
        note(f"Sampling parameters: {parameters}.")
    if not rows:
        note("No outcome fits; loosen the filters.")
    if stale:
        note(
            f"{counted(len(stale), 'case')} of the run {agreeing(len(stale), 'was', 'were')} replaced or "
            "withdrawn after the run began; the outcomes are kept and are marked as stale."
        )


def _row(outcome: Outcome, sampled: SampledCase, stale: bool, *, whole: bool) -> tuple[Cell, ...]:
    return (
        sampled.dataset,
        sampled.key,
        outcome.model,
        outcome.condition,
        outcome.repeat,
        outcome.state.replace("_", " "),
        outcome.label,
        outcome.why,
        outcome.reply if whole else one_line(outcome.reply, _LONGEST),
        outcome.reader_version,
        stale,
    )


def _check_model(evaluations: Evaluations, name: str, model: str | None) -> None:
    known = [asked.model for asked in evaluations.models(name)]
    if model is not None and model not in known:
        raise RequestError(f"run {name!r} has no model {one_line(model)!r}; it has {', '.join(known)}.")


def _check_condition(database: Database, run: Run, condition: str | None) -> None:
    plan = evaluation_plan_of(protocols_of(database).named(run.protocol))
    known = [asked.key for asked in conditions_of(plan.factors, evaluation_settings(run).conditions)]
    if condition is not None and condition not in known:
        raise RequestError(
            f"run {run.name!r} has no condition {one_line(condition)!r}; it has {', '.join(known)}."
        )


def _place_of(name: str, sample: list[SampledCase], key: str) -> int:
    """The place of the case with this key, or with this dataset and key; raises RequestError."""
    places = [
        drawn.place for drawn in sample if key in (drawn.key, f"{drawn.dataset}:{drawn.key}", drawn.digest)
    ]
    if len(places) == 1:
        return places[0]
    if places:
        datasets = ", ".join(dict.fromkeys(sample[place].dataset for place in places))
        raise RequestError(f"key {one_line(key)!r} is in datasets {datasets}; give it as DATASET:KEY.")
    raise RequestError(f"run {name!r} has no case {visible(one_line(key))!r} in its sample.")
