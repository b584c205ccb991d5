"""The loop of discovery: rewrite, judge, explain, name, merge, validate, keep; a round at a time."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import Field

from reviewer.core.errors import RequestError
from reviewer.protocols.discovery import (
    Discovery,
    DiscoveryMaterial,
    DiscoveryPlan,
    DiscoveryRound,
    DiscoverySettings,
)
from reviewer.protocols.judge_pairs.discovery.entry_fates import (
    ConditionErrors,
    PairedEvidence,
    adjusted,
    fates_of,
    paired_evidence,
)
from reviewer.protocols.judge_pairs.discovery.judging import (
    JUDGE,
    LAYOUTS,
    AskedReply,
    JudgeUnderTest,
    LabelledPair,
    LayoutVerdict,
    PairVerdict,
    labelled_pairs,
)
from reviewer.protocols.judge_pairs.discovery.rewrite_trial import VALIDATION, RewriteTrial, RewriteWork
from reviewer.protocols.judge_pairs.discovery.teaching import (
    NEAREST,
    TEACHER,
    CandidateBias,
    KnownBias,
    Teacher,
    gathered,
    merged_candidates,
)
from reviewer.protocols.judge_pairs.evaluation import tells_the_judge
from reviewer.protocols.judge_pairs.pairs_protocol import JudgePairs
from reviewer.protocols.judge_pairs.payloads import RIGHT_ANSWER, same_bias
from reviewer.protocols.judge_pairs.rewrites_protocol import JudgeRewrites
from reviewer.protocols.procedure import PromptPlan, Prompts, Sample, Sampling
from reviewer.protocols.work import Work, together
from store.records import JsonValue, digest_of

_LIBRARY: Final = "library"
_TESTED: Final = "tested"
_MERGED: Final = "merged"
_EXPECTED_CANDIDATES, _EXPECTED_SHARE = 5, 0.2
_CHARACTERS: Final = {"judgement": 600, "explanation": 800, "identification": 300, "sameness": 20}

Temperature = float | Literal["none"]


class JudgeDiscoverySettings(DiscoverySettings):
    """What a discovery run of judge biases does."""

    candidates: int = Field(default=20, ge=1, le=1000)
    """maximum number of candidates that each round validates: those that the most rewrites support"""
    judge_temperature: Temperature = Field(default=0.0)
    """sampling temperature that is sent to the judge; none sends no temperature"""
    teacher_temperature: Temperature = Field(default=0.0)
    """sampling temperature that is sent to the teacher; none sends no temperature"""


@dataclass(frozen=True, slots=True)
class _Known:
    """The biases that a round knows: those of the library, and those that were tested and not kept.

    ``merged`` are the names of those that were merged, with the names of those that they were merged into.
    """

    library: tuple[KnownBias, ...]
    tested: tuple[KnownBias, ...]
    merged: Mapping[str, str]

    @classmethod
    def after(cls, library: Sequence[KnownBias], state: JsonValue) -> "_Known":
        found = state or {_LIBRARY: [], _TESTED: [], _MERGED: {}}
        return cls(
            (*library, *map(KnownBias.of, found[_LIBRARY])),
            tuple(map(KnownBias.of, found[_TESTED])),
            found[_MERGED],
        )

    @property
    def merged_into(self) -> Mapping[str, KnownBias]:
        """What biases were merged into, by ``same_bias`` of their names, where it was tested or is known."""
        known = {bias.name: bias for bias in (*self.tested, *self.library)}
        return {same_bias(name): known[into] for name, into in self.merged.items() if into in known}


class JudgeDiscovery(Discovery):
    """Rounds on one judge. Everything random depends on the seed, the round and the key of the pair."""

    def __init__(
        self,
        settings: JudgeDiscoverySettings,
        prompts: Prompts,
        material: DiscoveryMaterial,
        seed: int,
    ) -> None:
        self.settings = settings
        self._candidates = settings.candidates
        self._seed = seed
        self._material = material
        self._judge = JudgeUnderTest(material.models[JUDGE], prompts)
        self._teacher = Teacher(prompts)
        self.sampling = {
            JUDGE: _sampling(settings.judge_temperature),
            TEACHER: _sampling(settings.teacher_temperature),
        }
        self._work = RewriteWork(self._teacher, self._judge)
        self._library = [KnownBias.of(entry.case.payload) for entry in material.library]
        self._pairs = labelled_pairs(material.pairs)
        self._validation = labelled_pairs(material.validation)
        self._check()

    def round(self, number: int, state: JsonValue) -> Work[DiscoveryRound]:
        """Everything that one round tries, and the biases that it keeps."""
        known = _Known.after(self._library, state)
        trials = yield from together(
            "pairs", [self._explored(number, labelled, known.library) for labelled in self._pairs]
        )
        named = gathered([trial.naming for trial in trials if trial.naming])
        merged = yield from merged_candidates(
            self._teacher, named, known.library, known.tested, known.merged_into
        )
        new = sorted((each for each in merged if each.is_new), key=lambda each: -len(each.rewrites))
        chosen = new[: self._candidates]
        tests = yield from self._validated(number, chosen)
        evidence = adjusted([each for each, _ in tests])
        fates = list(fates_of(merged, known.tested, chosen, evidence))
        every = [*trials, *(trial for _, rewrites in tests for trial in rewrites)]
        kept = [fate.candidate.bias for fate in fates if fate.is_kept]
        refused = [each.bias for each, shown in zip(chosen, evidence, strict=True) if not shown.is_kept]
        return DiscoveryRound(
            [
                *(trial.record(number) for trial in every),
                *(
                    fate.record(number, place, self._judge.model, self._material)
                    for place, fate in enumerate(fates, 1)
                ),
            ],
            {
                _LIBRARY: [*_as_json(known.library[len(self._library) :]), *_as_json(kept)],
                _TESTED: [*_as_json(known.tested), *_as_json(refused)],
                _MERGED: {
                    **known.merged,
                    **{each.bias.name: each.merged_into.name for each in merged if each.merged_into},
                },
            },
            tuple(bias.name for bias in kept),
        )

    def samples(self) -> Mapping[str, Sample]:
        """Requests about the first pair and the first entry of the library."""
        labelled, bias = self._pairs[0], self._library[0]
        verdict = LayoutVerdict(LAYOUTS[0], -1, AskedReply("…"))
        requests = {
            "rewrite": self._teacher.rewrite_request(labelled, bias),
            "judgement": self._judge.verdict_request(LAYOUTS[0], labelled.pair),
            "explanation": self._judge.explanation_request(labelled, labelled.pair, verdict),
            "identification": self._teacher.identification_request(labelled, labelled.pair, verdict, "…"),
            "sameness": self._teacher.sameness_request(bias, self._library[-1]),
        }
        answers = {"rewrite": len(labelled.rejected), **_CHARACTERS}
        asked = dict.fromkeys(requests, TEACHER) | dict.fromkeys(("judgement", "explanation"), JUDGE)
        return {name: Sample(request, answers[name], asked[name]) for name, request in requests.items()}

    def calls(self) -> Mapping[str, Mapping[str, int]]:
        """One round without a misjudged pair, one with some, and all rounds with nothing but such."""
        pairs, some = len(self._pairs), min(_EXPECTED_CANDIDATES, self._candidates)
        fifth = math.ceil(pairs * _EXPECTED_SHARE)
        rounds, most = self.settings.rounds, min(self._candidates, pairs)
        return {
            "1 round, none wrong": self._calls(1, 0, 0),
            f"1 round, {fifth:,} wrong": self._calls(1, fifth, some),
            f"{rounds} rounds, all wrong": self._calls(rounds, pairs, most),
        }

    def _calls(self, rounds: int, misjudged: int, candidates: int) -> Mapping[str, int]:
        pairs, items = len(self._pairs), candidates * len(self._validation)
        baseline = len(self._validation) if candidates else 0
        return {
            "rewrite": rounds * (pairs + items),
            "judgement": len(LAYOUTS) * (rounds * (pairs + items) + baseline),
            "explanation": rounds * misjudged,
            "identification": rounds * misjudged,
            "sameness": rounds * candidates * 2 * NEAREST,
        }

    def _explored(
        self, number: int, labelled: LabelledPair, library: Sequence[KnownBias]
    ) -> Work[RewriteTrial]:
        chance = int(digest_of([self._seed, number, labelled.key])[:8], 16)
        drawn = library[chance % len(library)]
        return self._work.explored(f"round-{number}/{labelled.key}", labelled, drawn)

    def _validated(
        self, number: int, candidates: Sequence[CandidateBias]
    ) -> Work[list[tuple[PairedEvidence, list[RewriteTrial]]]]:
        """The evidence for each candidate, and its rewrites; the baseline is judged in the same layouts."""
        if not candidates:
            return []
        baseline: Work[Any] = together(
            "baseline", [self._judge.on(labelled, labelled.pair) for labelled in self._validation]
        )
        rewritten: Work[Any] = together("validation", list(self._rewritten(number, candidates)))
        verdicts, trials = yield from together("", (baseline, rewritten))
        before = _errors(self._validation, verdicts)
        size, tests = len(self._validation), []
        for place in range(len(candidates)):
            own = trials[place * size : (place + 1) * size]
            after = _errors(self._validation, [trial.verdict for trial in own])
            tests.append((paired_evidence(before, after), own))
        return tests

    def _rewritten(self, number: int, candidates: Sequence[CandidateBias]) -> Iterator[Work[RewriteTrial]]:
        for place, candidate in enumerate(candidates, 1):
            for labelled in self._validation:
                key = f"round-{number}/validation-{place}/{labelled.key}"
                yield self._work.judged(key, VALIDATION, labelled, candidate.bias)

    def _check(self) -> None:
        """Raise RequestError if nothing can be discovered."""
        if not self._library:
            raise RequestError("the library has no entry; import one, or give another dataset.")
        for name, pairs in (("pairs", self._pairs), ("validation pairs", self._validation)):
            if not pairs:
                raise RequestError(
                    f"none of the {name} has a published right answer; give a dataset with labels."
                )
        for bias in self._library:
            if tells_the_judge(f"{bias.name}\n{bias.text}"):
                raise RequestError(
                    f"the entry {bias.name!r} of the library tells a judge which answer to choose; take it "
                    "out of the library."
                )


def _errors(labelled: Sequence[LabelledPair], verdicts: Sequence[PairVerdict | None]) -> ConditionErrors:
    """The layouts that were asked, and whether each answered item was misjudged."""
    judged = [(own.key, each) for own, each in zip(labelled, verdicts, strict=True) if each is not None]
    asked = {verdict.layout: None for _, each in judged for verdict in each.verdicts}
    sums = {key: each.sum for key, each in judged}
    wrong = {key: total < 0 for key, total in sums.items() if total is not None}
    return ConditionErrors(tuple(asked) or LAYOUTS, wrong)


def _sampling(temperature: Temperature) -> Sampling:
    return Sampling(temperature=None if temperature == "none" else float(temperature))


def _as_json(biases: Sequence[KnownBias]) -> list[JsonValue]:
    return [{"bias": bias.name, "definition": bias.definition} for bias in biases]


_SHOWN = frozenset({"question", "first", "second"})
_MISJUDGED = _SHOWN | {"choice", "reply"}
DISCOVERY_PLAN = DiscoveryPlan(
    prompts=PromptPlan(
        "reviewer.protocols.judge_pairs",
        {
            "judgement": _SHOWN,
            "rewrite": frozenset({"question", "answer", "bias", "definition", "length"}),
            "explanation": _MISJUDGED,
            "identification": _MISJUDGED | {"explanation"},
            "sameness": frozenset({"first", "first_definition", "second", "second_definition"}),
        },
    ),
    settings=JudgeDiscoverySettings,
    roles=(JUDGE, TEACHER),
    pairs_protocol=JudgePairs.name,
    rewrites_protocol=JudgeRewrites.name,
    needed_values=(RIGHT_ANSWER,),
    start=JudgeDiscovery,
)
"""Discovery for libraries of judge biases."""
