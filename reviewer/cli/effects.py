"""``reviewer effects``: what the conditions of an evaluation run did to the decisions of models."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from reviewer.agreement.clustered_ratios import Bools
from reviewer.cli.outcome_choice import read_clusters, read_picked, read_tiers
from reviewer.cli.printing import Printed, declared_tables, note, print_tables, progress_bars
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_effects, check_generators, check_outcomes
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, one_line, visible
from reviewer.options.effects import EffectComparison, EffectLayout, EffectsOptions
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.case_choice import (
    AmongCases,
    CaseChoice,
    among,
    compared_with,
    ladder,
    remarks_on,
)
from reviewer.results.outcomes.effect_estimates import effect_table, ladder_table
from reviewer.results.outcomes.effect_rows import (
    TIER,
    TIER_NAMES,
    EffectTable,
    ErrorMethod,
    Tiers,
    titles_without_reading,
)
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation
from reviewer.results.tables.effect_tables import effect_lines, effects_grid, effects_spec
from store.database import Database

if TYPE_CHECKING:
    from reviewer.exchange.evaluations.outcome_writing import WrittenLayout
    from reviewer.results.outcomes.case_needs import CaseNeed
    from reviewer.results.outcomes.contrasts import Contrasted


def effects_command(options: EffectsOptions) -> None:
    """``reviewer effects``: what the conditions of an evaluation run did to the decisions of models."""
    _check_one_result(options)
    if options.run is None:
        print_tables(options.form, _expected_needs(options), "plan")
        return
    database = open_store(options.store)
    check_effects(database, options.run)
    evaluation = _evaluation(database, options.run, options.baseline).of_models(options.cases.models)
    if "generator" in options.by:
        check_generators(database, evaluation.settings.datasets)
    if options.files.folder is not None:
        check_outcomes(database, evaluation.settings.datasets)
        _write_files(database, evaluation, options.files, options.cases.sentence_model)
        return
    printed = _result(database, evaluation, options)
    if evaluation.settings.answers_as == "schema":
        from reviewer.runs.evaluation.evaluation_progress import ignored_schema  # few runs ask for one

        note(*filter(None, (ignored_schema(database, options.run),)))
    print_tables(options.form, printed, options.run, legend=options.legend)


def _result(database: Database, evaluation: Evaluation, options: EffectsOptions) -> Printed:
    """The one result that the options ask for."""
    if options.ladder.as_ladder:
        return _ladder(database, evaluation, options)
    if options.comparison.compare:
        return _compared(database, evaluation, options)
    if options.known.recognition or options.known.confusions:
        return _recognised(database, evaluation, options)
    if options.plan.is_wanted:
        return _needs_of_run(database, evaluation, options)
    return _divided(database, evaluation, options)


def _check_one_result(options: EffectsOptions) -> None:
    """Refuse options that ask for several results, of which only one could be shown."""
    if bool(options.files.layout) != (options.files.folder is not None):
        raise RequestError("--as and -o belong together: --as names the layout, and -o the folder.")
    asked = {
        "--ladder": options.ladder.as_ladder,
        "--compare": options.comparison.compare,
        "--recognition": options.known.recognition,
        "--confusions": options.known.confusions,
        "--as": options.files.layout,
        "--half-width or --to-find": options.plan.is_wanted,
    }
    if len(names := [name for name, given in asked.items() if given]) > 1:
        raise RequestError(f"give only one of {', '.join(names)}: each has a result of its own.")


def _method(options: EffectsOptions) -> ErrorMethod:
    return ErrorMethod(options.interval, options.level, options.seed, options.resamples)


def _choice(options: EffectsOptions) -> CaseChoice:
    cases = options.cases
    picked = read_picked(cases.picked) if cases.picked else None
    return CaseChoice(cases.audit_clean, cases.strict, cases.passed, picked, cases.without)


def _evaluation(database: Database, run: str, baseline: str) -> Evaluation:
    """The run, with its baseline from another run if one is named; raises RequestError."""
    evaluation = read_evaluation(database, protocols_of(database), run)
    if not evaluation.models:
        raise RequestError(f"evaluation run {run!r} has no model yet; start it with `reviewer evaluate`.")
    if not baseline:
        return evaluation
    from reviewer.results.outcomes.evaluated import with_baseline  # loaded only with --baseline

    return with_baseline(database, evaluation, read_evaluation(database, protocols_of(database), baseline))


def _divided(database: Database, evaluation: Evaluation, options: EffectsOptions) -> Printed:
    cases = among(database, evaluation, _choice(options))
    table = effect_table(
        evaluation,
        by=options.by,
        measures=options.measures,
        among=_some(cases),
        clusters=read_clusters(database, evaluation, options.cases),
        tiers=_tiers(database, evaluation, options),
        method=_method(options),
        compared=compared_with(evaluation, cases),
    )
    printed = _grid(evaluation, table, cases.title, options.digits)
    return printed._replace(notes=[*filter(None, [_over(evaluation, cases)]), *printed.notes])


def _grid(evaluation: Evaluation, table: EffectTable, among: str, digits: int) -> Printed:
    """A table of effects; ``among`` names the cases that it is over."""
    grid = effects_grid(table, titles_without_reading(evaluation.plan))
    shown = grid.for_people(table.rows, digits)
    return Printed(
        lambda: effects_spec(table).for_programs(effect_lines(table, among)),
        shown,
        [shown],
        [*filter(None, [grid.marks(table.rows)])],
        f"Effects of run {evaluation.run.name}",
        table.sentences,
        keys=grid.keys,
        legend=grid.heads,
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
        clusters=read_clusters(database, evaluation, options.cases),
        tiers=_tiers(database, evaluation, options),
        method=_method(options),
    )
    printed = _grid(evaluation, table, "", options.digits)
    caption = f"{printed.caption} over choices of cases"
    return printed._replace(caption=caption, remarks=[*printed.remarks, *remarks_on(rungs)])


def _compared(database: Database, evaluation: Evaluation, options: EffectsOptions) -> Printed:
    """Two labels of a dimension, the first minus the second."""
    from reviewer.results.outcomes.contrasts import contrast_table, shared_cases_in_words
    from reviewer.results.tables.effect_tables import contrasts_spec

    contrasted = _contrasted(options.comparison)
    cases = among(database, evaluation, _choice(options))
    by = tuple(name for name in options.by if name not in (contrasted.dimension, "model"))
    rows = contrast_table(
        evaluation,
        contrasted,
        by=by,
        measures=options.measures,
        among=_some(cases),
        clusters=read_clusters(database, evaluation, options.cases),
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
    machine = partial(spec.for_programs, rows)
    return Printed(machine, shown, [shown], notes, caption, remarks, keys=spec.keys, legend=spec.heads)


def _recognised(database: Database, evaluation: Evaluation, options: EffectsOptions) -> Printed:
    """How well known labels are recognised, or which were taken for which."""
    from reviewer.results.outcomes.recognition import KnownLabels, kept_answers
    from reviewer.results.tables.evaluation_tables import CONFUSIONS, RECOGNITIONS

    known = KnownLabels(evaluation, _method(options), _some(among(database, evaluation, _choice(options))))
    if options.known.confusions:
        caption = f"Labels given to cases with a known label, run {evaluation.run.name}"
        return declared_tables(CONFUSIONS, list(known.confusions()), caption, options)
    rows = known.recognitions(kept_answers(database, evaluation))
    caption = f"Recognition of known labels, run {evaluation.run.name}"
    return declared_tables(RECOGNITIONS, rows, caption, options, known.sentences(rows))


def _contrasted(comparison: EffectComparison) -> "Contrasted":
    """Raises RequestError for a comparison that names no two labels; tiers are high and low by default."""
    from reviewer.results.outcomes.contrasts import Contrasted

    dimension, _, labels = comparison.compare.partition(":")
    first, _, second = labels.partition(",")
    if dimension.strip() == TIER and not labels.strip():
        first, second = TIER_NAMES[-1], TIER_NAMES[0]
    if not (dimension.strip() and first.strip() and second.strip()):
        raise RequestError(f"--compare {comparison.compare!r} names no two labels; write it like model:a,b.")
    return Contrasted(dimension.strip(), first.strip(), second.strip(), comparison.mix.strip())


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
    if not (TIER in options.by or options.cases.tiers_by) and TIER not in more:
        return None
    return read_tiers(database, evaluation, options.cases.tiers_by, options.cases.sentence_model)


def _expected_needs(options: EffectsOptions) -> Printed:
    """The cases that are needed as far as expectations tell."""
    from reviewer.results.outcomes.case_needs import expected_in_words, needs_from_expectation

    plan = options.plan
    expected = plan.share, plan.repeats, plan.design_effect, plan.correlation
    needs = needs_from_expectation(*expected, plan.half_width, plan.to_find, plan.power, options.level)
    return _needs(needs, expected_in_words(plan.repeats, plan.design_effect), options)


def _needs_of_run(database: Database, evaluation: Evaluation, options: EffectsOptions) -> Printed:
    """The cases that are needed by the outcomes of a run."""
    from reviewer.results.outcomes.case_needs import needs_from_run, of_run_in_words

    chosen, plan = among(database, evaluation, _choice(options)).chosen, options.plan
    wanted = plan.half_width, plan.to_find, plan.power
    needs = needs_from_run(evaluation, chosen, options.measures, *wanted, options.level)
    return _needs(needs, of_run_in_words(evaluation, needs), options)


def _needs(needs: "Sequence[CaseNeed]", notes: list[str], options: EffectsOptions) -> Printed:
    from reviewer.results.tables.effect_tables import needs_spec

    printed = declared_tables(needs_spec(needs), needs, "Cases that are needed", options.changed(digits=3))
    return printed._replace(notes=notes, keys=1)


def _write_files(
    database: Database, evaluation: Evaluation, files: EffectLayout, sentence_model: str
) -> None:
    """Write the files; note values that the layout has no place for, and that texts are not guarded."""
    from reviewer.cli.cluster_work import open_embeddings
    from reviewer.exchange.evaluations.outcome_writing import write_layout  # few ask for a layout
    from reviewer.similarity.encoder import ModelMissing, SimilarityMissing

    assert files.folder is not None
    folder = files.folder
    with progress_bars() as progress:
        try:
            embeddings = open_embeddings(database, sentence_model)
            written = write_layout(database, evaluation, files.layout, folder, embeddings, progress)
        except (SimilarityMissing, ModelMissing) as missing:
            note(f"The similarities of texts have no value: {missing}")
            written = write_layout(database, evaluation, files.layout, folder, None, progress)
    note(*_remarks(written))
    for file in written.files:
        click.echo(visible(str(file)))


def _remarks(written: "WrittenLayout") -> list[str]:
    remarks = [*written.remarks]
    if any(file.suffix == ".csv" for file in written.files):
        remarks.append(
            "The CSV files are for scripts and hold each text as it is, without the apostrophe that keeps "
            "spreadsheets from running a text as a formula: do not open them in a spreadsheet."
        )
    if written.left_out:
        were = agreeing(written.left_out, "is", "are")
        remarks.append(
            f"{counted(written.left_out, 'pair')} of runs {were} in no file: a reply was unreadable or "
            "missing, or the right answer is unknown."
        )
    for model, number in written.not_asked.items():
        cases = counted(number, "case")
        remarks.append(f"{one_line(model)} was not asked {cases} of the run; its files hold the others.")
    if written.other:
        names = ", ".join(condition.key for condition in written.other)
        remarks.append(f"The layout has no place for these conditions: {names}.")
    return remarks
