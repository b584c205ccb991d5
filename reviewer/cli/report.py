"""``reviewer report``: a study as pages and figures."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from reviewer.cli.effect_options import (
    cluster_option,
    models_option,
    passed_option,
    picked_option,
    tiers_by_option,
)
from reviewer.cli.embedding import sentence_model_option
from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.result_options import (
    by_option,
    coefficient_option,
    digits_option,
    interval_options,
    label_rule_option,
    level_option,
    pool_option,
    weight_options,
)
from reviewer.cli.study_events import pooled_with_events
from reviewer.cli.viewer import is_packed
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import visible
from reviewer.exchange.exports.study_export import write_texts
from reviewer.protocols.base import DatasetFinding
from reviewer.report.look import BY, Look
from reviewer.report.report_files import report_files
from reviewer.report.report_statistics import compute_statistics
from reviewer.results.labels.agreement_results import IntervalKind, Method
from reviewer.results.labels.coefficient_choice import LabelWeights
from reviewer.results.labels.final_labels import LabelRule, check_label_rule
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
    from reviewer.results.outcomes.effect_rows import ClusterKind

_OF_STUDIES = ("others", "by", "anonymous", "comments", "rule", "coefficients", "weights", "unweighted")
_OF_EVALUATIONS = ("models", "passed", "picked", "cluster", "tiers_by", "sentence_model")


@click.command(
    "report",
    epilog="Example: reviewer report pilot -o exports/pilot",
)
@click.argument("name", metavar="[STUDY]", required=False)
@click.option("--evaluation", metavar="RUN", help="Report on this evaluation run instead of a study.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    help="Folder to write to. Default: exports/STUDY or exports/RUN.",
)
@click.option("--no-figures", is_flag=True, help="Leave out the figures. matplotlib is then not needed.")
@pool_option
@by_option
@digits_option
@click.option("--anonymous", is_flag=True, help="Name raters by letters and leave out their comments.")
@click.option("--comments", is_flag=True, help="With --anonymous: print the comments anyway.")
@label_rule_option
@coefficient_option
@weight_options
@interval_options
@level_option
@models_option
@passed_option
@picked_option
@cluster_option
@tiers_by_option
@sentence_model_option
@store_option
def report_command(
    name: str | None,
    evaluation: str | None,
    folder: Path | None,
    no_figures: bool,
    others: tuple[str, ...],
    by: tuple[str, ...] | None,
    digits: int,
    anonymous: bool,
    comments: bool,
    rule: LabelRule,
    coefficients: tuple[str, ...],
    interval: IntervalKind,
    seed: int | None,
    resamples: int,
    level: float,
    weights: LabelWeights,
    unweighted: bool,
    models: tuple[str, ...],
    passed: tuple[str, ...],
    picked: Path | None,
    cluster: "ClusterKind",
    tiers_by: str,
    sentence_model: str,
    store: str,
) -> None:
    """Write the report of a study or an evaluation run as HTML, Markdown and LaTeX, with its figures.

    The report of a study says how raters answered (in the app, in plain mode, by spreadsheet …) and what
    they saw, as far as that was recorded. Run `reviewer study describe` first to add recruitment,
    independence and consent; otherwise the report lists them as missing. The list of disagreements is an
    appendix.

    `reviewer report --evaluation RUN` says what conditions did to the decisions of models, and over which
    cases this holds: all, audit-clean ones, strictly clean ones, and those of --passed and --picked. Its
    tables stand in a folder of their own as CSV, JSON, Markdown and LaTeX.
    """
    subject = _subject(name, evaluation)
    target = folder or Path("exports") / subject
    if evaluation is not None:
        # Effects take a fifth of a second to load, and the report of a study needs none of them.
        from reviewer.cli.evaluation_report import EvaluationReportRequest, evaluation_report

        request = EvaluationReportRequest(
            *(evaluation, models, passed, picked, cluster, tiers_by, sentence_model),
            *(interval, resamples, seed, level, digits),
        )
        files = evaluation_report(store, request, with_figures=not no_figures)
        _tell(write_texts(target, files), target, no_figures=no_figures)
        return
    look = Look(BY if by is None else by, digits, anonymous, comments or not anonymous, rule)
    bundle, events = pooled_with_events(store, subject, others)
    check_label_rule(bundle, rule)
    database = open_store(store, must_exist=True)
    method = Method(coefficients, interval, level, seed, resamples, weights, unweighted)
    paths = write_report(database, bundle, events, target, method, look, with_figures=not no_figures)
    _tell(paths, target, no_figures=no_figures)
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
