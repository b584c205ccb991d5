"""PROBE-SWE as an implementation of the contract."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import ValidationError

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pane
from reviewer.core.question import Question
from reviewer.protocols.base import CheckPlan, Contradiction, Protocol, Value
from reviewer.protocols.probe_swe.dilemma import (
    BIASES,
    Dilemma,
    DraftDilemma,
    accepted_option,
    option_title,
    other_option,
)
from reviewer.protocols.probe_swe.dilemma_checks import MACHINE_CHECKS, dilemma_checks, judge_texts
from reviewer.protocols.probe_swe.questions import AXIOMS, BIAS_PRESENCE, QUESTIONS, RECONSTRUCTION, SAME_TASK
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.formats import CaseFormat
    from reviewer.protocols.judging.judge_table import JudgeTable
    from reviewer.protocols.outcome_files import OutcomeFiles
    from reviewer.protocols.probe_swe.dilemma_logic import DilemmaLogic
    from reviewer.protocols.procedure import ModelTask
    from reviewer.protocols.repairs import Repairs
    from reviewer.protocols.sheets import ValidationSheets

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
        "A case is a dilemma of software engineering in two versions. Both pose the same task, and the "
        "biased one also has a cue of a cognitive bias. Axioms state accepted practice, and a logic program "
        "for each version says which of the two options follows from them."
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
        from reviewer.protocols.probe_swe.validation import SHEETS  # loads where sheets are exchanged

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
