"""Rewrites of rejected answers as an implementation of the contract."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from reviewer.core.check_result import CheckResult
from reviewer.core.pane import Pane
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import CheckPlan, Protocol, Value
from reviewer.protocols.judge_pairs.rewrite import JUDGEMENTS, NAMED, Rewrite
from reviewer.protocols.judge_pairs.rewrite_checks import REWRITE_CHECKS, judge_rewrite
from reviewer.protocols.judge_pairs.rewrite_panes import rewrite_panes
from reviewer.protocols.judge_pairs.rewrite_questions import LED_BY_BIAS, QUESTIONS
from store.records import Case, Finding, Measurement

if TYPE_CHECKING:
    from reviewer.protocols.judge_pairs.rewrite_evaluation import RewriteEvaluation


class JudgeRewrites(Protocol):
    """A rejected answer, rewritten so that it shows a bias and keeps its result."""

    name = "judge-rewrites"
    title = "Judge rewrites"
    about = (
        "A case is a question with the right answer, a rejected answer, and the rejected answer rewritten so "
        "that it shows a bias and keeps its result."
    )
    payload_model = Rewrite
    payload_version = 1
    group_noun = "bias"
    questions = QUESTIONS
    machine_checks = REWRITE_CHECKS
    taken_by_name = True
    values = tuple(Value(name, LED_BY_BIAS.key, seen="with") for name in (JUDGEMENTS, NAMED))

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        """The bias and its definition, by which raters judge."""
        return {"bias": case.group, "definition": str(case.payload["definition"])}

    def headline(self, case: Case) -> str:
        """The beginning of the question."""
        return one_line(str(case.payload["question"]), 120)

    def evaluation_plan(self) -> "RewriteEvaluation":
        """The right answer against the rejected one, as it was and rewritten, in both orders."""
        from reviewer.protocols.judge_pairs.rewrite_evaluation import EVALUATION  # only to evaluate models

        return EVALUATION

    def check_plan(self, case: Case) -> CheckPlan:
        """Every check only reads the rewrite."""
        return CheckPlan()

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        """Whether it is a rewrite, kept its result and its length, and gives no orders."""
        return judge_rewrite(Rewrite.model_validate(case.payload), case.group)

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        """The answer before and after, and the bias; for the last question the judge's choice and reasons."""
        return list(rewrite_panes(Rewrite.model_validate(case.payload), case.group, measurements, findings))
