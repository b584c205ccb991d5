"""The steps that each candidate goes through, and the result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.check_result import CheckResult, result_of
from reviewer.llm.errors import OF_ONE_REQUEST, ModelError
from reviewer.protocols.generation import Draft, Generation, NoDraft, Step, StepResult
from reviewer.runs.engine.work_runner import Requester, RoleModel, WorkRunner, all_of
from store.records import JsonValue, canonical_json

EXPANSION = "expansion"
"""The name of the first step. It discards replies that contain no candidate."""
_MOST_KEPT = 2_000
_EMPTY = NoDraft("The expansion brought no candidate.")


@dataclass(frozen=True, slots=True)
class CandidateResult:
    """A candidate's place, the last step that it reached, and what the checks of that step found."""

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
        """Whether the candidate passed every check of its last step."""
        return self.decisive.passed


class CandidatePipeline:
    """Asks for candidates and takes each through the steps. ``on_result`` gets every finished candidate."""

    def __init__(
        self,
        generation: Generation,
        runner: WorkRunner,
        roles: Mapping[str, RoleModel],
        on_result: Callable[[CandidateResult], None],
    ) -> None:
        self._roles = roles
        self._generation = generation
        self._runner = runner
        self._on_result = on_result

    async def expansion(self, group: str, attempt: int, state: JsonValue) -> list[CandidateResult]:
        """The results of all candidates of one expansion, in their order."""
        requester = Requester(self._roles)
        calls = requester.calls
        try:
            drafts = await self._runner.run(self._generation.expansion(group, attempt, state), requester)
        except OF_ONE_REQUEST as error:
            return [self._reported(_nothing(group, attempt, 1, _unanswered(error), "", calls))]
        # The store counts expansions by their candidates, so one without any would be asked for again.
        return await all_of(
            [
                self._candidate(group, attempt, place, draft, calls)
                for place, draft in enumerate(drafts or [_EMPTY], 1)
            ]
        )

    async def last(self, before: CandidateResult) -> CandidateResult:
        """The result of a candidate that passed every step, after the step at approval, if there is one."""
        step = self._generation.at_approval
        return before if step is None else await self._step(before, step)

    async def _candidate(
        self, group: str, attempt: int, place: int, draft: Draft | NoDraft, calls: Sequence[str]
    ) -> CandidateResult:
        draft = _plain(draft)
        if isinstance(draft, NoDraft):
            judged = result_of("format", False, None, None, draft.why)
            return self._reported(_nothing(group, attempt, place, judged, draft.reply, calls))
        result = CandidateResult(
            group, attempt, place, draft, EXPANSION, (result_of("format", True),), tuple(calls)
        )
        for step in self._generation.steps:
            result = await self._step(result, step)
            if not result.passed:
                break
        return self._reported(result)

    async def _step(self, before: CandidateResult, step: Step) -> CandidateResult:
        requester = Requester(self._roles)
        try:
            result = await self._runner.run(step.check(before.draft), requester)
        except OF_ONE_REQUEST as error:
            result = StepResult(before.draft, (_unanswered(error),))
        return CandidateResult(
            before.group,
            before.expansion,
            before.place,
            result.draft,
            step.name,
            result.judged,
            (*before.calls, *requester.calls),
            step.counts_as,
            step.question,
        )

    def _reported(self, result: CandidateResult) -> CandidateResult:
        self._on_result(result)
        return result


def _plain(draft: Draft | NoDraft) -> Draft | NoDraft:
    """The draft, if it can be written as JSON and stored; else the reason why not."""
    if isinstance(draft, Draft):
        try:
            as_json = canonical_json([draft.payload, draft.values])
            as_json.encode()
        except (TypeError, ValueError):
            return NoDraft("The reply holds a number or a character that cannot be kept.")
        if not isinstance(draft.payload, Mapping):
            return NoDraft("The reply is not a JSON object.", as_json)
    return draft


def _unanswered(error: ModelError) -> CheckResult:
    return result_of("unanswered", False, None, None, str(error))


def _nothing(
    group: str, attempt: int, place: int, judged: CheckResult, reply: str, calls: Sequence[str]
) -> CandidateResult:
    """The result for a reply without a candidate, with the beginning of the reply for people to read."""
    kept = {"reply": reply[:_MOST_KEPT].replace("\0", "\ufffd")} if reply else {}
    return CandidateResult(group, attempt, place, Draft(group, kept), EXPANSION, (judged,), tuple(calls))
