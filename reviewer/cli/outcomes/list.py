"""``reviewer outcomes list``: the answers of models, one by one."""

from contextlib import closing
from itertools import islice

from reviewer.cli.options import note, open_store, print_table
from reviewer.cli.viewer import check_outcomes
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, one_line, visible
from reviewer.core.table import Cell, Table
from reviewer.options.outcomes import OutcomesListOptions
from reviewer.protocols.evaluation import conditions_of
from reviewer.protocols.registry import protocols_of
from reviewer.runs.evaluation.evaluation_settings import evaluation_plan_of, evaluation_settings
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, Run, SampledCase

_LONGEST = 200
_COLUMNS = (
    *("dataset", "key", "model", "condition", "repeat", "state", "label", "why", "reply"),
    *("reader version", "stale"),
)


def outcomes_list_command(options: OutcomesListOptions) -> None:
    """Carry out ``reviewer outcomes list``."""
    with closing(open_store(options.store, must_exist=True)) as database:
        evaluations = Evaluations(database)
        run = evaluations.run(options.name)
        sample = evaluations.sample(options.name)
        check_outcomes(database, {drawn.dataset for drawn in sample})
        _check_model(evaluations, options.name, options.model)
        _check_condition(database, run, options.condition)
        place = None if options.key is None else _place_of(options.name, sample, options.key)
        outcomes = evaluations.outcomes(
            options.name, model=options.model, case=place, condition=options.condition, state=options.state
        )
        stale = evaluations.stale(options.name)
        rows = [
            _row(outcome, sample[outcome.case], outcome.case in stale, whole=options.form != "table")
            for outcome in islice(outcomes, options.limit)
        ]
    print_table(Table.of(_COLUMNS, rows), options.form)
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
