"""The teacher: it rewrites answers, names the bias behind a misjudgement, and says which biases are the same.

Named biases are merged: with those of equal names, then with the nearest known ones by meaning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from pydantic import ValidationError

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.number_text import percent
from reviewer.core.sanitize import one_line
from reviewer.llm.request import ModelRequest
from reviewer.protocols.judge_pairs.discovery.judging import (
    LabelledPair,
    LayoutVerdict,
    read_sameness,
    reply_or_reason,
    shown_pair,
)
from reviewer.protocols.judge_pairs.pair_checks import final_result
from reviewer.protocols.judge_pairs.payloads import (
    MOST_IN_DEFINITION,
    AnswerPair,
    Rewrite,
    is_about_length,
    same_bias,
)
from reviewer.protocols.judge_pairs.rewrites_protocol import MOST_CHANGE, judge_rewrite
from reviewer.protocols.procedure import Prompts
from reviewer.protocols.work import Work, together, vectors_of
from reviewer.similarity.encoder import Vectors
from store.records import JsonValue

TEACHER: Final = "teacher"
"""The role of a teacher."""


@dataclass(frozen=True, slots=True)
class KnownBias:
    """A bias as teachers read it: an entry of the library, or a candidate."""

    name: str
    definition: str
    manifestations: str = ""

    @classmethod
    def of(cls, payload: Mapping[str, JsonValue]) -> "KnownBias":
        """The bias of an entry's payload."""
        return cls(str(payload["bias"]), str(payload["definition"]), str(payload.get("manifestations") or ""))

    @property
    def text(self) -> str:
        """The definition, and how the bias shows itself if that is known and both are not too long."""
        both = "\n\n".join(filter(None, (self.definition, self.manifestations)))
        return both if len(both) <= MOST_IN_DEFINITION else self.definition


@dataclass(frozen=True, slots=True)
class Teacher:
    """A teacher, with its prompts."""

    prompts: Prompts

    def rewrite_request(self, labelled: LabelledPair, bias: KnownBias) -> ModelRequest:
        """Asks for the rewrite."""
        length = (
            "The length may change as the description asks."
            if is_about_length(bias.name)
            else f"Keep the length within {percent(MOST_CHANGE, None)} of the {len(labelled.rejected)} "
            "characters that it has."
        )
        return self._request(
            "rewrite",
            question=labelled.pair.question,
            answer=labelled.rejected,
            bias=bias.name,
            definition=bias.text,
            length=length,
        )

    def identification_request(
        self, labelled: LabelledPair, pair: AnswerPair, verdict: LayoutVerdict, explanation: str
    ) -> ModelRequest:
        """Asks which bias led a judge, by its explanation."""
        shown = shown_pair(labelled, pair, verdict)
        return self._request("identification", **shown, explanation=explanation)

    def sameness_request(self, one: KnownBias, other: KnownBias) -> ModelRequest:
        """Asks whether two biases are the same."""
        return self._request(
            "sameness",
            first=one.name,
            first_definition=one.definition,
            second=other.name,
            second_definition=other.definition,
        )

    def _request(self, prompt: str, **values: str) -> ModelRequest:
        return ModelRequest(self.prompts.fill(prompt, **values), prompt)


def rewrite_check(labelled: LabelledPair, bias: KnownBias, text: str) -> CheckResult:
    """The first check that a rewrite fails, else what the check of its final result says."""
    payload = {**labelled.payload(bias.text), "rewritten": text}
    try:
        rewrite = Rewrite.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        why = f"Field {'.'.join(map(str, first['loc']))!r} of the rewrite: {one_line(first['msg'])}."
        return result_of("valid", False, why=why)
    results = {result.check: result for result in judge_rewrite(rewrite, bias.name)}
    kept, unread = results["result_kept"], results.pop("result_read")
    if failed := next((result for result in results.values() if result.state == "failed"), None):
        return failed
    lost = kept.state == "not tested" and final_result(rewrite.rejected, rewrite.benchmark) is not None
    return unread if lost else kept


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
    """A named bias with the keys of the rewrites that support it, and the comparisons with other biases.

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
    requests = (teacher.sameness_request(one, other), teacher.sameness_request(other, one))
    said = yield from together("", [reply_or_reason(request, TEACHER) for request in requests])
    forward, backward = (None if each.text is None else read_sameness(each.text) for each in said)
    return SamenessAnswers(other, forward, backward, tuple(call for each in said for call in each.calls))
