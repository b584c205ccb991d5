"""``reviewer effects``: what the conditions of an evaluation run did to the decisions of models."""

from contextlib import closing

from reviewer.agreement.clustered_ratios import Bools
from reviewer.cli.effect_layout import write_effects_as
from reviewer.cli.effect_options import (
    read_clusters,
    read_picked,
    read_tiers,
)
from reviewer.cli.effect_planning import planned_from_options, planned_from_run
from reviewer.cli.options import open_store
from reviewer.cli.result_options import (
    Printed,
    print_tables,
)
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.options.effects import EffectsOptions
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
from reviewer.results.outcomes.effect_rows import Clusters, ErrorMethod, titles_without_reading
from reviewer.results.outcomes.effects import effect_table, ladder_table
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation
from reviewer.results.tables.contrast_tables import contrasts_spec
from reviewer.results.tables.effect_tables import effect_lines, effects_grid, effects_spec
from store.database import Database


def effects_command(options: EffectsOptions) -> None:
    """Carry out ``reviewer effects``."""
    _check_one_result(options)
    if options.run is None:
        print_tables(options.form, planned_from_options(options), "plan")
        return
    with closing(open_store(options.store, must_exist=True)) as database:
        evaluation = _evaluation(database, options.run, options.baseline).of_models(options.models)
        if options.folder is not None:
            write_effects_as(database, evaluation, options.layout, options.folder, options.sentence_model)
            return
        if options.as_ladder:
            printed = _ladder(database, evaluation, options)
        elif options.compare:
            printed = _compared(database, evaluation, options, _contrasted(options.compare, options.mix))
        elif _is_plan(options):
            cases = among(database, evaluation, _choice(options))
            printed = planned_from_run(evaluation, cases.chosen, options)
        else:
            printed = _divided(database, evaluation, options)
    print_tables(options.form, printed, options.run, legend=options.legend)


def _is_plan(options: EffectsOptions) -> bool:
    return options.half_width is not None or options.to_find is not None


def _check_one_result(options: EffectsOptions) -> None:
    """Refuse options that ask for several results, of which only one could be shown."""
    if bool(options.layout) != (options.folder is not None):
        raise RequestError("--as and -o belong together: --as names the layout, and -o the folder.")
    asked = {
        "--ladder": options.as_ladder,
        "--compare": options.compare,
        "--as": options.layout,
        "--half-width or --to-find": _is_plan(options),
    }
    if len(names := [name for name, given in asked.items() if given]) > 1:
        raise RequestError(f"give only one of {', '.join(names)}: each has a result of its own.")


def _method(options: EffectsOptions) -> ErrorMethod:
    return ErrorMethod(options.interval, options.level, options.seed, options.resamples)


def _choice(options: EffectsOptions) -> CaseChoice:
    picked = read_picked(options.picked)
    return CaseChoice(options.audit_clean, options.strict, options.passed, picked, options.without)


def _evaluation(database: Database, run: str, baseline: str) -> Evaluation:
    """The run, with its baseline from another run if one is named; raises RequestError."""
    evaluation = read_evaluation(database, protocols_of(database), run)
    if not evaluation.models:
        raise RequestError(f"evaluation run {run!r} has no model yet; start it with `reviewer evaluate`.")
    if not baseline:
        return evaluation
    return with_baseline(database, evaluation, read_evaluation(database, protocols_of(database), baseline))


def _divided(database: Database, evaluation: Evaluation, options: EffectsOptions) -> Printed:
    cases = among(database, evaluation, _choice(options))
    table = effect_table(
        evaluation,
        by=options.by,
        measures=options.measures,
        among=_some(cases),
        clusters=_clusters(database, evaluation, options),
        tiers=_tiers(database, evaluation, options),
        method=_method(options),
        compared=compared_with(evaluation, cases),
    )
    spec, grid = effects_spec(table), effects_grid(table, titles_without_reading(evaluation.plan))
    shown = grid.for_people(table.rows, options.digits)
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


def _ladder(database: Database, evaluation: Evaluation, options: EffectsOptions) -> Printed:
    """The same rows over one choice of cases after the other."""
    choice = _choice(options)
    rungs = ladder(database, evaluation, choice.passed, choice.picked, choice.without)
    table = ladder_table(
        evaluation,
        [(rung.title, rung.chosen) for rung in rungs],
        by=options.by,
        measures=options.measures,
        clusters=_clusters(database, evaluation, options),
        tiers=_tiers(database, evaluation, options),
        method=_method(options),
    )
    spec, grid = effects_spec(table), effects_grid(table, titles_without_reading(evaluation.plan))
    shown = grid.for_people(table.rows, options.digits)
    remarks = [*table.sentences, *remarks_on(rungs)]
    machine = spec.for_programs(effect_lines(table, ""))
    caption = f"Effects of run {evaluation.run.name} over choices of cases"
    notes = [note for note in (grid.marks(table.rows),) if note]
    return Printed(machine, shown, [shown], notes, caption, remarks, keys=grid.keys, legend=grid.heads())


def _compared(
    database: Database, evaluation: Evaluation, options: EffectsOptions, contrasted: Contrasted
) -> Printed:
    cases = among(database, evaluation, _choice(options))
    by = tuple(name for name in options.by if name not in (contrasted.dimension, "model"))
    rows = contrast_table(
        evaluation,
        contrasted,
        by=by,
        measures=options.measures,
        among=_some(cases),
        clusters=_clusters(database, evaluation, options),
        tiers=_tiers(database, evaluation, options, contrasted.dimension),
        method=_method(options),
    )
    spec = contrasts_spec(by)
    shown = spec.for_people(rows, options.digits)
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


def _tiers(database: Database, evaluation: Evaluation, options: EffectsOptions, *more: str) -> Tiers | None:
    """The quartiles of all cases of the run's datasets, where they are asked for."""
    if not (TIER in options.by or options.tiers_by) and TIER not in more:
        return None
    return read_tiers(database, evaluation, options.tiers_by, options.sentence_model)


def _clusters(database: Database, evaluation: Evaluation, options: EffectsOptions) -> Clusters:
    return read_clusters(database, evaluation, options.cluster, options.sentence_model)
