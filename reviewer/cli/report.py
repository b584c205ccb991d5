"""``reviewer report``: a study as pages and figures."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

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
from reviewer.core.sanitize import visible
from reviewer.exchange.exports.study_export import write_texts
from reviewer.protocols.base import DatasetFinding
from reviewer.report.look import BY, Look
from reviewer.report.report_files import report_files
from reviewer.report.report_statistics import compute_statistics
from reviewer.runs.check.dataset_findings import dataset_findings
from reviewer.study.adjudication.final_labels import LabelRule, check_label_rule
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_releases import with_releases
from reviewer.study.integrity.count_signing import count_study, keep_count
from reviewer.study.integrity.quarantine import left_out_in_words
from reviewer.study.session.blinding import why_not_judges
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.statistics.agreement_results import IntervalKind, Method
from reviewer.study.statistics.coefficient_choice import LabelWeights
from store.cases import find_dataset
from store.database import Database
from store.records import Event


@click.command("report", epilog="Example: reviewer report pilot -o exports/pilot")
@click.argument("name", metavar="STUDY")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    help="Folder to write to. Default: exports/STUDY.",
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
@store_option
def report_command(
    name: str,
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
    store: str,
) -> None:
    """Write the study's report as HTML, Markdown and LaTeX, with its figures.

    The report says how raters answered (in the app, in plain mode, by spreadsheet …) and what they saw, as
    far as that was recorded. Run `reviewer study describe` first to add recruitment, independence and
    consent; otherwise the report lists them as missing. The list of disagreements is an appendix.
    """
    look = Look(BY if by is None else by, digits, anonymous, comments or not anonymous, rule)
    bundle, events = pooled_with_events(store, name, others)
    check_label_rule(bundle, rule)
    database = open_store(store, must_exist=True)
    method = Method(coefficients, interval, level, seed, resamples, weights, unweighted)
    target = folder or Path("exports") / name
    for path in write_report(database, bundle, events, target, method, look, with_figures=not no_figures):
        click.echo(path)
    if no_figures and any((target / "figures").glob("*.*")):
        note(visible(f"Note: {target / 'figures'} holds figures of an earlier report, not of this one."))
    for sentence in left_out_in_words(bundle):
        note(sentence)


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
    found = _about_datasets(database, bundle.design.datasets)
    may_see_opinions = all(why_not_judges(progress_of(database, name)) is None for name in names)
    statistics = compute_statistics(whole, events, method, look, with_opinions=may_see_opinions)
    statistics = replace(statistics, datasets=found)
    paths = write_texts(folder, report_files(statistics, with_figures=with_figures))
    for count in counts:
        keep_count(database, count)
    return paths


def _about_datasets(database: Database, names: Sequence[str]) -> dict[str, tuple[DatasetFinding, ...]]:
    """What the checks of a whole dataset find in those that the store still holds."""
    with database.read() as session:
        held = [name for name in names if find_dataset(session, name)]
    return {name: dataset_findings(database, name) for name in held}
