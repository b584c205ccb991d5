"""How logic decides a dilemma pair, and the question that each check concerns."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pane
from reviewer.oracle.evidence import same_option
from reviewer.oracle.program import Program
from reviewer.oracle.result import Result
from reviewer.oracle.variants import VariantChange
from reviewer.protocols.logic import AuditPlan, Logic, ModelDecision, Version
from reviewer.protocols.probe_swe.checks import named
from reviewer.protocols.probe_swe.dilemma import DraftDilemma
from reviewer.protocols.probe_swe.neutrality import OPTIONS, neutrality_checks
from reviewer.protocols.probe_swe.proof import OTHER_DERIVATIONS
from reviewer.protocols.probe_swe.questions import AXIOMS, BIAS_PRESENCE, SAME_TASK
from reviewer.protocols.probe_swe.variant_panes import run_panes, variant_panes
from store.records import Case, Measurement

# The question on the bias names the option that logic rejects, so checks of the decision concern it.
_CHECKS: dict[str, str | None] = {
    "not_run": BIAS_PRESENCE.key,
    "both_derivable": BIAS_PRESENCE.key,
    "no_option": BIAS_PRESENCE.key,
    "stray_solution": BIAS_PRESENCE.key,
    "further_search": BIAS_PRESENCE.key,
    "hard_coded": BIAS_PRESENCE.key,
    "one_option_only": BIAS_PRESENCE.key,
    "cannot_match": BIAS_PRESENCE.key,
    "swap_keeps": BIAS_PRESENCE.key,
    "facts_idle": BIAS_PRESENCE.key,
    "order_matters": BIAS_PRESENCE.key,
    "no_fact_matters": BIAS_PRESENCE.key,
    "no_fact_used": BIAS_PRESENCE.key,
    "by_default": BIAS_PRESENCE.key,
    "fact_holds_of_all": BIAS_PRESENCE.key,
    "lost_clauses": BIAS_PRESENCE.key,
    "gate": BIAS_PRESENCE.key,
    "differs_from_published": BIAS_PRESENCE.key,
    "versions_disagree": SAME_TASK.key,
    "solutions_disagree": SAME_TASK.key,
    "clauses_differ": SAME_TASK.key,
    "same_text": SAME_TASK.key,
    "axioms_idle": AXIOMS.key,
    "option_in_axioms": AXIOMS.key,
    "cue_in_axioms": AXIOMS.key,
    "undefined": None,
    "load_messages": None,
    "facts_name_no_option": None,
    "unused_facts": None,
}
_BOTH = tuple(OTHER_DERIVATIONS.values())
_BESIDE = {
    "both_derivable": _BOTH[:1],
    "order_matters": (
        *run_panes(VariantChange.FACTS_REVERSED, VariantChange.DECISION_REVERSED),
        *_BOTH[:1],
    ),
    "swap_keeps": run_panes(VariantChange.OPTIONS_EXCHANGED),
    "facts_idle": run_panes(VariantChange.FACTS_REMOVED),
    "axioms_idle": run_panes(VariantChange.AXIOMS_REMOVED),
    "solutions_disagree": (*_BOTH, "proof"),
    "further_search": ("proof",),
    "differs_from_published": ("proof",),
    "versions_disagree": ("derivation", "proof"),
    **dict.fromkeys(("no_fact_used", "no_fact_matters"), ("derivation",)),
}
# Framing puts the same content in other words, so both programs may be equal by design.
_NOT_ASKED = {"framing effect": {"same_text"}}


class DilemmaLogic(Logic):
    """Both programs of a pair, on their shared axioms."""

    def audit_plan(self, case: Case) -> AuditPlan | None:
        """Both programs with the checks that apply to the bias; None if there are no programs."""
        return dilemma_audit(DraftDilemma.model_validate(case.payload), case.group)

    def model_decision(self) -> ModelDecision:
        """The unbiased text as it is written."""
        from reviewer.protocols.probe_swe.evaluation import DECISION, label_of_choice  # loads to ask models

        return ModelDecision(DECISION, label_of_choice)

    def variant_panes(self, case: Case, measurements: Sequence[Measurement]) -> Sequence[Pane]:
        """The runs of the unbiased program's variants that a finding is about."""
        sources = {"facts": case.payload["unbiased_prolog"] or "", "axioms": case.payload["axioms"] or ""}
        return tuple(variant_panes(sources, measurements))

    def judge(self, case: Case, results: Sequence[Result]) -> tuple[CheckResult, ...]:
        """Whether both programs run and take the same decision in the same number of steps."""
        return judge_decisions(*results)


def dilemma_audit(dilemma: DraftDilemma, bias: str) -> AuditPlan | None:
    """Both programs on the shared axioms, with the checks that apply to the bias; None without programs."""
    if not (dilemma.axioms and dilemma.unbiased_prolog and dilemma.biased_prolog):
        return None
    return AuditPlan(
        first=Version("unbiased", Program(dilemma.unbiased_prolog, dilemma.axioms)),
        second=Version("biased", Program(dilemma.biased_prolog, dilemma.axioms)),
        options=OPTIONS,
        decision="decide_option/2",
        published=("choice", "inference_steps", "choice_steps"),
        checks=audit_checks(bias),
        shows=("texts", "programs", "axioms", *_BOTH, "derivation", "proof"),
        beside=_BESIDE,
        sources={
            ("unbiased", "facts"): ("programs", 0),
            ("biased", "facts"): ("programs", 1),
            ("", "axioms"): ("axioms", 0),
        },
    )


def audit_checks(bias: str) -> dict[str, str | None]:
    """The checks that apply to this bias, each with the question that it concerns."""
    omitted = _NOT_ASKED.get(bias, set())
    return {check: question for check, question in _CHECKS.items() if check not in omitted}


def judge_decisions(unbiased: Result, biased: Result) -> tuple[CheckResult, ...]:
    """The checks of the decisions of both programs; impossible comparisons are untested.

    An option counts in whatever letters, as for the audit, which reports its spelling.
    """
    logic = named("logic", neutrality_checks(_in_our_letters(unbiased), _in_our_letters(biased)))
    return (*logic, *_untested(logic))


def _in_our_letters(result: Result) -> Result:
    option = next((option for option in OPTIONS if same_option(option, result.choice)), result.choice)
    return replace(result, choice=option)


def _untested(logic: Sequence[CheckResult]) -> Iterator[CheckResult]:
    """The checks that compare two decisions, as untested, if a decision is missing."""
    runs = next(judged for judged in logic if judged.check == "logic_runs")
    for check in ("logic_decision", "logic_inference_steps", "logic_choice_steps"):
        if check not in {judged.check for judged in logic}:
            yield CheckResult(check, "not tested", why=runs.why)
