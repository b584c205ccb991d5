"""PROBE-SWE as an implementation of the contract, with the checks that need no language model.

They are the same filters as in generation: every dilemma has to follow a template. Its two
texts are similar enough to be one dilemma, but not the same.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import ValidationError

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.number_text import fixed
from reviewer.core.pane import Pane
from reviewer.core.question import Question
from reviewer.protocols.base import CheckPlan, Comparison, Contradiction, MachineCheck, Protocol, Value
from reviewer.protocols.probe_swe.dilemma import (
    BIASES,
    COLLIDES_AT,
    REBUILT_LEAST,
    Dilemma,
    DraftDilemma,
    accepted_option,
    option_title,
    other_option,
)
from reviewer.protocols.probe_swe.questions import (
    AXIOMS,
    BIAS_PRESENCE,
    QUESTIONS,
    RECONSTRUCTION,
    SAME_TASK,
    SHEETS,
)
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.formats import CaseFormat, ValidationSheets
    from reviewer.protocols.judging.judge_table import JudgeTable
    from reviewer.protocols.outcome_files import OutcomeFiles
    from reviewer.protocols.probe_swe.dilemma_logic import DilemmaLogic
    from reviewer.protocols.procedure import ModelTask
    from reviewer.protocols.repairs import Repairs


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


_JUDGED_BY_AUDIT = (
    "solutions",
    "status",
    "attempts",
    "knock_outs",
    "variant_runs",
    "proof",
    "other_proof",
    "warnings",
)
"""Measurements that reveal what the audit found about the decision of logic."""


_CONCERNS = {
    # The question on the bias names the option that logic rejects, so checks of the decision concern it.
    BIAS_PRESENCE: (
        *("not_run", "both_derivable", "no_option", "stray_solution", "further_search", "hard_coded"),
        *("one_option_only", "cannot_match", "swap_keeps", "facts_idle", "order_matters", "no_fact_matters"),
        *("no_fact_used", "by_default", "fact_holds_of_all", "lost_clauses", "gate"),
        *("differs_from_published", "template_leak", "logic_runs"),
        *("identification_biased", "identification_unbiased", "verification_share"),
    ),
    SAME_TASK: (
        *("versions_disagree", "solutions_disagree", "clauses_differ", "same_text"),
        *("similarity_cosine", "similarity_levenshtein"),
        *("logic_decision", "logic_inference_steps", "logic_choice_steps", "logic_audit"),
    ),
    RECONSTRUCTION: ("rebuilt_cosine", "rebuilt_format", "rebuilt_given_away"),
    AXIOMS: (
        *("axioms_idle", "option_in_axioms", "cue_in_axioms"),
        *("decision_agreement", "decision_choice"),
    ),
}


class ProbeSwe(Protocol):
    """Dilemma pairs that differ only in a biasing cue and are decided by Prolog."""

    name = "probe-swe"
    title = "PROBE-SWE"
    about = (
        "A case is a dilemma of software engineering, a choice between two options, in two versions. Both "
        "pose the same task, and the biased one also has a cue of a cognitive bias. Each has a logic "
        "program, from which a text is rebuilt. With axioms that are to state accepted practice, it decides "
        "for one option and rejects the other one."
    )
    payload_model = Dilemma
    payload_version = 1
    headline_field = "unbiased"
    groups = BIASES
    group_noun = "bias"
    questions = QUESTIONS
    machine_checks = MACHINE_CHECKS
    concerns = {check: question.key for question, checks in _CONCERNS.items() for check in checks}
    # A cue is an added remark, and added remarks leave the task the same. A rater who says that the task
    # differs and that the cue is present may have taken the cue for a difference. Both answers are right
    # where a requirement was dropped too, so raters are asked once and never pushed towards True. All other
    # answers are independent: rebuilt text, axioms and cue may each be right or wrong.
    contradictions = (
        Contradiction(
            {SAME_TASK.key: "False", BIAS_PRESENCE.key: "True"},
            "Both are right if something other than the cue differs too.",
        ),
    )
    hides_generators = False  # the authors' sheets lie in a folder for each generator
    seeds_folder = "probe_swe"
    # The bias verification of the paper asks a model in three runs what raters are asked here, and keeps the
    # majority's answer. One yes is left open: in generation with a single run it is the majority.
    values = (
        Value("pair_similarity", SAME_TASK.key),
        Value("pair_levenshtein_similarity", SAME_TASK.key),
        Value(
            "bias_verifications",
            BIAS_PRESENCE.key,
            {"0": "False", "2": "True", "3": "True"},
            "bias confirmed by the model",
        ),
        Value("bias_explanation", BIAS_PRESENCE.key),
        Value("reconstruction_similarity", RECONSTRUCTION.key),
        Value("agreement_rate", AXIOMS.key),
        *(Value(name, BIAS_PRESENCE.key) for name in _JUDGED_BY_AUDIT),
    )

    def asks(self, question: Question, case: Case) -> bool:
        """Every question; *reconstruction* and *axioms* only if the case has them."""
        needed = {RECONSTRUCTION.key: "reconstructed_unbiased_prompt", AXIOMS.key: "axioms_description"}
        return question.key not in needed or bool(case.payload.get(needed[question.key]))

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The bias, its definition, and the option that logic rejects, in brackets ("" if not known)."""
        accepted = accepted_option(measurements)
        rejected = f" ({option_title(other_option(accepted))})" if accepted else ""
        definition = self.group(case.group).definition
        return {"bias": case.group, "definition": definition, "rejected": rejected}

    def judge_table(self, text: str, file: str) -> "JudgeTable":
        """Pairs that a judge discarded, by bias and filter."""
        from reviewer.protocols.probe_swe.formats.published_judges import read_judge_table

        return read_judge_table(text, file)

    def formats(self) -> "Sequence[CaseFormat]":
        """The published JSON and seed folders."""
        from reviewer.protocols.probe_swe.formats.dataset_json import DatasetJson
        from reviewer.protocols.probe_swe.formats.seed_folder import SeedFolder

        return DatasetJson(), SeedFolder()

    def outcome_files(self) -> "Sequence[OutcomeFiles]":
        """The published package's raw outputs and results."""
        from reviewer.protocols.probe_swe.formats.raw_outputs import RawOutputs

        return (RawOutputs(self),)

    def logic(self) -> "DilemmaLogic":
        """Both programs on the shared axioms."""
        from reviewer.protocols.probe_swe.dilemma_logic import (
            DilemmaLogic,  # loaded only to read what logic did
        )

        return DilemmaLogic()

    def draft_case(self, group: str, payload: Mapping[str, object]) -> Case | None:
        """The case, if it has at least its two texts."""
        try:
            draft = DraftDilemma.model_validate(payload)
        except ValidationError:
            return None
        return Case.of(self.name, group, self.payload_version, draft.model_dump(mode="json"))

    def procedures(self) -> "Iterator[ModelTask]":
        """Both versions, both orders of the options, and three kinds of cue."""
        from reviewer.protocols.probe_swe.evaluation import EVALUATION  # loaded only to evaluate models

        yield EVALUATION
        from reviewer.protocols.probe_swe.generation import PLAN  # loaded only for generation

        yield PLAN

    def validation_sheets(self) -> "ValidationSheets":
        """The four files of the paper's validation."""

        return SHEETS

    def repairs(self) -> "Repairs":
        """Both texts, the axioms, their words, and both programs."""
        from reviewer.protocols.probe_swe.dilemma_repairs import REPAIRS  # loaded only to change cases

        return REPAIRS

    def check_plan(self, case: Case) -> CheckPlan | None:
        """Both similarities of the pair and that of the rebuilt text, if there are programs."""
        return dilemma_checks(DraftDilemma.model_validate(case.payload))

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """The checks of template and similarities, as in generation."""
        return judge_texts(DraftDilemma.model_validate(case.payload), case.group, values)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """Texts, programs, axioms, proof statistics, and whatever else the pair has."""
        from reviewer.protocols.probe_swe.panes import dilemma_panes  # loaded only to show cases

        return dilemma_panes(DraftDilemma.model_validate(case.payload), case.group, measurements, findings)
