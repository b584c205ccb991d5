"""``reviewer effects``: what the conditions of an evaluation run did to the decisions of models."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from reviewer.agreement.clustered_ratios import Bools
from reviewer.cli.effect_layout import check_layout_options, layout_options, write_effects_as
from reviewer.cli.effect_options import (
    cluster_option,
    models_option,
    passed_option,
    picked_option,
    read_clusters,
    read_picked,
    read_tiers,
    tiers_by_option,
)
from reviewer.cli.effect_planning import planning_options, printed_needs
from reviewer.cli.embedding import sentence_model_option
from reviewer.cli.options import open_store, store_option
from reviewer.cli.result_options import (
    Printed,
    ResultFormat,
    digits_option,
    legend_option,
    level_option,
    print_tables,
    result_format_option,
)
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.baseline import with_baseline
from reviewer.results.outcomes.case_choice import (
    AmongCases,
    CaseChoice,
    among,
    compared_with,
    ladder,
    remarks_on,
)
from reviewer.results.outcomes.contrasts import Contrasted, contrast_table, shared_cases_in_words
from reviewer.results.outcomes.divisions import TIER, TIER_NAMES, Tiers
from reviewer.results.outcomes.effect_rows import ClusterKind, Clusters, ErrorMethod, titles_without_reading
from reviewer.results.outcomes.effects import effect_table, ladder_table
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation
from reviewer.results.tables.contrast_tables import contrasts_spec
from reviewer.results.tables.effect_tables import effect_lines, effects_grid, effects_spec
from store.database import Database


@dataclass(frozen=True)
class _Request:
    """What the options ask for."""

    by: tuple[str, ...]
    measures: tuple[str, ...]
    choice: CaseChoice
    cluster: ClusterKind
    tiers_by: str
    sentence_model: str
    method: ErrorMethod

    @property
    def needs_tiers(self) -> bool:
        return TIER in self.by or bool(self.tiers_by)


def _names(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


@click.command("effects", epilog="Example: reviewer effects pilot --by model,group --format csv")
@click.argument("run", metavar="[RUN]", required=False)
@click.option(
    "--by",
    default="model",
    show_default=True,
    callback=_names,
    metavar="LIST",
    help="What rows are divided by, separated by commas: model, group, generator, tier, dataset, a condition "
    "(such as order or cue), or a property of cases that the protocol defines (such as right_option). "
    "'' gives one row.",
)
@click.option(
    "--measure", "measures", multiple=True, metavar="KEY", help="Show only this measure; may be repeated."
)
@models_option
@click.option(
    "--baseline",
    default="",
    metavar="RUN",
    help="Take the answers to the unchanged items from this run. Both runs must have asked in the same "
    "layouts, with the same prompts and parameters.",
)
@click.option("--audit-clean", is_flag=True, help="Count only audit-clean cases.")
@click.option("--strict", is_flag=True, help="Count only audit-clean cases without a doubtful finding.")
@passed_option
@picked_option
@click.option(
    "--without",
    multiple=True,
    metavar="CHECK",
    help="Leave out cases that fail this check of their audit, such as same_result, or that a check of the "
    "whole dataset lists, such as repeated_questions; may be repeated.",
)
@click.option(
    "--ladder",
    "as_ladder",
    is_flag=True,
    help="Show the effects over all cases, audit-clean ones, strictly clean ones, and those of --without, "
    "--passed and --picked, one after the other.",
)
@cluster_option
@tiers_by_option
@click.option(
    "--compare",
    default="",
    metavar="DIMENSION:FIRST,SECOND",
    help="Show the first minus the second. model:a,b compares two models case by case; tier:high,low "
    "compares two tiers. With several models, their mean is also shown, with a paired t test as in the "
    "protocol's paper.",
)
@click.option(
    "--mix",
    default="",
    metavar="DIMENSION",
    help="With --compare: also show the difference after both sides are weighted to the same mix of this "
    "dimension, such as generator.",
)
@click.option(
    "--interval",
    type=click.Choice(["bootstrap", "linearised"]),
    default="bootstrap",
    show_default=True,
    help="How intervals are computed: by resampling clusters, or by formula.",
)
@click.option(
    "--resamples",
    type=click.IntRange(100, 1_000_000),
    default=10_000,
    show_default=True,
    help="Number of bootstrap resamples.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="Random seed of the bootstrap.",
)
@level_option
@planning_options
@layout_options
@sentence_model_option
@digits_option
@legend_option
@result_format_option
@store_option
def effects_command(
    run: str | None,
    by: tuple[str, ...],
    measures: tuple[str, ...],
    models: tuple[str, ...],
    baseline: str,
    audit_clean: bool,
    strict: bool,
    passed: tuple[str, ...],
    picked: Path | None,
    without: tuple[str, ...],
    as_ladder: bool,
    cluster: ClusterKind,
    tiers_by: str,
    compare: str,
    mix: str,
    interval: Literal["bootstrap", "linearised"],
    resamples: int,
    seed: int,
    level: float,
    half_width: float | None,
    to_find: float | None,
    share: float | None,
    repeats: int,
    design_effect: float | None,
    correlation: float,
    power: float,
    layout: str,
    folder: Path | None,
    sentence_model: str,
    digits: int,
    legend: bool,
    form: ResultFormat,
    store: str,
) -> None:
    """Show what the conditions of an evaluation run did to the decisions of models.

    Each measure is a ratio over pairs of runs. Its interval resamples cases, because runs of one case are
    not independent. Unreadable replies are counted. CSV and JSON also give bounds: the least and the greatest
    value that a measure could have if every reply had been readable.

    To plan an evaluation, give --half-width or --to-find. With RUN, the plan uses the outcomes of RUN.
    Without it, give --share, --repeats and --design-effect.
    """
    if run is None:
        from reviewer.results.outcomes.case_needs import needs_from_expectation

        needs = needs_from_expectation(
            share, repeats, design_effect, correlation, half_width, to_find, power, level
        )
        print_tables(form, printed_needs(needs), "plan")
        return
    check_layout_options(layout, folder)
    method = ErrorMethod(interval, level, seed, resamples)
    choice = CaseChoice(audit_clean, strict, passed, read_picked(picked), without)
    request = _Request(by, measures, choice, cluster, tiers_by, sentence_model, method)
    with closing(open_store(store, must_exist=True)) as database:
        evaluation = _evaluation(database, run, baseline).of_models(models)
        if folder is not None:
            write_effects_as(database, evaluation, layout, folder, sentence_model)
            return
        if as_ladder:
            printed = _ladder(database, evaluation, request, digits)
        elif compare:
            printed = _compared(database, evaluation, request, _contrasted(compare, mix), digits)
        elif half_width is not None or to_find is not None:
            from reviewer.results.outcomes.case_needs import needs_from_run

            cases = among(database, evaluation, choice)
            needs = needs_from_run(evaluation, cases.chosen, measures, half_width, to_find, power, level)
            printed = printed_needs(needs)
        else:
            printed = _divided(database, evaluation, request, digits)
    print_tables(form, printed, run, legend=legend)


def _evaluation(database: Database, run: str, baseline: str) -> Evaluation:
    """The run, with its baseline from another run if one is named; raises RequestError."""
    evaluation = read_evaluation(database, protocols_of(database), run)
    if not evaluation.models:
        raise RequestError(f"evaluation run {run!r} has no model yet; start it with `reviewer evaluate`.")
    if not baseline:
        return evaluation
    return with_baseline(database, evaluation, read_evaluation(database, protocols_of(database), baseline))


def _divided(database: Database, evaluation: Evaluation, request: _Request, digits: int) -> Printed:
    cases = among(database, evaluation, request.choice)
    table = effect_table(
        evaluation,
        by=request.by,
        measures=request.measures,
        among=_some(cases),
        clusters=_clusters(database, evaluation, request),
        tiers=_tiers(database, evaluation, request),
        method=request.method,
        compared=compared_with(evaluation, cases),
    )
    spec, grid = effects_spec(table), effects_grid(table, titles_without_reading(evaluation.plan))
    shown = grid.for_people(table.rows, digits)
    notes = [note for note in (_over(evaluation, cases), grid.marks(table.rows)) if note]
    return Printed(
        spec.for_programs(effect_lines(table, cases.title)),
        shown,
        [shown],
        notes,
        f"Effects of run {evaluation.run.name}",
        table.sentences,
        keys=grid.keys,
        legend=grid.heads(),
    )


def _ladder(database: Database, evaluation: Evaluation, request: _Request, digits: int) -> Printed:
    """The same rows over one choice of cases after the other."""
    rungs = ladder(database, evaluation, request.choice.passed, request.choice.picked, request.choice.without)
    table = ladder_table(
        evaluation,
        [(rung.title, rung.chosen) for rung in rungs],
        by=request.by,
        measures=request.measures,
        clusters=_clusters(database, evaluation, request),
        tiers=_tiers(database, evaluation, request),
        method=request.method,
    )
    spec, grid = effects_spec(table), effects_grid(table, titles_without_reading(evaluation.plan))
    shown = grid.for_people(table.rows, digits)
    remarks = [*table.sentences, *remarks_on(rungs)]
    machine = spec.for_programs(effect_lines(table, ""))
    caption = f"Effects of run {evaluation.run.name} over choices of cases"
    notes = [note for note in (grid.marks(table.rows),) if note]
    return Printed(machine, shown, [shown], notes, caption, remarks, keys=grid.keys, legend=grid.heads())


def _compared(
    database: Database, evaluation: Evaluation, request: _Request, contrasted: Contrasted, digits: int
) -> Printed:
    cases = among(database, evaluation, request.choice)
    by = tuple(name for name in request.by if name not in (contrasted.dimension, "model"))
    rows = contrast_table(
        evaluation,
        contrasted,
        by=by,
        measures=request.measures,
        among=_some(cases),
        clusters=_clusters(database, evaluation, request),
        tiers=_tiers(database, evaluation, request, contrasted.dimension),
        method=request.method,
    )
    spec = contrasts_spec(by)
    shown = spec.for_people(rows, digits)
    caption = f"{contrasted.dimension}: {contrasted.first} minus {contrasted.second}"
    notes = [note for note in (f"{caption}.", spec.marks(rows)) if note]
    remarks = [
        f"{', '.join(labels)}: on one side only, so left out of the mix."
        for labels in dict.fromkeys(row.left_out for row in rows if row.left_out)
    ]
    if contrasted.dimension == "model":
        both = (contrasted.first, contrasted.second)
        remarks += filter(None, [shared_cases_in_words(evaluation, both, cases.chosen)])
    machine = spec.for_programs(rows)
    return Printed(machine, shown, [shown], notes, caption, remarks, keys=spec.keys, legend=spec.heads())


def _contrasted(compare: str, mix: str) -> Contrasted:
    """Raises RequestError for a comparison that names no two labels; tiers are high and low by default."""
    dimension, _, labels = compare.partition(":")
    first, _, second = labels.partition(",")
    if dimension.strip() == TIER and not labels.strip():
        first, second = TIER_NAMES[-1], TIER_NAMES[0]
    if not (dimension.strip() and first.strip() and second.strip()):
        raise RequestError(f"--compare {compare!r} names no two labels; write it like model:a,b.")
    return Contrasted(dimension.strip(), first.strip(), second.strip(), mix.strip())


def _some(cases: AmongCases) -> Bools:
    """The chosen cases; raises RequestError if there are none."""
    if not cases.chosen.any():
        raise RequestError(f"no case of the run is left ({cases.title}). {cases.note}".strip())
    return cases.chosen


def _over(evaluation: Evaluation, cases: AmongCases) -> str:
    if cases.chosen.all():
        return cases.note
    of_all = counted(len(evaluation.cases), "case")
    return f"Over {int(cases.chosen.sum()):,} of {of_all}: {cases.title}. {cases.note}".strip()


def _tiers(database: Database, evaluation: Evaluation, request: _Request, *more: str) -> Tiers | None:
    """The quartiles of all cases of the run's datasets, where they are asked for."""
    if not request.needs_tiers and TIER not in more:
        return None
    return read_tiers(database, evaluation, request.tiers_by, request.sentence_model)


def _clusters(database: Database, evaluation: Evaluation, request: _Request) -> Clusters:
    return read_clusters(database, evaluation, request.cluster, request.sentence_model)
