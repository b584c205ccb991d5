"""``reviewer report``: a study as pages and figures."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final, Literal

import click
from click.core import ParameterSource

from reviewer.cli.printing import note
from reviewer.cli.store_access import open_store
from reviewer.cli.viewed_study import pooled_with_events
from reviewer.cli.viewer import check_effects, viewer
from reviewer.core.errors import RequestError
from reviewer.core.number_text import DIGITS
from reviewer.core.sanitize import visible
from reviewer.exchange.exports.study_export import write_texts
from reviewer.options.option import entries
from reviewer.options.results import ReportedRun, ReportedStudy, ReportOptions
from reviewer.protocols.base import DatasetFinding
from reviewer.protocols.registry import protocols_of
from reviewer.report.look import BY, Look
from reviewer.report.report_files import report_files
from reviewer.report.report_statistics import compute_statistics
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.final_labels import check_label_rule
from reviewer.results.labels.opinion_statistics import NO_SOURCES, OpinionSources
from reviewer.runs.check.dataset_findings import dataset_findings
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_releases import with_releases
from reviewer.study.integrity.count_signing import count_study, keep_count
from reviewer.study.integrity.quarantine import left_out_in_words
from reviewer.study.session.blinding import is_packed, why_not_judges, why_not_opinions
from reviewer.study.session.rater_progress import progress_of
from store.cases import find_dataset
from store.database import Database
from store.evaluations import Evaluations
from store.records import Event, Outcome, OutcomeState

if TYPE_CHECKING:
    from reviewer.report.evaluation_report import SameNumbers
    from reviewer.results.outcomes.divisions import Tiers
    from reviewer.results.outcomes.effect_rows import ErrorMethod
    from reviewer.results.outcomes.evaluated import Evaluation


_JUDGES_APART: Final = (
    "A report of pooled studies leaves out judges that were asked; the report of each study has its own."
)
_UNLABELLED: tuple[OutcomeState, ...] = ("unreadable", "missing", "not_asked")


def report_command(options: ReportOptions) -> None:
    """``reviewer report``: a study or an evaluation run as pages and figures."""
    subject = _subject(options)
    target = options.folder or Path("exports") / subject
    if options.evaluation is not None:
        paths = write_texts(target, _evaluation_files(options, subject))
        _tell(paths, target, no_figures=options.no_figures)
        return
    study = options.study
    comments = study.comments or not study.anonymous
    look = Look(
        BY if study.by is None else study.by,
        options.digits,
        study.anonymous,
        comments,
        study.rule,
        study.drift,
    )
    bundle, events = pooled_with_events(options.store, subject, study.others)
    check_label_rule(bundle, study.rule)
    database = open_store(options.store, must_exist=True)
    method = options.method(study.coefficients, study.weights, study.unweighted)
    paths = write_report(
        database, bundle, events, viewer(database), target, method, look, with_figures=not options.no_figures
    )
    _tell(paths, target, no_figures=options.no_figures)
    note(*left_out_in_words(bundle))


def _subject(options: ReportOptions) -> str:
    """The study or run of the report; raises RequestError for none or two, or for options of the other."""
    if (options.name is None) == (options.evaluation is None):
        raise RequestError("name either a study or, with --evaluation, an evaluation run.")
    other, kind = (ReportedRun, "a study") if options.name else (ReportedStudy, "an evaluation run")
    context, wrong = click.get_current_context(), {name for name, *_ in entries(other)}
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if given and parameter.name in wrong:
            raise RequestError(f"{parameter.opts[0]} does not apply to {kind}; leave it out.")
    return options.name or options.evaluation or ""


def _tell(paths: Sequence[Path], folder: Path, *, no_figures: bool) -> None:
    """Print the files that were written, and that figures of an earlier report lie beside them."""
    for path in paths:
        click.echo(visible(str(path)))
    if no_figures and any((folder / "figures").glob("*.*")):
        note(f"Note: {folder / 'figures'} holds figures of an earlier report, not of this one.")


def write_report(
    database: Database,
    bundle: StudyBundle,
    events: Sequence[Event],
    person: str,
    folder: Path,
    method: Method,
    look: Look,
    *,
    with_figures: bool,
) -> list[Path]:
    """Write the files of a report into a folder, and sign what the study held; raises RequestError."""
    names = [part.study.name for part in bundle.parts] or [bundle.study.name]
    counts = [count_study(database, name, "report") for name in names]
    whole = bundle if bundle.parts else replace(with_releases(database, bundle), digest=counts[0].digest)
    findings = _about_datasets(database, bundle.design.datasets)
    may_see_opinions = not any(
        why_not_judges(progress_of(database, name), in_pack=is_packed(database, name))
        or why_not_opinions(database, name, person)
        for name in names
    )
    sources = OpinionSources.read(database, bundle, person) if may_see_opinions else NO_SOURCES
    if bundle.parts and may_see_opinions and any(map(Evaluations(database).judgings, names)):
        note(_JUDGES_APART)
    statistics = compute_statistics(
        whole, events, method, look, with_opinions=may_see_opinions, sources=sources
    )
    statistics = replace(statistics, datasets=findings)
    paths = write_texts(folder, report_files(statistics, with_figures=with_figures))
    for count in counts:
        keep_count(database, count)
    return paths


def _about_datasets(database: Database, names: Sequence[str]) -> dict[str, tuple[DatasetFinding, ...]]:
    """What the checks of a whole dataset find in those that the store still holds."""
    with database.read() as session:
        held = [name for name in names if find_dataset(session, name)]
    return {name: dataset_findings(database, name) for name in held}


def _evaluation_files(options: ReportOptions, run: str) -> dict[str, str | bytes]:
    """Every file of the report on an evaluation run, by its path in the folder; raises RequestError."""
    # Effects take a fifth of a second to load, and the report of a study needs none of them.
    from reviewer.cli.outcome_choice import read_clusters, read_picked
    from reviewer.report.report_files import evaluation_files
    from reviewer.results.labels.answer_studies import answer_studies
    from reviewer.results.outcomes.case_choice import ladder
    from reviewer.results.outcomes.evaluated import read_evaluation
    from reviewer.results.outcomes.evaluation_statistics import EffectSettings, compute_evaluation

    method, chosen = _error_method(options), options.run
    with closing(open_store(options.store, must_exist=True)) as database:
        check_effects(database, run)
        evaluation = read_evaluation(database, protocols_of(database), run)
        if not evaluation.models or not evaluation.cases:
            raise RequestError(f"evaluation run {run!r} has no outcomes yet; run `reviewer evaluate`.")
        evaluation = evaluation.of_models(chosen.models)
        clusters = read_clusters(database, evaluation, chosen)
        settings = EffectSettings(clusters, _tiers(database, evaluation, chosen), method)
        choices = ladder(database, evaluation, chosen.passed, read_picked(chosen.picked))
        unlabelled = _unlabelled(database, run)
        statistics = compute_evaluation(evaluation, unlabelled, choices, settings, options.digits)
        judged = tuple(answer_studies(database, run, options.level))
    statistics = replace(statistics, answers=judged)
    return evaluation_files(statistics, _same_numbers(options), with_figures=not options.no_figures)


def _error_method(options: ReportOptions) -> "ErrorMethod":
    """How errors are computed; raises RequestError for none."""
    from reviewer.results.outcomes.effect_rows import ErrorMethod

    if options.interval == "none":
        raise RequestError("effects have intervals in any case; use --interval bootstrap or analytic.")
    interval: Literal["bootstrap", "linearised"]
    interval = "bootstrap" if options.interval == "bootstrap" else "linearised"
    return ErrorMethod(interval, options.level, options.seed or 0, options.resamples)


def _same_numbers(options: ReportOptions) -> "SameNumbers":
    """The commands that give the numbers of a report on an evaluation run again."""
    from reviewer.report.evaluation_report import SameNumbers

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


def _tiers(database: Database, evaluation: "Evaluation", run: ReportedRun) -> "Tiers | None":
    """Tiers by what was asked for, else by what the protocol names, if any case has it."""
    from reviewer.cli.outcome_choice import read_tiers

    name = run.tiers_by or evaluation.plan.tiers_by
    if not run.tiers_by and not any(name in case.sizes for case in evaluation.cases):
        return None
    return read_tiers(database, evaluation, name, run.sentence_model)


def _unlabelled(database: Database, run: str) -> Iterator[Outcome]:
    for state in _UNLABELLED:
        yield from Evaluations(database).outcomes(run, state=state)
