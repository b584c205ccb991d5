"""Checks of a dilemma pair that need no language model: the same filters as in generation.

Every dilemma has to follow a template. Its two texts are similar enough to be one dilemma, but not the same.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.number_text import fixed
from reviewer.protocols.base import CheckPlan, Comparison, MachineCheck
from reviewer.protocols.probe_swe.dilemma import DraftDilemma

_LONGEST = 10_000
_OPTION = re.compile(r"\boption\s+([A-D])\b", re.IGNORECASE)


def template_checks(unbiased: str, biased: str) -> tuple[CheckResult, ...]:
    """Checks of both texts: length, final question mark, the word "biased", and exactly two options."""
    longest = max(len(unbiased), len(biased))
    too_long = "" if longest <= _LONGEST else f"A text of {longest:,} characters is no short dilemma."
    texts = {"unbiased": unbiased, "biased": biased}
    return (
        result_of("length", not too_long, longest, _LONGEST, too_long),
        _both("question", texts, lambda text: text.endswith("?"), "does not end with a question mark"),
        _both("leak", texts, lambda text: "biased" not in text.casefold(), 'holds the word "biased"'),
        _both("options", texts, _has_two_options, "does not offer Option A and Option B and no other"),
    )


def _both(check: str, texts: dict[str, str], good: Callable[[str], bool], wrong: str) -> CheckResult:
    failing = next((name for name, text in texts.items() if not good(text.strip())), None)
    return result_of(check, failing is None, failing, None, f"The {failing} text {wrong}." if failing else "")


def _has_two_options(text: str) -> bool:
    return {letter.upper() for letter in _OPTION.findall(text)} == {"A", "B"}


FRAMING = "framing effect"
"""Its edits affect the whole text, so its lower bounds are lower."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """An allowed range: at least ``least`` and below ``most``."""

    least: float
    most: float

    def judge(self, check: str, value: float, what: str) -> CheckResult:
        """Whether a similarity lies within the bounds, compared without rounding."""
        threshold = [self.least, self.most]
        if value < self.least:
            return result_of(
                check, False, value, threshold, f"{what} is {fixed(value, 3)}, below {self.least:g}."
            )
        if value >= self.most:
            return result_of(
                check, False, value, threshold, f"{what} is {fixed(value, 3)}, not below {self.most:g}."
            )
        return result_of(check, True, value, threshold)


REBUILT_LEAST = 0.65
"""The minimum cosine similarity of the text rebuilt from its program and the original."""
COLLIDES_AT = 0.90
"""The cosine similarity from which the unbiased texts of two pairs are too similar."""


@dataclass(frozen=True, slots=True)
class LikenessBounds:
    """The bounds of both similarities, for most biases and for the framing effect (published package)."""

    cosine: Bounds = Bounds(0.90, 0.99)
    levenshtein: Bounds = Bounds(0.70, 0.99)
    framing_cosine: Bounds = Bounds(0.85, 0.99)
    framing_levenshtein: Bounds = Bounds(0.55, 0.99)

    def judge(self, bias: str, cosine: float, levenshtein: float) -> tuple[CheckResult, CheckResult]:
        """The checks of both similarities for a pair of this bias."""
        framing = bias == FRAMING
        first = self.framing_cosine if framing else self.cosine
        second = self.framing_levenshtein if framing else self.levenshtein
        return (
            first.judge("cosine", cosine, "The cosine similarity of the two texts"),
            second.judge("levenshtein", levenshtein, "The Levenshtein similarity of the two texts"),
        )


def judge_rebuilt(value: float, least: float = REBUILT_LEAST) -> CheckResult:
    """Whether the text rebuilt from the program is similar enough to the original."""
    passed = value >= least
    why = "" if passed else f"The rebuilt text is {fixed(value, 3)} like the original, below {least:g}."
    return result_of("cosine", passed, value, least, why)


_COSINE = "pair_similarity"
_LEVENSHTEIN = "pair_levenshtein_similarity"
_REBUILT = "reconstruction_similarity"
# Tolerances: the same model on other machines or in other batches; another form of the formula.
_MODELS_DIFFER_BY = 1e-5
_FORMULAS_DIFFER_BY = 1e-12

MACHINE_CHECKS: Mapping[str, MachineCheck] = {
    "template_length": MachineCheck("untidy"),
    "template_question": MachineCheck("doubtful"),
    "template_leak": MachineCheck("doubtful"),
    "template_options": MachineCheck("doubtful"),
    "similarity_cosine": MachineCheck("doubtful", _COSINE, _MODELS_DIFFER_BY),
    "similarity_levenshtein": MachineCheck("doubtful", _LEVENSHTEIN, _FORMULAS_DIFFER_BY),
    "rebuilt_cosine": MachineCheck("doubtful", _REBUILT, _MODELS_DIFFER_BY),
    "logic_runs": MachineCheck("serious", version=3),
    "logic_decision": MachineCheck("serious", "choice", version=3),
    "logic_inference_steps": MachineCheck("doubtful", "inference_steps", version=3),
    "logic_choice_steps": MachineCheck("doubtful", "choice_steps", version=3),
}


def dilemma_checks(dilemma: DraftDilemma) -> CheckPlan | None:
    """Compares both versions with each other, and the unbiased one with its rebuilt text and other pairs.
    None for a pair without programs.
    """
    if not (dilemma.axioms and dilemma.unbiased_prolog and dilemma.biased_prolog):
        return None
    pair = (dilemma.unbiased, dilemma.biased)
    comparisons = [Comparison(_COSINE, "cosine", pair), Comparison(_LEVENSHTEIN, "levenshtein", pair)]
    if rebuilt := dilemma.reconstructed_unbiased_prompt:
        comparisons.append(Comparison(_REBUILT, "cosine", (dilemma.unbiased, rebuilt)))
    return CheckPlan(tuple(comparisons), dilemma.unbiased, COLLIDES_AT)


def judge_texts(dilemma: DraftDilemma, bias: str, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
    """The checks of the texts, named as in ``MACHINE_CHECKS``; checks whose text is missing are left out."""
    return (
        *named("template", template_checks(dilemma.unbiased, dilemma.biased)),
        *named("similarity", LikenessBounds().judge(bias, values[_COSINE], values[_LEVENSHTEIN])),
        *named("rebuilt", (judge_rebuilt(values[_REBUILT]),) if _REBUILT in values else ()),
    )


def named(step: str, checks: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """One result for each check, under its full name: the first that failed, else the first."""
    results: dict[str, CheckResult] = {}
    for judged in checks:
        if results.setdefault(judged.check, judged).passed and not judged.passed:
            results[judged.check] = judged
    return tuple(replace(judged, check=f"{step}_{judged.check}") for judged in results.values())
