"""Candidates on their way through the steps, and what becomes of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.check_result import CheckResult, result_of
from reviewer.llm.errors import AnswerCut, AnswerEmpty, AnswerWithheld, ModelError, TooLong
from reviewer.protocols.generation import Draft, Generation, NoDraft, Step, StepResult
from reviewer.runs.generation.step_runner import StepRunner, all_of
from store.records import JsonValue, canonical_json

EXPANSION = "expansion"
"""The name of the first step, where what is no candidate at all is discarded."""
DISCARDING = (AnswerCut, AnswerEmpty, AnswerWithheld, TooLong)
"""What a model did with one request. Whatever else can go wrong stops the run."""
_MOST_KEPT = 2_000
_EMPTY = NoDraft("The expansion brought no candidate.")


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """A candidate's place, how far it got, and what the last step that it was put to said of it."""

    group: str
    expansion: int
    place: int
    draft: Draft
    step: str
    judged: tuple[CheckResult, ...]
    calls: tuple[str, ...]
    counts_as: str = ""
    question: str | None = None

    @property
    def decisive(self) -> CheckResult:
        """The first check that was not passed, else the last one."""
        return StepResult(self.draft, self.judged).decisive

    @property
    def passed(self) -> bool:
        """Whether nothing was found against it."""
        return self.decisive.passed


class CandidatePipeline:
    """Asks for candidates and takes each through the steps; ``tell`` hears of every one that is through."""

    def __init__(
        self, generation: Generation, workshop: StepRunner, tell: Callable[[CandidateResult], None]
    ) -> None:
        self._generation = generation
        self._workshop = workshop
        self._tell = tell

    async def expansion(self, group: str, attempt: int, state: JsonValue) -> list[CandidateResult]:
        """What became of everything that one expansion brought, in its order."""
        calls: list[str] = []
        try:
            drafts = await self._workshop.do(self._generation.expansion(group, attempt, state), calls)
        except DISCARDING as error:
            return [self._told(_nothing(group, attempt, 1, _unanswered(error), "", calls))]
        # A store counts expansions by what they brought: one without anything would be asked for again.
        return await all_of(
            [
                self._candidate(group, attempt, place, draft, calls)
                for place, draft in enumerate(drafts or [_EMPTY], 1)
            ]
        )

    async def last(self, before: CandidateResult) -> CandidateResult:
        """The candidate that passed every step, after the step that is asked at approval, if there is one."""
        step = self._generation.at_approval
        return before if step is None else await self._step(before, step)

    async def _candidate(
        self, group: str, attempt: int, place: int, draft: Draft | NoDraft, calls: Sequence[str]
    ) -> CandidateResult:
        draft = _plain(draft)
        if isinstance(draft, NoDraft):
            judged = result_of("format", False, None, None, draft.why)
            return self._told(_nothing(group, attempt, place, judged, draft.reply, calls))
        outcome = CandidateResult(
            group, attempt, place, draft, EXPANSION, (result_of("format", True),), tuple(calls)
        )
        for step in self._generation.steps:
            outcome = await self._step(outcome, step)
            if not outcome.passed:
                break
        return self._told(outcome)

    async def _step(self, before: CandidateResult, step: Step) -> CandidateResult:
        calls = list(before.calls)
        try:
            verdict = await self._workshop.do(step.check(before.draft), calls)
        except DISCARDING as error:
            verdict = StepResult(before.draft, (_unanswered(error),))
        return CandidateResult(
            before.group,
            before.expansion,
            before.place,
            verdict.draft,
            step.name,
            verdict.judged,
            tuple(calls),
            step.counts_as,
            step.question,
        )

    def _told(self, outcome: CandidateResult) -> CandidateResult:
        self._tell(outcome)
        return outcome


def _plain(draft: Draft | NoDraft) -> Draft | NoDraft:
    """The draft, if JSON can say all of it and a store can keep it."""
    if isinstance(draft, Draft):
        try:
            said = canonical_json([draft.payload, draft.values])
            said.encode()
        except (TypeError, ValueError):
            return NoDraft("The reply holds a number or a character that cannot be kept.")
        if not isinstance(draft.payload, Mapping):
            return NoDraft("The reply is not a JSON object.", said)
    return draft


def _unanswered(error: ModelError) -> CheckResult:
    return result_of("unanswered", False, None, None, str(error))


def _nothing(
    group: str, attempt: int, place: int, judged: CheckResult, said: str, calls: Sequence[str]
) -> CandidateResult:
    """What is no candidate, with the beginning of the reply for people to see."""
    kept = {"reply": said[:_MOST_KEPT].replace("\0", "\ufffd")} if said else {}
    return CandidateResult(group, attempt, place, Draft(group, kept), EXPANSION, (judged,), tuple(calls))
