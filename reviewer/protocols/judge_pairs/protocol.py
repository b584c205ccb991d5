"""Pairs of answers as an implementation of the contract."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pane
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import CheckPlan, DatasetCase, DatasetFinding, Protocol, Value
from reviewer.protocols.judge_pairs.answer_pair import FIRST, RIGHT_ANSWER, SECOND, AnswerPair
from reviewer.protocols.judge_pairs.checks import PAIR_CHECKS, judge_pair
from reviewer.protocols.judge_pairs.dataset_checks import DATASET_CHECKS, judge_pairs
from reviewer.protocols.judge_pairs.panes import pair_panes
from reviewer.protocols.judge_pairs.questions import QUESTIONS, RIGHT_RESULT
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.formats import CaseFormat
    from reviewer.protocols.judge_pairs.evaluation import JudgeEvaluation
    from reviewer.protocols.outcome_files import OutcomeFiles


class JudgePairs(Protocol):
    """A question with two answers, of which one is published as right; models are tested as judges on it."""

    name = "judge-pairs"
    title = "Judge pairs"
    about = (
        "A case is a question with two answers, of which one is right. A model that judges answers is asked "
        "which one is better, in both orders."
    )
    payload_model = AnswerPair
    payload_version = 1
    group_noun = "domain"
    questions = QUESTIONS
    values = (
        Value(
            RIGHT_ANSWER,
            RIGHT_RESULT.key,
            {FIRST: FIRST, SECOND: SECOND},
            "published label",
            must_agree=True,  # judges are measured against it
        ),
    )
    example_folder = "judge_pairs"
    machine_checks = PAIR_CHECKS
    dataset_checks = DATASET_CHECKS

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """No prompt has a placeholder."""
        return {}

    def headline(self, case: Case) -> str:
        """The beginning of the question."""
        return one_line(str(case.payload["question"]), 120)

    def formats(self) -> "Sequence[CaseFormat]":
        """The published files of pairs."""
        from reviewer.protocols.judge_pairs.formats.published_pairs import PublishedPairs

        return (PublishedPairs(),)

    def outcome_files(self) -> "Sequence[OutcomeFiles]":
        """What judges said of published pairs."""
        from reviewer.protocols.judge_pairs.formats.judge_runs import JudgeRuns

        return (JudgeRuns(self),)

    def evaluation_plan(self) -> "JudgeEvaluation":
        """Both answers in both orders."""
        from reviewer.protocols.judge_pairs.evaluation import EVALUATION  # loaded only to evaluate models

        return EVALUATION

    def check_plan(self, case: Case) -> CheckPlan:
        """Every check only reads the pair."""
        return CheckPlan()

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """Whether answers or final results are the same, were read, and differ much in length."""
        return judge_pair(AnswerPair.model_validate(case.payload))

    def judge_dataset(self, cases: Sequence[DatasetCase]) -> tuple[DatasetFinding, ...]:
        """Places and lengths of right answers, final results, repeated questions, control characters."""
        return judge_pairs(cases)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """Question and both answers; afterwards final results, published values and findings."""
        pair = AnswerPair.model_validate(case.payload)
        return list(pair_panes(pair, case.group, measurements, findings, self.labels_meant))
