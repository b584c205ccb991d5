"""``reviewer outcomes``: what models answered in an evaluation run."""

from collections.abc import Sequence
from itertools import islice

import click

from reviewer.cli.printing import NO_SEAL, note, print_table
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_outcomes
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, one_line, visible
from reviewer.core.table import Cell, Table, as_json
from reviewer.options.outcomes import (
    OutcomesCasesOptions,
    OutcomesExportOptions,
    OutcomesListOptions,
    OutcomesReadOptions,
)
from reviewer.protocols.evaluation import conditions_of
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.answer_cases import answers_to_review
from reviewer.results.outcomes.answer_sources import ChangedAnswers, put_new_readings
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.runs.evaluation.evaluation_settings import evaluation_settings
from reviewer.runs.evaluation.reading_again import ChangedReading, plan_of_run, read_again
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, Run, SampledCase

_LIST_LONGEST = 200
_LIST_COLUMNS = (
    *("dataset", "key", "model", "condition", "repeat", "state", "label", "why", "reply"),
    *("reader version", "stale"),
)


def outcomes_list_command(options: OutcomesListOptions) -> None:
    """``reviewer outcomes list``: the answers of models, one by one."""
    database = open_store(options.store)
    evaluations = Evaluations(database)
    run = evaluations.with_outcomes(options.name)
    sample = evaluations.sample(options.name)
    check_outcomes(database, {drawn.dataset for drawn in sample}, run.judged_study)
    _check_model(evaluations, options.name, options.model)
    _check_condition(database, run, options.condition)
    place = None if options.key is None else _place_of(options.name, sample, options.key)
    outcomes = evaluations.outcomes(
        options.name, model=options.model, case=place, condition=options.condition, state=options.state
    )
    stale = evaluations.stale(options.name)
    rows = [
        _list_row(outcome, sample[outcome.case], outcome.case in stale, whole=options.form != "table")
        for outcome in islice(outcomes, options.limit)
    ]
    print_table(Table.of(_LIST_COLUMNS, rows), options.form)
    if parameters := evaluation_settings(run).parameters_in_words:
        note(f"Sampling parameters: {parameters}.")
    if not rows:
        note("No outcome fits; loosen the filters.")
    if stale:
        note(
            f"{counted(len(stale), 'case')} of the run {agreeing(len(stale), 'was', 'were')} replaced or "
            "withdrawn after the run began; the outcomes are kept and are marked as stale."
        )


def _list_row(outcome: Outcome, sampled: SampledCase, stale: bool, *, whole: bool) -> tuple[Cell, ...]:
    return (
        sampled.dataset,
        sampled.key,
        outcome.model,
        outcome.condition,
        outcome.repeat,
        outcome.state.replace("_", " "),
        outcome.label,
        outcome.why,
        outcome.reply if whole else one_line(outcome.reply, _LIST_LONGEST),
        outcome.reader_version,
        stale,
    )


def _check_model(evaluations: Evaluations, name: str, model: str | None) -> None:
    known = [asked.model for asked in evaluations.models(name)]
    if model is not None and model not in known:
        raise RequestError(f"run {name!r} has no model {one_line(model)!r}; it has {', '.join(known)}.")


def _check_condition(database: Database, run: Run, condition: str | None) -> None:
    plan = plan_of_run(database, run)
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


_READ_LONGEST = 80
_READ_COLUMNS = ("dataset", "key", "model", "condition", "repeat", "before", "now", "why", "reply")


def outcomes_read_command(options: OutcomesReadOptions) -> None:
    """``reviewer outcomes read``: replies read again by a newer reader, without a call."""
    database = open_store(options.store)
    evaluations = Evaluations(database)
    run, sample = evaluations.with_outcomes(options.name), evaluations.sample(options.name)
    check_outcomes(database, {drawn.dataset for drawn in sample}, run.judged_study)
    result = read_again(database, options.name, take_over=options.take_over)
    renewed = _renewed_answers(database, options.name, result.changed)
    rows = [_read_row(change, sample[change.before.case]) for change in result.changed]
    print_table(Table.of(_READ_COLUMNS, rows), options.form)
    changed = len(result.changed)
    note(
        f"{result.read:,} {agreeing(result.read, 'reply', 'replies')} read again by version "
        f"{result.version} of the reader; {changed:,} {agreeing(changed, 'is', 'are')} read differently."
        if result.read
        else f"Version {result.version} of the reader has read every reply of {options.name}; "
        "nothing changed."
    )
    note(*(answers.sentence for answers in renewed))


def _renewed_answers(database: Database, run: str, changed: Sequence[ChangedReading]) -> list[ChangedAnswers]:
    """The studies of answers that now hold answers which are read otherwise; judges have none."""
    if not changed or Evaluations(database).find(run) is None:
        return []
    evaluation = read_evaluation(database, protocols_of(database), run)
    return put_new_readings(database, evaluation, [change.after for change in changed])


def _read_row(change: ChangedReading, sampled: SampledCase) -> tuple[Cell, ...]:
    before, after = change.before, change.after
    return (
        sampled.dataset,
        sampled.key,
        before.model,
        before.condition,
        before.repeat,
        before.label or before.state,
        after.label or after.state,
        after.why,
        one_line(after.reply, _READ_LONGEST),
    )


def outcomes_export_command(options: OutcomesExportOptions) -> None:
    """``reviewer outcomes export``: all outcomes of a run in long form, with a codebook."""
    from reviewer.exchange.evaluations.outcome_writing import export_outcomes

    database = open_store(options.store)
    evaluation = read_evaluation(database, protocols_of(database), options.run)
    check_outcomes(database, evaluation.settings.datasets)
    outcomes, files = export_outcomes(database, evaluation, options.folder)
    note(f"{counted(outcomes, 'outcome')}.")
    for file in files:
        click.echo(visible(str(file)))
    note(NO_SEAL)


def outcomes_cases_command(options: OutcomesCasesOptions) -> None:
    """``reviewer outcomes cases``: answers of models as cases that experts review."""
    database = open_store(options.store)
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
        click.echo(as_json(line))
    note(f"{counted(len(answers), 'answer')}.")
