"""The engine of evaluation: puts every case of a run to its models under every condition, and keeps outcomes.

An answer is durable in the store's calls before it is read into an outcome, so a process that is killed at
any moment loses none, and its successor asks for no answer twice. Outcomes are kept many at a time.
"""

import asyncio
from collections import Counter
from contextlib import suppress
from functools import cache

from reviewer.core.errors import StoreError
from reviewer.llm.client import ModelClient
from reviewer.llm.errors import (
    OF_ONE_REQUEST,
    ExtraMissing,
    GaveUp,
    LeaseEnded,
    ModelError,
    RequestRefused,
    Unusable,
)
from reviewer.protocols.evaluation import NotAsked
from reviewer.runs.engine.work_runner import Requester, RoleModel, WorkRunner, all_of
from reviewer.runs.evaluation.evaluation_progress import (
    EvaluationProgress,
    EvaluationProgressCallback,
    evaluation_progress,
)
from reviewer.runs.evaluation.evaluation_setup import PreparedEvaluation
from reviewer.runs.evaluation.run_share import ModelQuestion, OutcomeCounts, RunShare
from store.records import Outcome, OutcomeState

UNREAD_BY_ANY = 0
"""The version of the reader of an outcome without a whole reply."""
_OUTCOMES_A_BATCH = 500
_SECONDS_A_BATCH = 1.0
_FAILURES_IN_A_ROW = 10
"""A model fails for good after this number of requests in a row without an answer."""
_REPLIES_UNTIL_ASKED = 20
"""A model whose first replies cannot be read is asked no further until somebody resumes the run."""


