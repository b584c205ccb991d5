"""Merging named biases: with those of equal names, then with the nearest known ones by meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reviewer.protocols.judge_pairs.bias_entry import same_bias
from reviewer.protocols.judge_pairs.discovery.replies import read_sameness
from reviewer.protocols.judge_pairs.discovery.teaching import KnownBias, Teacher
from reviewer.protocols.work import Work, together, vectors_of
from reviewer.similarity.encoder import Vectors

NEAREST = 5


@dataclass(frozen=True, slots=True)
class Naming:
    """A bias that was named for a misjudged rewrite, which is known by its key."""

    bias: KnownBias
    rewrite: str
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SamenessAnswers:
    """Whether a candidate and a known bias are the same, asked in both directions; None: unreadable."""

    bias: KnownBias
    forward: bool | None
    backward: bool | None
    calls: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether both answers say so."""
        return self.forward is True and self.backward is True

    @property
    def is_unread(self) -> bool:
        """Whether one of the answers could not be read."""
        return None in (self.forward, self.backward)

    @property
    def is_one_sided(self) -> bool:
        """Whether they are the same in one direction only."""
        return {self.forward, self.backward} == {True, False}


@dataclass(frozen=True, slots=True)
class MergedBias:
    """A bias that was merged into another one, and the one that the teacher called the same as it.

    Both are one, or the latter was merged into the former before.
    """

    bias: KnownBias
    same_as: KnownBias


@dataclass(frozen=True, slots=True)
class CandidateBias:
    """A named bias with the keys of the rewrites that support it, and what it was compared with.

    ``known_as`` is the known bias of the same name, or the one that a bias of this name was merged into in an
    earlier round. ``same_as`` is the one that the teacher called the same, and ``merged_into`` the one that
    it was merged into for that. In ``merged`` are the biases that were merged into this one.
    """

    bias: KnownBias
    rewrites: tuple[str, ...]
    calls: tuple[str, ...]
    compared: tuple[SamenessAnswers, ...] = ()
    nearest: KnownBias | None = None
    known_as: KnownBias | None = None
    same_as: KnownBias | None = None
    merged_into: KnownBias | None = None
    merged: tuple[MergedBias, ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether it is neither known nor merged."""
        return self.known_as is None and self.merged_into is None


def gathered(namings: Sequence[Naming]) -> list[CandidateBias]:
    """One candidate for all namings with equal names, with the first definition, in order of appearance."""
    candidates: dict[str, CandidateBias] = {}
    for naming in namings:
        name = same_bias(naming.bias.name)
        known = candidates.get(name) or CandidateBias(naming.bias, (), ())
        rewrites, calls = (*known.rewrites, naming.rewrite), (*known.calls, *naming.calls)
        candidates[name] = replace(known, rewrites=rewrites, calls=calls)
    return list(candidates.values())


def merged_candidates(
    teacher: Teacher,
    candidates: Sequence[CandidateBias],
    library: Sequence[KnownBias],
    tested: Sequence[KnownBias],
    merged_before: Mapping[str, KnownBias],
) -> Work[list[CandidateBias]]:
    """The candidates after comparison with the library, what was tested before, and each other.

    A candidate is compared with the nearest five of all these and of the candidates before it. It is merged
    into the nearest one that is the same in both directions. ``merged_before`` says which bias another one
    was merged into in an earlier round, by ``same_bias`` of its name.
    """
    known_names = {**merged_before, **{same_bias(bias.name): bias for bias in (*tested, *library)}}
    new = [each for each in candidates if same_bias(each.bias.name) not in known_names]
    compared = yield from _compared(teacher, [each.bias for each in new], (*library, *tested), len(library))
    kept: dict[str, CandidateBias] = {}
    for candidate, (nearest, answers) in zip(new, compared, strict=True):
        same = next((each.bias for each in answers if each.is_same), None)
        before = kept.get(same.name) if same else None
        into = before.merged_into or same if before else same
        calls = (*candidate.calls, *(call for each in answers for call in each.calls))
        kept[candidate.bias.name] = replace(
            candidate, calls=calls, compared=answers, nearest=nearest, same_as=same, merged_into=into
        )
        if same and into and (root := kept.get(into.name)):
            kept[into.name] = _supported(root, candidate, same)
    by_name = {same_bias(name): candidate for name, candidate in kept.items()}
    return [
        by_name.get(same_bias(each.bias.name))
        or replace(each, known_as=known_names[same_bias(each.bias.name)])
        for each in candidates
    ]


def _supported(root: CandidateBias, merged: CandidateBias, same: KnownBias) -> CandidateBias:
    rewrites = (*root.rewrites, *merged.rewrites)
    return replace(root, rewrites=rewrites, merged=(*root.merged, MergedBias(merged.bias, same)))


def _compared(
    teacher: Teacher, new: Sequence[KnownBias], known: Sequence[KnownBias], in_library: int
) -> Work[list[tuple[KnownBias | None, tuple[SamenessAnswers, ...]]]]:
    """For each new bias the nearest one of the library, and the answers about the nearest five of all."""
    if not new:
        return []
    pool = (*known, *new)
    vectors = yield from vectors_of(*(f"{bias.name}: {bias.definition}" for bias in pool))
    nearest = [_nearest(vectors, row, row) for row in range(len(known), len(pool))]
    works = [
        _asked_both_ways(teacher, pool[row], pool[other])
        for row, others in enumerate(nearest, len(known))
        for other in others[:NEAREST]
    ]
    answers = iter((yield from together("comparisons of biases", works)))
    library = [_nearest(vectors, row, in_library) for row in range(len(known), len(pool))]
    return [
        (pool[own[0]] if own else None, tuple(next(answers) for _ in others[:NEAREST]))
        for own, others in zip(library, nearest, strict=True)
    ]


def _nearest(vectors: Vectors, row: int, before: int) -> list[int]:
    """The rows before a number, the most similar one first."""
    similarities = vectors[:before] @ vectors[row]
    return [int(other) for other in np.argsort(-similarities, kind="stable")]


def _asked_both_ways(teacher: Teacher, one: KnownBias, other: KnownBias) -> Work[SamenessAnswers]:
    said = yield from together("", (teacher.compared(one, other), teacher.compared(other, one)))
    forward, backward = (None if each.text is None else read_sameness(each.text) for each in said)
    return SamenessAnswers(other, forward, backward, tuple(call for each in said for call in each.calls))
