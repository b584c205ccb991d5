"""The requests of PROBE-SWE's generation, each built from its prompt, and its settings.

Defaults of settings are those of the paper or of the published package.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from reviewer.llm.request import ChatMessage, ModelRequest
from reviewer.protocols.base import Group
from reviewer.protocols.generation import GenerationSettings
from reviewer.protocols.probe_swe.dilemma import BIASES, COLLIDES_AT, REBUILT_LEAST, Dilemma
from reviewer.protocols.probe_swe.evaluation import DECISION_PROMPTS, decision_request
from reviewer.protocols.procedure import PromptPlan, Prompts, Sampling
from reviewer.protocols.reading import READER_VERSION
from store.records import JsonValue

Share = Annotated[float, Field(ge=0, le=1)]


class ProbeSweSettings(GenerationSettings):
    """Sampling parameters, thresholds and numbers of runs."""

    of_this_release: ClassVar[Mapping[str, JsonValue]] = {"decision_reader": READER_VERSION}

    expansion_temperature: float = Field(default=1.0, ge=0, le=2)
    """temperature of expansions"""
    expansion_top_p: float = Field(default=1.0, ge=0, le=1)
    """top-p of expansions"""
    conversion_temperature: float = Field(default=0.0, ge=0, le=2)
    """temperature of translations into Prolog and back, and of bias identification"""
    conversion_reasks: int = Field(default=2, ge=0, le=10)
    """maximum number of repeated requests after a malformed translation"""
    least_cosine: float = Field(default=0.90, ge=-1, le=1)
    """minimum cosine similarity of the two texts"""
    most_cosine: float = Field(default=0.99, ge=-1, le=1)
    """the cosine similarity of the two texts must be below this"""
    least_levenshtein: float = Field(default=0.70, ge=0, le=1)
    """minimum Levenshtein similarity of the two texts"""
    most_levenshtein: float = Field(default=0.99, ge=0, le=1)
    """the Levenshtein similarity of the two texts must be below this"""
    framing_least_cosine: float = Field(default=0.85, ge=-1, le=1)
    """minimum cosine similarity in the framing effect, whose edits are larger"""
    framing_least_levenshtein: float = Field(default=0.55, ge=0, le=1)
    """minimum Levenshtein similarity in the framing effect"""
    strict: bool = False
    """also discard candidates with serious findings of the audit"""
    verification_runs: int = Field(default=3, ge=1, le=100)
    """how often the model is asked to confirm that the biased text shows the bias and the other does not"""
    verification_share: Literal["majority"] | Share = "majority"
    """share of verifications that must say yes: majority (as in the published data), or a number
    such as 0.8"""
    verification_temperature: float = Field(default=1.0, ge=0, le=2)
    """temperature of verifications, above 0 so that answers can differ"""
    least_reconstruction: float = Field(default=REBUILT_LEAST, ge=-1, le=1)
    """minimum cosine similarity of the unbiased text and the text rebuilt from its program"""
    decision_runs: int = Field(default=5, ge=1, le=100)
    """how often the model decides the unbiased text"""
    decision_agreement: float = Field(default=0.80, ge=0, le=1)
    """minimum share of these decisions that agree"""
    decision_temperature: float = Field(default=0.0, ge=0, le=2)
    """temperature of decisions"""
    decision_top_p: float = Field(default=0.0, ge=0, le=1)
    """top-p of decisions"""
    decision_reader: int = Field(default=READER_VERSION, ge=1, le=READER_VERSION)
    """version of the reader that reads the option in a reply; a resumed run takes that of the release"""
    collision: float = Field(default=COLLIDES_AT, ge=-1, le=1)
    """two unbiased texts collide if their cosine similarity is at least this"""


_BIAS = frozenset({"bias_label", "bias_definition"})
_SHOWN = ("unbiased", "biased", "axioms", "unbiased_prolog", "biased_prolog", "axioms_description")
_EXAMPLE = frozenset(f"example_{field}" for field in _SHOWN)
PROMPTS = PromptPlan(
    DECISION_PROMPTS.package,
    {
        "expansion": _BIAS
        | {"batch_size", "pair_1_unbiased", "pair_1_biased", "pair_2_unbiased", "pair_2_biased"},
        "text_to_prolog": _EXAMPLE | {"bias_label", "unbiased", "biased"},
        "text_to_prolog_again": frozenset({"problem"}),
        "prolog_to_text": frozenset({"example_prolog", "example_text", "prolog"}),
        "bias_identification": _BIAS | {"text"},
        "pairwise_bias_check": _BIAS | {"wrong_option", "unbiased", "biased"},
        **DECISION_PROMPTS.placeholders,
    },
)
_GROUPS: dict[str, Group] = {bias.name: bias for bias in BIASES}


@dataclass(frozen=True, slots=True)
class Requests:
    """Builds the requests of one run."""

    prompts: Prompts
    settings: ProbeSweSettings

    def expansion(self, bias: str, first: Dilemma, second: Dilemma, repeat: int) -> ModelRequest:
        """Asks for new pairs of a bias, after two examples."""
        messages = self.prompts.fill(
            "expansion",
            batch_size=str(self.settings.batch_size),
            pair_1_unbiased=first.unbiased,
            pair_1_biased=first.biased,
            pair_2_unbiased=second.unbiased,
            pair_2_biased=second.biased,
            **_bias(bias),
        )
        return self._ask(
            "expansion",
            messages,
            self.settings.expansion_temperature,
            self.settings.expansion_top_p,
            repeat,
        )

    def programs(self, bias: str, example: Dilemma, texts: Mapping[str, str]) -> ModelRequest:
        """Asks for programs of both texts on shared axioms, after a solved example."""
        messages = self.prompts.fill(
            "text_to_prolog",
            bias_label=bias,
            unbiased=texts["unbiased"],
            biased=texts["biased"],
            **{f"example_{field}": str(getattr(example, field)) for field in _SHOWN},
        )
        return self._ask("text_to_prolog", messages, self.settings.conversion_temperature)

    def programs_again(self, before: ModelRequest, answer: str, problem: str) -> ModelRequest:
        """The same request again, with the unusable answer and its fault."""
        messages = (
            *before.messages,
            ChatMessage("assistant", answer),
            *self.prompts.fill("text_to_prolog_again", problem=problem),
        )
        return self._ask("text_to_prolog", messages, self.settings.conversion_temperature)

    def text(self, example: Dilemma, program: str) -> ModelRequest:
        """Asks for the text that a program encodes, after an example."""
        messages = self.prompts.fill(
            "prolog_to_text",
            example_prolog=example.unbiased_prolog,
            example_text=example.unbiased,
            prolog=program,
        )
        return self._ask("prolog_to_text", messages, self.settings.conversion_temperature)

    def bias_in(self, bias: str, text: str) -> ModelRequest:
        """Asks whether a text carries this bias and no other."""
        messages = self.prompts.fill("bias_identification", text=text, **_bias(bias))
        return self._ask("bias_identification", messages, self.settings.conversion_temperature)

    def bias_only_in_biased(
        self, bias: str, texts: Mapping[str, str], wrong: str, repeat: int
    ) -> ModelRequest:
        """Asks whether only the biased text pulls towards the wrong option."""
        messages = self.prompts.fill(
            "pairwise_bias_check",
            wrong_option=wrong,
            unbiased=texts["unbiased"],
            biased=texts["biased"],
            **_bias(bias),
        )
        return self._ask(
            "pairwise_bias_check", messages, self.settings.verification_temperature, repeat=repeat
        )

    def decision(self, text: str, repeat: int) -> ModelRequest:
        """Asks which option the model chooses."""
        sampling = Sampling(self.settings.decision_temperature, self.settings.decision_top_p)
        return sampling.applied(decision_request(self.prompts, text), repeat)

    def _ask(
        self,
        purpose: str,
        messages: tuple[ChatMessage, ...],
        temperature: float,
        top_p: float | None = None,
        repeat: int = 0,
    ) -> ModelRequest:
        return ModelRequest(
            messages=messages,
            purpose=purpose,
            temperature=temperature,
            top_p=top_p,
            repeat=repeat,
        )


def _bias(name: str) -> dict[str, str]:
    return {"bias_label": name, "bias_definition": _GROUPS[name].definition}
