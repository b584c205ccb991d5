"""How logic decides a dilemma pair."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.pane import Pane
from reviewer.oracle.evidence import Published, same_option
from reviewer.oracle.examination import Examination
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Result, Status, did_not_run, without_decision
from reviewer.oracle.variants import VariantChange
from reviewer.protocols.logic import Logic, ModelDecision
from reviewer.protocols.probe_swe.derivation import VARIANTS
from reviewer.protocols.probe_swe.dilemma import DraftDilemma
from reviewer.protocols.probe_swe.dilemma_protocol import FRAMING, named
from reviewer.protocols.probe_swe.panes import OTHER_DERIVATIONS, run_panes, variant_panes
from store.records import Case, JsonValue, Measurement

OPTIONS = ("option_A", "option_B")
_DECISION = "decide_option/2"


def neutrality_checks(unbiased: Result, biased: Result) -> tuple[CheckResult, ...]:
    """Both decide, for an option, for the same one, in equally many inference and choice steps above 0."""
    first, second = unbiased.choice, biased.choice
    checks = [_answers("unbiased", unbiased), _answers("biased", biased)]
    if not all(check.passed for check in checks):
        return tuple(checks)
    differ = "" if first == second else f"The unbiased program decides {first}, the biased one {second}."
    checks.append(result_of("decision", first == second, [first, second], None, differ))
    for name in ("inference_steps", "choice_steps"):
        values = [getattr(result.counts, name, None) for result in (unbiased, biased)]
        checks.append(_steps(name, values))
    return tuple(checks)


def _answers(version: str, result: Result) -> CheckResult:
    if result.status is not Status.OK:
        how = without_decision(result, _DECISION) if result.ran else did_not_run(result)
        return result_of("runs", False, result.status.value, None, f"The {version} program {how}.")
    chosen = result.choice in OPTIONS
    why = (
        ""
        if chosen
        else f"The {version} program decides {str(result.choice)[:80]!r}, {_unlike_options(result)}."
    )
    return result_of("runs", chosen, str(result.choice)[:80], None, why)


def _unlike_options(result: Result) -> str:
    """How a choice differs from the options. Generation needs the exact spelling; the audit ignores case."""
    named = {option.casefold(): option for option in OPTIONS}.get(str(result.choice).casefold())
    if named is None:
        return "which is no option"
    return f"which differs from {named} in upper and lower case; generation takes the exact spelling only"


def _steps(name: str, values: list[int | None]) -> CheckResult:
    same, some = values[0] == values[1], bool(values[0])
    title = name.replace("_", " ")
    why = "" if same else f"The versions take {values[0]} and {values[1]} {title}."
    if same and not some:
        why = f"The programs take no {title}."
    return result_of(name, same and some, values, None, why)


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


class DilemmaLogic(Logic):
    """Both programs of a pair, on their shared axioms."""

    published = ("choice", "inference_steps", "choice_steps")
    shows = ("texts", "programs", "axioms", *_BOTH, "derivation", "proof")
    beside = _BESIDE
    sources = {
        ("unbiased", "facts"): ("programs", 0),
        ("biased", "facts"): ("programs", 1),
        ("", "axioms"): ("axioms", 0),
    }

    def examination(self, case: Case) -> Examination | None:
        """Both programs; None if a draft has none."""
        dilemma = DraftDilemma.model_validate(case.payload)
        if not (dilemma.axioms and dilemma.unbiased_prolog and dilemma.biased_prolog):
            return None
        unbiased, biased = (
            Program(facts, dilemma.axioms) for facts in (dilemma.unbiased_prolog, dilemma.biased_prolog)
        )
        return Examination(unbiased, biased, OPTIONS, _DECISION, names=VARIANTS)

    def not_asked(self, case: Case) -> Collection[str]:
        """Those that do not apply to the bias."""
        return not_asked_of(case.group)

    def published_in(self, values: Sequence[Measurement]) -> tuple[Published, ...]:
        """Choice, inference steps and choice steps of each place that has all three; equal triples once."""
        places: dict[tuple[str, str], dict[str, JsonValue]] = {}
        for value in values:
            places.setdefault((value.dataset, value.key), {})[value.name] = value.value
        triples = [[*map(found.get, self.published)] for found in places.values()]
        whole: list[list[Any]] = [triple for triple in triples if None not in triple]
        return tuple(dict.fromkeys((str(choice), int(first), int(steps)) for choice, first, steps in whole))

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


def not_asked_of(bias: str) -> Collection[str]:
    """The checks that do not apply to this bias: framing puts the same content in other words, so both
    programs may be equal by design.
    """
    return ("same_text",) if bias == FRAMING else ()


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
