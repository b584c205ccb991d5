"""PROBE-SWE's generation: which filters, in which order, on which examples.

It follows the paper's section 4 and appendices C and D, with two additions. Bias identification is asked for
both texts. A collision counts also if the other pair belongs to another bias.
"""

import random
from collections.abc import Mapping, Sequence

from reviewer.core.errors import RequestError
from reviewer.llm.request import ModelRequest
from reviewer.protocols.generation import Draft, Generation, GenerationPlan, NoDraft, PublishedRun, Step
from reviewer.protocols.probe_swe.dilemma import Dilemma
from reviewer.protocols.probe_swe.generation_filters import Filters
from reviewer.protocols.probe_swe.generation_replies import pairs_in
from reviewer.protocols.probe_swe.generation_requests import PROMPTS, ProbeSweSettings, Requests
from reviewer.protocols.procedure import Prompts, Sample
from reviewer.protocols.work import Work, replies_to
from store.records import Case, JsonValue

LOGIC = "logic correctness"
INTRA = "intra-dilemma similarity"
ALIGNMENT = "Prolog-text alignment"
OUTPUT = "output matching"
PRESENCE = "bias presence"
INTER = "inter-dilemma similarity"
FILTERS = (LOGIC, INTRA, ALIGNMENT, OUTPUT, PRESENCE, INTER)


def _run(name: str, valid: int | None, *discarded: int) -> PublishedRun:
    return PublishedRun(name, valid, dict(zip(FILTERS, discarded, strict=True)))


PUBLISHED = (
    _run("GPT-4o mini", 790, 1026, 1367, 743, 516, 741, 79),
    _run("GPT-4.1 mini", None, 1283, 764, 404, 203, 265, 41),
    _run("DeepSeek R1 Distill Llama 70B", None, 2974, 2840, 354, 563, 569, 117),
)
"""Table 2 (appendix F) of the PROBE-SWE paper: candidates that each filter discarded. The number of valid
pairs is known only for the model whose dataset is available.
"""

ORDERS: dict[str, tuple[str, ...]] = {
    # Free steps first, then by cost: short replies before long ones, few calls before many.
    "cost": (
        "template",
        "similarity",
        "collision",
        "identification",
        "conversion",
        "logic",
        "round_trip",
        "verification",
        "decision",
    ),
    "paper": (
        "template",
        "conversion",
        "similarity",
        "identification",
        "logic",
        "verification",
        "round_trip",
        "decision",
    ),
}
_SHORT = 200
"""Approximate characters of an explanation with its decision."""
_REJECTED = "the option that logic rejects"
"""Stands in a sample for the option: which one it is shows once the programs have run."""
ATTEMPTS_A_SEED = 1_000_000
"""Repeat numbers reserved for each random seed, so that a run with another seed makes new requests."""


