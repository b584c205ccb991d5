"""The engine of evaluation: puts every case of a run to its models under every condition, and keeps outcomes.

An answer is durable in the store's calls before it is read into an outcome, so a process that is killed at
any moment loses none, and its successor asks for no answer twice. Outcomes are kept many at a time.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from reviewer.core.errors import StoreError
from reviewer.llm.client import ModelClient
from reviewer.llm.errors import (
    AnswerCut,
    AnswerEmpty,
    AnswerWithheld,
    ExtraMissing,
    GaveUp,
    ModelError,
    RequestRefused,
    TooLong,
    Unusable,
)
from reviewer.llm.request import ModelRequest
from reviewer.protocols.evaluation import Condition, NotAsked
from reviewer.runs.evaluation.evaluation_progress import (
    EvaluationProgress,
    EvaluationProgressCallback,
    evaluation_progress,
)
from reviewer.runs.evaluation.evaluation_setup import PreparedEvaluation
from reviewer.runs.generation.step_runner import all_of
from reviewer.runs.lock_renewal import renewed
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, OutcomeState, RunLock, SampledCase

UNREAD_BY_ANY = 0
"""The version of the reader of an outcome without a whole reply."""
_AT_ONCE = 128
"""Requests that are prepared at a time. The client sends as many of them as its limits allow."""
_OUTCOMES_A_BATCH = 500
_SECONDS_A_BATCH = 1.0
_FAILURES_IN_A_ROW = 10
"""A model fails for good after so many requests without an answer, one after the other."""
_REQUESTS_KEPT = 8_192


class _Question(NamedTuple):
    """One question to one model."""

    model: str
    sampled: SampledCase
    condition: Condition
    repeat: int


class Evaluator:
    """Carries an evaluation run on to its end, or until no more requests can be made."""

    def __init__(
        self,
        database: Database,
        hold: RunLock,
        prepared: PreparedEvaluation,
        client: ModelClient,
        endpoint: str = "",
        progress: EvaluationProgressCallback = lambda progress: None,
    ) -> None:
        """``endpoint`` is kept with models that are new in the run."""
        self._database, self._hold, self._prepared = database, hold, prepared
        self._client, self._endpoint, self._report = client, endpoint, progress
        self._evaluations = Evaluations(database)
        self._waiting: list[Outcome] = []
        self._in_order = asyncio.Lock()
        self._failures = Counter[str]()
        self._last_error: dict[str, str] = {}
        self._failed: dict[str, str] = {}
        self._states: dict[tuple[str, int, str, int], OutcomeState] = {}
        self._counts = Counter[tuple[str, OutcomeState]]()
        self._request = lru_cache(_REQUESTS_KEPT)(self._new_request)

    @property
    def progress(self) -> EvaluationProgress:
        """How far the models of this run that are asked now are."""
        counts = ((model, state, number) for (model, state), number in self._counts.items())
        return evaluation_progress(self._prepared.models, self._prepared.planned, counts, self._failed)

    async def go(self) -> EvaluationProgress:
        """Ask for every outcome that is missing; returns the progress at the end.

        A model that fails for good leaves its outcomes missing, with the reason. Raises what the client
        raises if no more requests can be made, and RequestError if another process has taken over the run.
        """
        async with renewed(self._database, self._hold, self._client):
            await asyncio.to_thread(self._begin)
            self._report(self.progress)
            keeping = asyncio.create_task(self._keep_regularly())
            questions = self._questions()
            try:
                await all_of([self._work(questions) for _ in range(_AT_ONCE)])
                self._leave_missing()
            except BaseException:
                with suppress(StoreError):  # the first error says what is wrong, such as a full disk
                    await self._keep()
                raise
            else:
                await self._keep()
            finally:
                keeping.cancel()
        return self.progress

    def _begin(self) -> None:
        """Write a new run or new models, and read what is there."""
        run, models = self._prepared.run, [(model, self._endpoint) for model in self._prepared.models]
        if self._prepared.is_new:
            self._evaluations.begin(run, self._prepared.sample, models, self._hold)
            return
        self._evaluations.add_models(run.name, models, self._hold)
        for model, case, condition, repeat, state, _ in self._evaluations.coded(run.name):
            self._states[model, case, condition, repeat] = state
            self._counts[model, state] += 1

    def _questions(self) -> Iterator[_Question]:
        """What has to be asked: all cases and conditions of a repeat before the next repeat."""
        prepared = self._prepared
        repeats = range(prepared.settings.repeats)
        for repeat, sampled, condition, model in product(
            repeats, prepared.sample, prepared.conditions, prepared.models
        ):
            if self._states.get((model, sampled.place, condition.key, repeat), "missing") == "missing":
                yield _Question(model, sampled, condition, repeat)

    async def _work(self, questions: Iterator[_Question]) -> None:
        for question in questions:
            if question.model not in self._failed:
                outcome = await self._outcome(question)
                self._add(outcome)
                if len(self._waiting) >= _OUTCOMES_A_BATCH:
                    await self._keep()

    async def _outcome(self, question: _Question) -> Outcome:
        request = self._request(question.model, question.sampled, question.condition)
        if isinstance(request, NotAsked):
            return self._without_label(question, "not_asked", request.why)
        request = self._prepared.sampling.applied(request, question.repeat)
        digest = request.digest()
        try:
            reply = await self._client.ask(request)
            if further := self._follow_up(question, request, reply.text):
                digest = f"{digest} {further.digest()}"
                reply = await self._client.ask(further)
        except (AnswerCut, AnswerEmpty, AnswerWithheld) as error:
            self._failures[question.model] = 0
            return self._without_label(question, "unreadable", str(error), digest, error.reply)
        except TooLong as error:
            return self._without_label(question, "missing", str(error), digest)
        except (Unusable, GaveUp) as error:
            self._note_failure(question.model, error)
            return self._without_label(question, "missing", str(error), digest)
        self._failures[question.model] = 0
        case = self._prepared.cases[question.sampled.digest]
        read = self._prepared.plan.read(case, question.condition, reply.text)
        state: OutcomeState = "unreadable" if read.label is None else "read"
        version = self._prepared.plan.reader_version
        return self._made(question, state, read.label, read.why, digest, reply.text, version)

    def _follow_up(self, question: _Question, request: ModelRequest, reply: str) -> ModelRequest | None:
        """The second request of an outcome; None if one is enough."""
        prepared = self._prepared
        case = prepared.cases[question.sampled.digest]
        further = prepared.plan.follow_up(request, prepared.prompts, case, reply)
        return further and prepared.sampling.applied(further, question.repeat)

    def _new_request(self, model: str, sampled: SampledCase, condition: Condition) -> ModelRequest | NotAsked:
        prepared = self._prepared
        return prepared.plan.request(model, prepared.prompts, prepared.cases[sampled.digest], condition)

    def _note_failure(self, model: str, error: ModelError) -> None:
        """Give the model up if it will not answer any request; raises the error if no model will."""
        if isinstance(error, ExtraMissing):
            raise error
        self._failures[model] += 1
        self._last_error[model] = str(error)
        may_answer_others = isinstance(error, GaveUp | RequestRefused)
        if not may_answer_others or self._failures[model] >= _FAILURES_IN_A_ROW:
            self._failed.setdefault(model, str(error))

    def _leave_missing(self) -> None:
        """Outcomes without a reply for the questions that failed models were not asked.

        A model that failed at few questions has failed too if it answered none.
        """
        for model, error in self._last_error.items():
            if not (self._counts[model, "read"] or self._counts[model, "unreadable"]):
                self._failed.setdefault(model, error)
        for question in self._questions() if self._failed else ():
            place = (question.model, question.sampled.place, question.condition.key, question.repeat)
            if question.model in self._failed and place not in self._states:
                self._add(self._without_label(question, "missing", self._failed[question.model]))

    def _without_label(
        self, question: _Question, state: OutcomeState, why: str, request: str = "", reply: str = ""
    ) -> Outcome:
        return self._made(question, state, None, why, request, reply, UNREAD_BY_ANY)

    def _made(
        self,
        question: _Question,
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

    def _add(self, outcome: Outcome) -> None:
        place = (outcome.model, outcome.case, outcome.condition, outcome.repeat)
        if before := self._states.get(place):
            self._counts[outcome.model, before] -= 1
        self._states[place] = outcome.state
        self._counts[outcome.model, outcome.state] += 1
        self._waiting.append(outcome)

    async def _keep_regularly(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS_A_BATCH)
            await asyncio.shield(self._keep())

    async def _keep(self) -> None:
        """Write the outcomes that wait, in order, off the event loop."""
        async with self._in_order:
            kept, self._waiting = self._waiting, []
            await asyncio.to_thread(self._evaluations.keep, kept, self._hold)
        self._report(self.progress)
