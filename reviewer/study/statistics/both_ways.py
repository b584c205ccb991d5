"""Agreement of a study without the raters who are left out, and with them."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.statistics.agreement_results import AgreementResult, Method, study_results
from reviewer.study.statistics.label_rows import label_rows
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
    without = study_results(bundle, label_rows(bundle, events), by, method)
    everybody = study_results(bundle, label_rows(bundle, events, everyone=True), by, method)
    with_them = {(result.kind, *result.where.values()): result for result in everybody}
    return [
        BothWays(kept, shown)
        for result in without
        if result.kind != "mean of cells"
        for kept, shown in ((True, result), (False, with_them[result.kind, *result.where.values()]))
    ]