class ProbeSweGeneration(Generation):
    """The generation of one run."""

    settings: ProbeSweSettings

    def __init__(
        self,
        settings: ProbeSweSettings,
        prompts: Prompts,
        seeds: Mapping[str, Sequence[Case]],
        seed: int,
    ) -> None:
        self.settings = settings
        self._seed = seed
        self._seeds = {group: _dilemmas(group, found) for group, found in seeds.items()}
        self._requests = Requests(prompts, settings)
        first = {group: found[0] for group, found in self._seeds.items()}
        self._filters = Filters(self._requests, settings, first)
        by_name = {step.name: step for step in self._all_steps()}
        self.steps = tuple(by_name[name] for name in ORDERS[settings.order])
        self.at_approval = by_name["collision"]

    def expansion(self, group: str, attempt: int, state: JsonValue) -> Work[Sequence[Draft | NoDraft]]:
        """Every pair in the reply to one request, or what it lacks; rounds leave no state."""
        (reply,) = yield from replies_to(self._expansion(group, attempt))
        return [
            NoDraft(pair, reply.text)
            if isinstance(pair, str)
            else Draft(group, {"unbiased": pair[0], "biased": pair[1]})
            for pair in pairs_in(reply.text)
        ]

    def _expansion(self, group: str, attempt: int) -> ModelRequest:
        """A request with two seeds of the group as examples, drawn and ordered by the run's random seed."""
        chosen = random.Random(f"{self._seed} {group} {attempt}")  # noqa: S311  # not for secrets
        first, second = chosen.sample(self._seeds[group], 2)
        repeat = self._seed * ATTEMPTS_A_SEED + attempt
        return self._requests.expansion(group, first, second, repeat)

    def compared_text(self, payload: Mapping[str, JsonValue]) -> str:
        """The unbiased text, as in the published data; biased texts share the words of their bias."""
        return str(payload["unbiased"])

    def samples(self, group: str) -> Mapping[str, Sample]:
        """One request of each kind for a seed of the group; answers are assumed to be as long as the seed."""
        example, seed = self._seeds[group][0], self._seeds[group][-1]
        texts = {"unbiased": seed.unbiased, "biased": seed.biased}
        pair = len(seed.unbiased) + len(seed.biased)
        programs = sum(
            map(len, (seed.axioms, seed.unbiased_prolog, seed.biased_prolog, seed.axioms_description))
        )
        requests = self._requests
        return {
            "expansion": Sample(self._expansion(group, 0), self.settings.batch_size * pair),
            "text_to_prolog": Sample(requests.programs(group, example, texts), programs),
            "prolog_to_text": Sample(requests.text(example, seed.unbiased_prolog), len(seed.unbiased)),
            "bias_identification": Sample(requests.bias_in(group, seed.biased), _SHORT),
            "pairwise_bias_check": Sample(requests.bias_only_in_biased(group, texts, _REJECTED, 0), _SHORT),
            "decision": Sample(requests.decision(seed.unbiased, 0), _SHORT),
        }

    def key(self, group: str, attempt: int, number: int) -> str:
        """Numbered as in the published files, where the two examples are pairs 1 and 2 of each expansion."""
        return f"{group}/{attempt}-{number + 2}"

    def seed_key(self, group: str, number: int) -> str:
        """The key that a published seed gets at import."""
        return f"{group}/seed-{number}"

    def values_of_seed(self, case: Case) -> Work[Mapping[str, JsonValue]]:
        """The similarities of its two texts."""
        texts = {name: str(case.payload[name]) for name in ("unbiased", "biased")}
        verdict = yield from self._filters.similarity(Draft(case.group, texts))
        return verdict.draft.values

    def _all_steps(self) -> tuple[Step, ...]:
        filters, settings = self._filters, self.settings
        verified = {"pairwise_bias_check": settings.verification_runs}
        return (
            Step("template", filters.template),
            Step("similarity", filters.similarity, INTRA),
            Step("collision", filters.collision, INTER),
            Step("identification", filters.identification, PRESENCE, {"bias_identification": 2}),
            Step("conversion", filters.conversion, LOGIC, {"text_to_prolog": 1}),
            Step("logic", filters.logic, LOGIC),
            Step("verification", filters.verification, PRESENCE, verified),
            Step("round_trip", filters.round_trip, ALIGNMENT, {"prolog_to_text": 1}),
            Step("decision", filters.decision, OUTPUT, {"decision": settings.decision_runs}),
        )


def _dilemmas(group: str, seeds: Sequence[Case]) -> list[Dilemma]:
    if len(seeds) < 2:
        raise RequestError(
            f"{group!r} has {len(seeds)} seeds, but generation needs two examples; "
            "give a dataset with more seeds by --seeds, or leave the group out."
        )
    return [Dilemma.model_validate(seed.payload) for seed in seeds]


PLAN = GenerationPlan(
    prompts=PROMPTS,
    settings=ProbeSweSettings,
    start=ProbeSweGeneration,
    filters=FILTERS,
    published=PUBLISHED,
    runs_programs=True,
    compares_texts=True,
)
