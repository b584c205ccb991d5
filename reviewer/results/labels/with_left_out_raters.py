"""Agreement of a study without the raters who are left out, and with them."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.results.labels.agreement_results import AgreementResult, Method, study_results
from reviewer.results.labels.divided_items import StudyLabels
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import label_rows
from store.records import Event


@dataclass(frozen=True)
class BothWays:
    """One question's result ``without`` the raters who are left out, or with everybody."""

    without: bool
    result: AgreementResult


def both_ways(
    bundle: StudyBundle,
    events: Sequence[Event],
    by: Sequence[str] = ("question",),
    method: Method | None = None,
) -> list[BothWays]:
    """Each cell and pooled result, without and then with the raters left out; empty if none is."""
    if not bundle.excluded:
        return []
    everybody = label_rows(bundle, events, everyone=True)
    return both_ways_of(bundle, label_rows(bundle, events), everybody, by, method)


def both_ways_of(
    bundle: StudyBundle,
    without: StudyLabels,
    everybody: StudyLabels,
    by: Sequence[str],
    method: Method | None,
) -> list[BothWays]:
    """The same from the labels of the raters who count, and from those of all."""
    if not bundle.excluded:
        return []
    results = study_results(bundle, everybody, by, method)
    with_them = {(result.kind, *result.where.values()): result for result in results}
    return [
        BothWays(kept, shown)
        for result in study_results(bundle, without, by, method)
        if result.kind != "mean of cells"
        for kept, shown in ((True, result), (False, with_them[result.kind, *result.where.values()]))
    ]
