"""Finds cases of a dataset that are too similar, within a group and across groups."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult
from reviewer.protocols.base import CheckPlan
from reviewer.runs.findings import finding_of
from store.records import Case, Finding, Membership

if TYPE_CHECKING:
    from reviewer.similarity.embeddings import Embeddings

WITHIN, ACROSS = "collision_within_group", "collision_across_groups"
COLLISIONS = {
    WITHIN: "Is the text that must be distinct too like that of another case of the same group?",
    ACROSS: "Is the text that must be distinct too like that of a case of another group?",
}
"""What each of these checks looks for, in a sentence."""

Placed = tuple[Membership, Case]
Near = tuple[float, Membership, Case]


def colliding_pairs(
    placed: Sequence[Placed], plans: Mapping[str, CheckPlan], embeddings: "Embeddings"
) -> list[tuple[int, int, float]]:
    """Places (later, earlier) that hold different cases whose texts collide, with their cosine similarity."""
    texts = [plans[case.digest].distinct for _, case in placed]
    thresholds = [plans[case.digest].collides_at for _, case in placed]
    if not texts:
        return []
    from reviewer.similarity.collisions import collisions_among  # numpy takes a fifth of a second to load

    colliding = collisions_among(embeddings.of(texts), min(thresholds))
    return [
        (hit.new, hit.approved, hit.cosine)
        for hit in colliding
        if hit.cosine >= max(thresholds[hit.new], thresholds[hit.approved])
        and placed[hit.new][1].digest != placed[hit.approved][1].digest
    ]


def collision_findings(
    placed: Sequence[Placed], plans: Mapping[str, CheckPlan], embeddings: "Embeddings"
) -> tuple[list[Finding], int]:
    """Two findings for each case with a plan, and the number of pairs that collide."""
    checked = [(place, case) for place, case in placed if case.digest in plans]
    pairs = colliding_pairs(checked, plans, embeddings)
    near: dict[str, list[Near]] = {case.digest: [] for _, case in checked}
    for later, earlier, value in pairs:
        for one, other in ((later, earlier), (earlier, later)):
            near[checked[one][1].digest].append((value, *checked[other]))
    cases = {case.digest: case for _, case in checked}
    findings = [
        finding_of(result, digest, None)
        for digest, case in cases.items()
        for result in _results(case, near[digest], plans[digest].collides_at)
    ]
    return findings, len(pairs)


def _results(case: Case, near: Sequence[Near], collides_at: float) -> Iterator[CheckResult]:
    for check, same in ((WITHIN, True), (ACROSS, False)):
        yield _result(check, [hit for hit in near if (hit[2].group == case.group) == same], collides_at)


def _result(check: str, near: Sequence[Near], collides_at: float) -> CheckResult:
    ranked = sorted(near, key=lambda hit: (-hit[0], hit[1].position))
    value = [
        {"dataset": place.dataset, "key": place.key, "case": other.digest, "cosine": round(cosine, 6)}
        for cosine, place, other in ranked
    ]
    return CheckResult(check, "failed" if ranked else "passed", value, collides_at, _why(ranked), "doubtful")


def _why(ranked: Sequence[Near]) -> str:
    if not ranked:
        return ""
    value, place, _ = ranked[0]
    more = f" and {len(ranked) - 1} more" if len(ranked) > 1 else ""
    return f"{value:.3f} like {place.key}{more}."