class Evaluator:
    """Carries an evaluation run on to its end, or until no more requests can be made."""

    def __init__(
        self,
        share: RunShare,
        prepared: PreparedEvaluation,
        client: ModelClient,
        endpoint: str = "",
        progress: EvaluationProgressCallback = lambda progress: None,
    ) -> None:
        """``share`` says what this process does of the run; ``endpoint`` is kept with models new in it."""
        self._share, self._prepared = share, prepared
        self._client, self._endpoint, self._report = client, endpoint, progress
        self._waiting: list[tuple[ModelQuestion, Outcome]] = []
        self._in_order = asyncio.Lock()
        self._failures = Counter[str]()
        self._last_error: dict[str, str] = {}
        self._failed: dict[str, str] = {}
        self._counts = OutcomeCounts()
        self._resumed_unread: frozenset[str] = frozenset()
        self._runner = WorkRunner()
        self._role = cache(lambda model: RoleModel(client, model, prepared.sampling))

    @property
    def progress(self) -> EvaluationProgress:
        """How far the models of this run that are asked now are, with what other processes answered."""
        counts = ((model, state, number) for (model, state), number in self._counts.items())
        prepared = self._prepared
        return evaluation_progress(
            prepared.models, prepared.planned, counts, self._failed, self._share.processes
        )

    async def go(self) -> EvaluationProgress:
        """Ask for every outcome that is missing; returns the progress at the end.

        A model that fails for good leaves its outcomes missing, with the reason. Raises what the client
        raises if no more requests can be made, and RequestError if another process has taken over the run.
        """
        async with self._share.renewed(self._client):
            await asyncio.to_thread(self._share.begin, self._endpoint)
            self._counts = Counter((place[0], state) for place, state in self._share.states.items())
            self._resumed_unread = frozenset(filter(self._is_unread, self._prepared.models))
            self._report(self.progress)
            keeping = asyncio.create_task(self._keep_regularly())
            try:
                await all_of([self._work() for _ in range(self._share.at_once)])
            except BaseException:
                with suppress(StoreError):  # the first error says what is wrong, such as a full disk
                    await self._keep()
                raise
            else:
                self._fail_where_nothing_came()
                await self._keep(last=True)
            finally:
                keeping.cancel()
        return self.progress

    async def _work(self) -> None:
        while question := await self._share.next_question(self._failed, self._keep):
            try:
                self._add(question, await self._outcome(question))
            except LeaseEnded:
                continue
            finally:
                self._share.ended(question)
            if len(self._waiting) >= _OUTCOMES_A_BATCH:
                await self._keep()

    async def _outcome(self, question: ModelQuestion) -> Outcome:
        if question.model in self._failed:
            return self._without_label(question, "missing", self._failed[question.model])
        prepared = self._prepared
        case = prepared.cases[question.sampled.digest]
        work = prepared.plan.answering(prepared.prompts, case, question.condition)
        if isinstance(work, NotAsked):
            return self._without_label(question, "not_asked", work.why)
        requester = Requester({"": self._role(question.model)}, question.repeat)
        try:
            answered = await self._runner.run(work, requester)
        except OF_ONE_REQUEST as error:
            self._failures[question.model] = 0
            return self._without_label(question, "unreadable", str(error), _digests(requester), error.reply)
        except (Unusable, GaveUp) as error:
            self._note_failure(question.model, error)
            return self._without_label(question, "missing", str(error), _digests(requester))
        self._failures[question.model] = 0
        read, version = answered.read, prepared.plan.reader_version
        state: OutcomeState = "unreadable" if read.label is None else "read"
        return self._made(question, state, read.label, read.why, _digests(requester), answered.reply, version)

    def _note_failure(self, model: str, error: ModelError) -> None:
        """Give the model up if it will not answer any request; raises the error if no model will."""
        if isinstance(error, ExtraMissing):
            raise error
        self._failures[model] += 1
        self._last_error[model] = str(error)
        may_answer_others = isinstance(error, GaveUp | RequestRefused)
        if not may_answer_others or self._failures[model] >= _FAILURES_IN_A_ROW:
            self._failed.setdefault(model, str(error))

    def _fail_where_nothing_came(self) -> None:
        """A model that failed at few questions has failed too if it answered none."""
        for model, error in self._last_error.items():
            if not (self._counts[model, "read"] or self._counts[model, "unreadable"]):
                self._failed.setdefault(model, error)

    def _without_label(
        self, question: ModelQuestion, state: OutcomeState, why: str, request: str = "", reply: str = ""
    ) -> Outcome:
        return self._made(question, state, None, why, request, reply, UNREAD_BY_ANY)

    def _made(
        self,
        question: ModelQuestion,
        state: OutcomeState,
        label: str | None,
        why: str,
        request: str,
        reply: str,
        reader_version: int,
    ) -> Outcome:
        # Unvalidated: every field has its type already, and hundreds are made each second.
        return Outcome.model_construct(
            run=self._prepared.run.name,
            model=question.model,
            case=question.sampled.place,
            condition=question.condition.key,
            repeat=question.repeat,
            state=state,
            label=label,
            reader_version=reader_version,
            request=request,
            why=why,
            reply=reply.replace("\0", "\ufffd"),  # a recording may hold what no store can
        )

    def _add(self, question: ModelQuestion, outcome: Outcome) -> None:
        states = self._share.states
        if before := states.get(question.place):
            self._counts[outcome.model, before] -= 1
        states[question.place] = outcome.state
        self._counts[outcome.model, outcome.state] += 1
        self._waiting.append((question, outcome))
        if self._is_unread(outcome.model) and outcome.model not in self._resumed_unread:
            self._failed.setdefault(outcome.model, _unread(self._prepared.run.name))

    def _is_unread(self, model: str) -> bool:
        unread = self._counts[model, "unreadable"]
        return unread >= _REPLIES_UNTIL_ASKED and not self._counts[model, "read"]

    async def _keep_regularly(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS_A_BATCH)
            await asyncio.shield(self._keep())

    async def _keep(self, *, last: bool = False) -> None:
        """Write the outcomes that wait, in order, off the event loop."""
        async with self._in_order:
            kept, self._waiting = self._waiting, []
            await asyncio.to_thread(self._share.keep, kept)
            counts = await asyncio.to_thread(lambda: self._share.counts(last))
            self._counts = self._counts if counts is None else counts
        self._report(self.progress)


def _digests(requester: Requester) -> str:
    """The digests of the requests of an outcome."""
    return " ".join(request.digest() for request in requester.requests)


def _unread(run: str) -> str:
    return (
        f"none of its first {_REPLIES_UNTIL_ASKED} replies can be read. Look at them with: reviewer outcomes "
        f"list {run} --unreadable. If you want to pay for the rest, resume the run"
    )
