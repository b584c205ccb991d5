"""The requests of PROBE-SWE's generation, each built from its prompt."""

from collections.abc import Mapping
from dataclasses import dataclass

from reviewer.llm.request import ChatMessage, ModelRequest
from reviewer.protocols.base import Group
from reviewer.protocols.probe_swe.dilemma import BIASES, Dilemma
from reviewer.protocols.probe_swe.evaluation import DECISION_PROMPTS, decision_request
from reviewer.protocols.probe_swe.generation_settings import ProbeSweSettings
from reviewer.protocols.prompts import PromptPlan, Prompts
from reviewer.protocols.role import Sampling

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
        """The same request again, with the unusable answer and what is wrong with it."""
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
