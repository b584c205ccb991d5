"""``reviewer report``: a study as pages and figures."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from reviewer.cli.options import note, open_store
from reviewer.cli.study_events import pooled_with_events
from reviewer.cli.viewer import is_packed
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import visible
from reviewer.exchange.exports.study_export import write_texts
from reviewer.options.report import ReportOptions
from reviewer.protocols.base import DatasetFinding
from reviewer.report.look import BY, Look
from reviewer.report.report_files import report_files
from reviewer.report.report_statistics import compute_statistics
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.final_labels import check_label_rule
from reviewer.runs.check.dataset_findings import dataset_findings
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_releases import with_releases
from reviewer.study.integrity.count_signing import count_study, keep_count
from reviewer.study.integrity.quarantine import left_out_in_words
from reviewer.study.session.blinding import why_not_judges
from reviewer.study.session.rater_progress import progress_of
from store.cases import find_dataset
from store.database import Database
from store.records import Event

if TYPE_CHECKING:
    pass

_OF_STUDIES = ("others", "by", "anonymous", "comments", "rule", "coefficients", "weights", "unweighted")
_OF_EVALUATIONS = ("models", "passed", "picked", "cluster", "tiers_by", "sentence_model")


def report_command(options: ReportOptions) -> None:
    """Carry out ``reviewer report``."""
    subject = _subject(options.name, options.evaluation)
    target = options.folder or Path("exports") / subject
    if options.evaluation is not None:
        # Effects take a fifth of a second to load, and the report of a study needs none of them.
        from reviewer.cli.evaluation_report import EvaluationReportRequest, evaluation_report

        request = EvaluationReportRequest(
            *(
                options.evaluation,
                options.models,
                options.passed,
                options.picked,
                options.cluster,
                options.tiers_by,
                options.sentence_model,
            ),
            *(options.interval, options.resamples, options.seed, options.level, options.digits),
        )
        files = evaluation_report(options.store, request, with_figures=not options.no_figures)
        _tell(write_texts(target, files), target, no_figures=options.no_figures)
        return
    look = Look(
        BY if options.by is None else options.by,
        options.digits,
        options.anonymous,
        options.comments or not options.anonymous,
        options.rule,
    )
    bundle, events = pooled_with_events(options.store, subject, options.others)
    check_label_rule(bundle, options.rule)
    database = open_store(options.store, must_exist=True)
    method = Method(
        options.coefficients,
        options.interval,
        options.level,
        options.seed,
        options.resamples,
        options.weights,
        options.unweighted,
    )
    paths = write_report(database, bundle, events, target, method, look, with_figures=not options.no_figures)
    _tell(paths, target, no_figures=options.no_figures)
    for sentence in left_out_in_words(bundle):
        note(sentence)


def _subject(study: str | None, run: str | None) -> str:
    """What the report is on; raises RequestError for none or two, or for options of the other kind."""
    if (study is None) == (run is None):
        raise RequestError("name either a study or, with --evaluation, an evaluation run.")
    context = click.get_current_context()
    wrong = _OF_EVALUATIONS if run is None else _OF_STUDIES
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if given and parameter.name in wrong:
            kind = "a study" if run is None else "an evaluation run"
            raise RequestError(f"{parameter.opts[0]} does not apply to {kind}; leave it out.")
    return study or run or ""


def _tell(paths: Sequence[Path], folder: Path, *, no_figures: bool) -> None:
    """Print the files that were written, and that figures of an earlier report lie beside them."""
    for path in paths:
        click.echo(path)
    if no_figures and any((folder / "figures").glob("*.*")):
        note(visible(f"Note: {folder / 'figures'} holds figures of an earlier report, not of this one."))


def write_report(
    database: Database,
    bundle: StudyBundle,
    events: Sequence[Event],
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
        why_not_judges(progress_of(database, name), in_pack=is_packed(database, name)) for name in names
    )
    statistics = compute_statistics(whole, events, method, look, with_opinions=may_see_opinions)
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
