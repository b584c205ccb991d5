"""The report of ``reviewer report --evaluation RUN``."""

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Literal

from reviewer.cli.outcome_choice import read_clusters, read_picked, read_tiers
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import check_effects
from reviewer.core.errors import RequestError
from reviewer.core.number_text import DIGITS
from reviewer.options.results import ReportedRun, ReportOptions
from reviewer.protocols.registry import protocols_of
from reviewer.report.evaluation_report import SameNumbers, evaluation_files
from reviewer.results.outcomes.case_choice import ladder
from reviewer.results.outcomes.effect_rows import ErrorMethod, Tiers
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation
from reviewer.results.outcomes.evaluation_statistics import EffectSettings, compute_evaluation
from store.database import Database
from store.evaluations import Evaluations
from store.records import OutcomeState
from store.studies import studies_of_answers

if TYPE_CHECKING:
    from reviewer.results.labels.answer_studies import AnswerStudy

_UNLABELLED: tuple[OutcomeState, ...] = ("unreadable", "missing", "not_asked")


def run_files(options: ReportOptions, run: str) -> dict[str, str | bytes]:
    """Every file of the report on an evaluation run, by its path in the folder; raises RequestError."""
    method, chosen = _error_method(options), options.run
    database = open_store(options.store)
    check_effects(database, run)
    evaluation = read_evaluation(database, protocols_of(database), run)
    if not evaluation.models or not evaluation.cases:
        raise RequestError(f"evaluation run {run!r} has no outcomes yet; run `reviewer evaluate`.")
    evaluation = evaluation.of_models(chosen.models)
    clusters = read_clusters(database, evaluation, chosen)
    settings = EffectSettings(clusters, _tiers(database, evaluation, chosen), method)
    picked = read_picked(chosen.picked) if chosen.picked else None
    choices = ladder(database, evaluation, chosen.passed, picked)
    kept = Evaluations(database)
    unlabelled = (outcome for state in _UNLABELLED for outcome in kept.outcomes(run, state=state))
    statistics = compute_evaluation(evaluation, unlabelled, choices, settings, options.digits)
    judged = _judged_answers(database, run, options.level)
    statistics = replace(statistics, answers=judged)
    return evaluation_files(statistics, _same_numbers(options), with_figures=not options.no_figures)


def _judged_answers(database: Database, run: str, level: float) -> "tuple[AnswerStudy, ...]":
    """What experts found in answers of the run, by study."""
    with database.read() as session:
        judged = studies_of_answers(session, run)
    if not judged:
        return ()
    from reviewer.results.labels.answer_studies import answer_studies  # loads most modules that read labels

    return tuple(answer_studies(database, run, level))


def _error_method(options: ReportOptions) -> ErrorMethod:
    """How errors are computed; raises RequestError for none."""
    if options.interval == "none":
        raise RequestError("effects have intervals in any case; use --interval bootstrap or analytic.")
    interval: Literal["bootstrap", "linearised"]
    interval = "bootstrap" if options.interval == "bootstrap" else "linearised"
    return ErrorMethod(interval, options.level, options.seed or 0, options.resamples)


def _same_numbers(options: ReportOptions) -> SameNumbers:
    """The commands that give the numbers of a report on an evaluation run again."""
    run, name = options.run, quote(options.evaluation or "")
    chosen = [f"--model {quote(model)}" for model in run.models]
    chosen += [f"--cluster {run.cluster}"] if run.cluster != "case" else []
    chosen += [f"--tiers-by {quote(run.tiers_by)}"] if run.tiers_by else []
    of_report = [f"--passed {quote(study)}" for study in run.passed]
    of_report += [f"--picked {quote(str(run.picked))}"] if run.picked else []
    intervals = [f"--level {options.level:g}"]
    if options.interval == "bootstrap":
        intervals += [f"--resamples {options.resamples} --seed {options.seed or 0}"]
    digits = [f"--digits {options.digits}"] if options.digits != DIGITS else []
    same = f"--interval {options.interval}"
    report = ["reviewer report --evaluation", name, *chosen, *of_report, same, *intervals, *digits]
    formula = f"--interval {_error_method(options).interval}"
    effects = ["effects", name, *chosen, formula, *intervals]
    return SameNumbers(" ".join(report), " ".join(effects))


def _tiers(database: Database, evaluation: Evaluation, run: ReportedRun) -> Tiers | None:
    """Tiers by the requested size, else by that of the protocol, if any case has it."""
    name = run.tiers_by or evaluation.plan.tiers_by
    if not run.tiers_by and not any(name in case.sizes for case in evaluation.cases):
        return None
    return read_tiers(database, evaluation, name, run.sentence_model)
