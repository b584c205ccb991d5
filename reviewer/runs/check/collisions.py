"""Finds cases of a dataset that are too similar, within a group and across groups."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult
from reviewer.core.number_text import all_digits, fixed
from reviewer.core.progress import NamedProgress
from reviewer.protocols.base import CheckPlan
from reviewer.runs.findings import finding_of
from store.records import Case, Finding, Membership

if TYPE_CHECKING:
    from reviewer.similarity.collisions import Collision
    from reviewer.similarity.embeddings import Embeddings
    from reviewer.similarity.index_search import Recall

WITHIN, ACROSS = "collision_within_group", "collision_across_groups"
COLLISIONS = {
    WITHIN: "Is the text that must be distinct too like that of another case of the same group?",
    ACROSS: "Is the text that must be distinct too like that of a case of another group?",
}
"""What each of these checks looks for, in a sentence."""

ENCODING = "Encoding texts"

Placed = tuple[Membership, Case]
Near = tuple[float, Membership, Case]


@dataclass(frozen=True, slots=True)
class CollidingPairs:
    """Places (later, earlier) that hold different cases whose texts collide, with their cosine similarity.

    ``recall`` says how many of them an index found; None: every pair was compared.
    """

    pairs: tuple[tuple[int, int, float], ...] = ()
    recall: "Recall | None" = None


def colliding_pairs(
    placed: Sequence[Placed],
    plans: Mapping[str, CheckPlan],
    embeddings: "Embeddings",
    *,
    index: bool = False,
    progress: NamedProgress | None = None,
) -> CollidingPairs:
    """The places whose cases collide, of cases that each have a plan; by an index, or by comparing all."""
    texts = [plans[case.digest].distinct for _, case in placed]
    thresholds = [plans[case.digest].collides_at for _, case in placed]
    if not texts:
        return CollidingPairs()
    hits, recall = _collisions(embeddings, texts, min(thresholds), progress, index=index)
    different = (hit for hit in hits if placed[hit.new][1].digest != placed[hit.approved][1].digest)
    return CollidingPairs(
        tuple(
            (hit.new, hit.approved, hit.cosine)
            for hit in different
            if hit.cosine >= max(thresholds[hit.new], thresholds[hit.approved])
        ),
        recall,
    )


def _collisions(
    embeddings: "Embeddings",
    texts: Sequence[str],
    threshold: float,
    progress: NamedProgress | None,
    *,
    index: bool,
) -> "tuple[list[Collision], Recall | None]":
    # numpy takes a fifth of a second to load
    from reviewer.similarity.collisions import collisions_among
    from reviewer.similarity.index_search import indexed_collisions

    encoding, comparing = (progress and partial(progress, doing) for doing in (ENCODING, "Comparing texts"))
    vectors = embeddings.of(texts, encoding)
    if index:
        return indexed_collisions(vectors, threshold, comparing)
    return collisions_among(vectors, threshold, progress=comparing), None


def collision_findings(
    placed: Sequence[Placed], plans: Mapping[str, CheckPlan], colliding: CollidingPairs
) -> list[Finding]:
    """Two findings for each case with a plan, from the collisions among the places of these cases."""
    near: dict[str, list[Near]] = {case.digest: [] for _, case in placed}
    for later, earlier, value in colliding.pairs:
        for one, other in ((later, earlier), (earlier, later)):
            near[placed[one][1].digest].append((value, *placed[other]))
    searched = colliding.recall.words if colliding.recall else ""
    cases = {case.digest: case for _, case in placed}
    return [
        finding_of(result, digest, None)
        for digest, case in cases.items()
        for result in _results(case, near[digest], plans[digest].collides_at, searched)
    ]


def _results(case: Case, near: Sequence[Near], collides_at: float, searched: str) -> Iterator[CheckResult]:
    for check, same in ((WITHIN, True), (ACROSS, False)):
        hits = [hit for hit in near if (hit[2].group == case.group) == same]
        yield _result(check, hits, collides_at, searched)


def _result(check: str, near: Sequence[Near], collides_at: float, searched: str) -> CheckResult:
    ranked = sorted(near, key=lambda hit: (-hit[0], hit[1].position))
    value = [
        {"dataset": place.dataset, "key": place.key, "case": other.digest, "cosine": all_digits(cosine)}
        for cosine, place, other in ranked
    ]
    why = " ".join(filter(None, (_why(ranked), searched)))
    return CheckResult(check, "failed" if ranked else "passed", value, collides_at, why, "doubtful")


def _why(ranked: Sequence[Near]) -> str:
    if not ranked:
        return ""
    value, place, _ = ranked[0]
    more = f" and {len(ranked) - 1} more" if len(ranked) > 1 else ""
    return f"{fixed(value, 3)} like {place.key}{more}."
