"""The report of ``reviewer report STUDY``, which the app writes too."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from reviewer.cli.printing import note
from reviewer.cli.store_access import open_store
from reviewer.cli.viewed_study import pooled_with_events
from reviewer.cli.viewer import viewer
from reviewer.core.whole_files import write_texts
from reviewer.options.results import ReportOptions
from reviewer.protocols.base import DatasetFinding
from reviewer.report.report_choices import BY, Look
from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import report_files
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.final_labels import check_label_rule
from reviewer.results.labels.opinion_statistics import NO_SOURCES, OpinionSources
from reviewer.runs.check.dataset_findings import dataset_findings
from reviewer.study.design.study_bundle import StudyBundle, StudyRelease
from reviewer.study.integrity.count_signing import count_study, keep_count
from reviewer.study.integrity.quarantine import left_out_in_words
from reviewer.study.session.blinding import is_packed, why_not_judges, why_not_opinions
from reviewer.study.session.rater_progress import progress_of
from store.cases import find_dataset
from store.database import Database
from store.evaluations import Evaluations
from store.records import Event
from store.releases import releases_of

_JUDGES_APART: Final = (
    "A report of pooled studies leaves out judges that were asked; the report of each study has its own."
)


def report_on_study(options: ReportOptions, name: str, folder: Path) -> tuple[list[Path], list[str]]:
    """Write the report of a study, and say which of its answers are left out; raises RequestError."""
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
    bundle, events = pooled_with_events(options.store, name, study.others)
    check_label_rule(bundle, study.rule)
    database = open_store(options.store)
    method = options.method(study.coefficients, study.weights, study.unweighted)
    figures = not options.no_figures
    person = viewer(database)
    paths = write_report(database, bundle, events, person, folder, method, look, with_figures=figures)
    return paths, [*left_out_in_words(bundle)]


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


def with_releases(database: Database, bundle: StudyBundle) -> StudyBundle:
    """The study with the releases of its datasets that have at least one of its counted cases."""
    with database.read() as session:
        releases = releases_of(session, sorted({place.dataset for place in bundle.counted}))
    found = []
    for release in releases:
        digests = release.content.get("cases")
        held = digests if isinstance(digests, dict) else {}
        here = (place for place in bundle.counted if place.dataset == release.dataset)
        if cases := sum(held.get(place.key) == place.case for place in here):
            found.append(StudyRelease(release.name, release.version, release.seal, release.origin, cases))
    return replace(bundle, releases=tuple(found))
