"""PROBE-SWE as an implementation of the contract."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import ValidationError

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pane
from reviewer.core.question import Question
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import CheckPlan, Contradiction, Protocol, Value
from reviewer.protocols.probe_swe.biases import BIASES
from reviewer.protocols.probe_swe.checks import MACHINE_CHECKS, dilemma_checks, judge_texts
from reviewer.protocols.probe_swe.dilemma import Dilemma, DraftDilemma
from reviewer.protocols.probe_swe.options import accepted_option, option_title, other_option
from reviewer.protocols.probe_swe.questions import AXIOMS, BIAS_PRESENCE, QUESTIONS, RECONSTRUCTION, SAME_TASK
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.formats import CaseFormat
    from reviewer.protocols.generation import GenerationPlan
    from reviewer.protocols.outcome_files import OutcomeFiles
    from reviewer.protocols.probe_swe.audit import DilemmaLogic
    from reviewer.protocols.probe_swe.evaluation import DilemmaEvaluation
    from reviewer.protocols.probe_swe.validation import DilemmaSheets
    from reviewer.protocols.repairs import Repairs

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
    groups = BIASES
    group_noun = "bias"
    questions = QUESTIONS
    machine_checks = MACHINE_CHECKS
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

    def headline(self, case: Case) -> str:
        """The beginning of the unbiased text."""
        return one_line(str(case.payload["unbiased"]), 120)

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
        from reviewer.protocols.probe_swe.audit import DilemmaLogic  # loaded only to read what logic did

        return DilemmaLogic()

    def draft_case(self, group: str, payload: Mapping[str, object]) -> Case | None:
        """The case, if it has at least its two texts."""
        try:
            draft = DraftDilemma.model_validate(payload)
        except ValidationError:
            return None
        return Case.of(self.name, group, self.payload_version, draft.model_dump(mode="json"))

    def generation_plan(self) -> "GenerationPlan":
        """The paper's protocol with its defaults."""
        from reviewer.protocols.probe_swe.generation import PLAN  # loaded only for generation

        return PLAN

    def evaluation_plan(self) -> "DilemmaEvaluation":
        """Both versions, both orders of the options, and three kinds of cue."""
        from reviewer.protocols.probe_swe.evaluation import EVALUATION  # loaded only to evaluate models

        return EVALUATION

    def validation_sheets(self) -> "DilemmaSheets":
        """The four files of the paper's validation."""
        from reviewer.protocols.probe_swe.validation import DilemmaSheets  # loads where sheets are exchanged

        return DilemmaSheets()

    def repairs(self) -> "Repairs":
        """Both texts, the axioms, their words, and both programs."""
        from reviewer.protocols.probe_swe.repairs import REPAIRS  # loaded only to change cases

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
