"""Checks of a dilemma pair that need no language model: the same filters as in generation."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from reviewer.core.check_result import CheckResult
from reviewer.protocols.base import CheckPlan, Comparison, MachineCheck
from reviewer.protocols.probe_swe.dilemma import DraftDilemma
from reviewer.protocols.probe_swe.likeness import COLLIDES_AT, LikenessBounds, judge_rebuilt
from reviewer.protocols.probe_swe.questions import BIAS_PRESENCE, RECONSTRUCTION, SAME_TASK
from reviewer.protocols.probe_swe.template import template_checks

_COSINE = "pair_similarity"
_LEVENSHTEIN = "pair_levenshtein_similarity"
_REBUILT = "reconstruction_similarity"
# Tolerances: the same model on other machines or in other batches; another form of the formula.
_MODELS_DIFFER_BY = 1e-5
_FORMULAS_DIFFER_BY = 1e-12

MACHINE_CHECKS: Mapping[str, MachineCheck] = {
    "template_length": MachineCheck("untidy"),
    "template_question": MachineCheck("doubtful"),
    "template_leak": MachineCheck("doubtful", BIAS_PRESENCE.key),
    "template_options": MachineCheck("doubtful"),
    "similarity_cosine": MachineCheck("doubtful", SAME_TASK.key, _COSINE, _MODELS_DIFFER_BY),
    "similarity_levenshtein": MachineCheck("doubtful", SAME_TASK.key, _LEVENSHTEIN, _FORMULAS_DIFFER_BY),
    "rebuilt_cosine": MachineCheck("doubtful", RECONSTRUCTION.key, _REBUILT, _MODELS_DIFFER_BY),
    "logic_runs": MachineCheck("serious", BIAS_PRESENCE.key, version=3),
    "logic_decision": MachineCheck("serious", SAME_TASK.key, "choice", version=3),
    "logic_inference_steps": MachineCheck("doubtful", SAME_TASK.key, "inference_steps", version=3),
    "logic_choice_steps": MachineCheck("doubtful", SAME_TASK.key, "choice_steps", version=3),
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
