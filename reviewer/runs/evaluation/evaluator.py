"""Evaluation: every case of a run is put to its models under every condition, and outcomes are kept.

One process asks the questions of a run, or several do in chunks.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from reviewer.core.errors import RequestError
from reviewer.llm.request import ModelRequest
from reviewer.llm.request_errors import (
    OF_ONE_REQUEST,
    ExtraMissing,
    GaveUp,
    ModelError,
    RequestRefused,
    Unusable,
)
from reviewer.protocols.evaluation import Condition, NotAsked
from reviewer.protocols.judging.verdict_reading import READER
from reviewer.protocols.work import Work, traced
from reviewer.runs.engine.run_loop import CarriedRun, Keep
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.engine.shared_run import SharedRun, SharedUnits, UnitsShare
from reviewer.runs.engine.work_runner import Requester, RoleModel, RunTools, WorkRunner, role_models
from reviewer.runs.evaluation.evaluation_progress import OutcomeCounts, evaluation_progress, kept_outcomes
from reviewer.runs.evaluation.evaluation_settings import UNREAD_BY_ANY
from store.evaluations import Evaluations, asked_role, keep_leased_outcomes
from store.records import Lease, Outcome, OutcomeState, RunChunk, SampledCase

if TYPE_CHECKING:
    from reviewer.runs.evaluation.evaluation_setup import PreparedEvaluation


States = dict[tuple[str, int, str, int], OutcomeState]
"""State by model, place of the case, key of the condition, and repeat."""


class ModelQuestion(NamedTuple):
    """One question to one model; on a server with its chunk, and the lease under which it was taken."""

    model: str
    sampled: SampledCase
    condition: Condition
    repeat: int
    chunk: int = 0
    lease: str = ""

    @property
    def place(self) -> tuple[str, int, str, int]:
        """What identifies its outcome in the run."""
        return self.model, self.sampled.place, self.condition.key, self.repeat


class EvaluationUnits(SharedUnits[ModelQuestion, Outcome]):
    """The questions of an evaluation. ``states`` has the outcomes that this process knows of."""

    def __init__(self, prepared: "PreparedEvaluation") -> None:
        self._prepared, self._evaluations = prepared, Evaluations(prepared.database)
        self.run, self.models = prepared.run.name, prepared.models
        self.states: States = {}

    def begin(self, endpoint: str, lease: Lease | None = None) -> None:
        """Write a new run, or new models and cases."""
        models, prepared = dict.fromkeys(self.models, endpoint), self._prepared
        try:
            if prepared.is_new:
                self._evaluations.begin(prepared.run, prepared.sample, models, lease, prepared.placing)
            elif prepared.added:
                self._evaluations.extend(prepared.run, prepared.sample, prepared.added, lease)
        except RequestError:
            if lease:
                raise
            self._check_same_run(endpoint)
        self._evaluations.add_models(self.run, models, lease, asked_role(prepared.run))

    def _check_same_run(self, endpoint: str) -> None:
        """Raise RequestError if another process has just begun another run of this name."""
        prepared, evaluations = self._prepared, self._evaluations
        begun = evaluations.with_outcomes(self.run)
        servers = {model.model: model.endpoint for model in evaluations.models(self.run)}
        same = (
            (begun.protocol, begun.settings, begun.material)
            == (prepared.run.protocol, prepared.run.settings, prepared.run.material)
            and evaluations.sample(self.run) == list(prepared.sample)
            and all(servers.get(model, endpoint) == endpoint for model in self.models)
        )
        if not same:
            raise RequestError(
                f"another process has just begun run {self.run!r} with other settings or cases; take part "
                f"in it with `{prepared.run.command}`, or choose another name."
            )

    def read(self, chunks: Sequence[RunChunk] | None = None) -> None:
        """Read the outcomes of these chunks, or of the whole run."""
        evaluations = self._evaluations
        if chunks is None:
            self.states.clear()
        rows = evaluations.coded(self.run) if chunks is None else evaluations.coded_in(chunks)
        self.states.update((row[:4], row[4]) for row in rows)

    def chunks(self, least: int, most: int) -> list[RunChunk]:
        """All conditions of some cases in one repeat, for each model."""
        prepared = self._prepared
        conditions, cases = len(prepared.conditions), len(prepared.sample)
        questions = conditions * cases * prepared.settings.repeats * len(self.models)
        places = max(1, max(least, questions // most) // max(1, conditions))
        return [
            RunChunk(
                run=self.run,
                number=0,
                model=model,
                repeat=repeat,
                first=first,
                places=min(places, cases - first),
            )
            for repeat in range(prepared.settings.repeats)
            for first in range(0, cases, places)
            for model in self.models
        ]

    def left(self, chunk: RunChunk, lease: str = "") -> list[ModelQuestion]:
        """The questions of a chunk without an answer."""
        places = range(chunk.first, chunk.first + chunk.places)
        left = questions_left(self._prepared, self.states, (chunk.repeat,), places, (chunk.model,))
        return [question._replace(chunk=chunk.number, lease=lease) for question in left]

    def all_left(self) -> Iterator[ModelQuestion]:
        """All questions without an answer."""
        prepared, everything = self._prepared, range(len(self._prepared.sample))
        repeats = range(prepared.settings.repeats)
        return questions_left(prepared, self.states, repeats, everything, self.models)

    def keep_alone(self, lease: Lease, products: Sequence[Outcome]) -> None:
        """Save outcomes in one transaction; raises RequestError if another process took the run over."""
        self._evaluations.keep(products, lease)

    def keep(self, lease: Lease, products: Sequence[tuple[int, Outcome]], done: Collection[int]) -> None:
        """Save outcomes with the numbers of their chunks, and mark chunks as done."""
        keep_leased_outcomes(self._prepared.database, lease, products, done)


def questions_left(
    prepared: "PreparedEvaluation",
    states: Mapping[tuple[str, int, str, int], OutcomeState],
    repeats: Iterable[int],
    places: Iterable[int],
    models: Iterable[str],
) -> Iterator[ModelQuestion]:
    """The wanted questions without an answer: all cases and conditions of a repeat before the next repeat."""
    places = [place for place in places if prepared.wants(place)]
    for repeat, place, condition, model in product(repeats, places, prepared.conditions, models):
        question = ModelQuestion(model, prepared.sample[place], condition, repeat)
        if states.get(question.place, "missing") == "missing":
            yield question


_FAILURES_IN_A_ROW = 10
"""A model fails for good after this number of requests in a row without an answer."""
_COUNTING_SHARE = 0.05
"""The share of the time for which outcomes of all processes are counted."""
_REPLIES_UNTIL_ASKED = 20
"""A model whose first replies cannot be read is asked no further until somebody resumes the run."""


class Evaluator(CarriedRun[ModelQuestion, tuple[ModelQuestion, Outcome]]):
    """An evaluation run; a unit is a question to a model, and its product is the outcome.

    A model that fails for good leaves its outcomes missing, with the reason.
    """

    keeps_as_they_come = True

    def __init__(
        self, share: UnitsShare[ModelQuestion, Outcome], prepared: "PreparedEvaluation", tools: RunTools
    ) -> None:
        """``share`` is the part of this process; the endpoint of the tools is kept with models new here."""
        assert isinstance(share.units, EvaluationUnits)
        self._states = share.units.states
        self._share, self._prepared, self._tools = share, prepared, tools
        self._failures = Counter[str]()
        self._last_error: dict[str, str] = {}
        self._failed: dict[str, str] = {}
        self._counts, self._next_count = OutcomeCounts(), 0.0
        self._resumed_unread: frozenset[str] = frozenset()
        self._has_begun = False
        self.run, self.runner, self.at_once = prepared.run, WorkRunner(), share.at_once
        self._roles = cache(self._roles_of)

    @property
    def progress(self) -> RunProgress:
        """How far the models of this run that are asked now are, with answers of other processes."""
        prepared, processes = self._prepared, self._share.processes
        return evaluation_progress(prepared.models, prepared.planned, self._counts, self._failed, processes)

    def renewed(self) -> AbstractAsyncContextManager[None]:
        """Renew the lock or the lease during the block."""
        return self._share.renewed(self._tools.client)

    async def begin(self) -> None:
        """Write a new run or new models, and read what is there."""
        await asyncio.to_thread(self._share.begin, self._tools.endpoint)
        self._counts = Counter((place[0], state) for place, state in self._states.items())
        self._resumed_unread = frozenset(filter(self._is_unread, self._prepared.models))
        self._tools.report(self.progress)

    async def begins_round(self) -> bool:
        """All questions are one round."""
        has_begun, self._has_begun = self._has_begun, True
        return not has_begun

    async def next_unit(self, keep: Keep) -> ModelQuestion | None:
        """The next question; None if nothing is left. It may wait for other processes."""
        return await self._share.next_unit(self._failed, keep)

    def requester(self, unit: ModelQuestion) -> Requester:
        """The model of a question."""
        return Requester(self._roles(unit.model), unit.repeat)

    def _roles_of(self, model: str) -> dict[str, RoleModel]:
        """Who answers the requests about a question to a model: it, unless the run names others."""
        run, settings, client = self._prepared.run, self._prepared.settings, self._tools.client
        others = {role: settings.roles.get(role, model) for role in self._prepared.plan.roles}
        models = {asked_role(run): model, "": model, **others}
        roles = role_models(client, models, dict.fromkeys(models, self._prepared.sampling))
        return roles | ({READER: RoleModel(client, settings.reader)} if settings.reader else {})

    def ended(self, unit: ModelQuestion) -> None:
        """Nothing is under way for a question any more."""
        self._share.ended(unit)

    def work(self, unit: ModelQuestion) -> Work[tuple[ModelQuestion, Outcome]]:
        """The outcome of a question."""
        outcome = yield from self._outcome(unit)
        self._count(unit, outcome)
        return unit, outcome

    async def keep(self, products: Sequence[tuple[ModelQuestion, Outcome]], last: bool) -> None:
        """Write outcomes off the event loop, and report what is there."""
        if last:
            self._fail_where_nothing_came()
        await asyncio.to_thread(self._share.keep, products)
        if isinstance(self._share, SharedRun) and (last or time.monotonic() >= self._next_count):
            await asyncio.to_thread(self._count_all)
        self._tools.report(self.progress)

    def _count_all(self) -> None:
        """Count the outcomes of all processes, which takes a small share of the time."""
        began = time.monotonic()
        self._counts = kept_outcomes(Evaluations(self._prepared.database), self.run.name)
        self._next_count = time.monotonic() + (time.monotonic() - began) / _COUNTING_SHARE

    async def end(self) -> None:
        """Whether a run has ended shows in its outcomes."""

    def _outcome(self, question: ModelQuestion) -> Work[Outcome]:
        if question.model in self._failed:
            return self._without_label(question, "missing", self._failed[question.model])
        prepared = self._prepared
        case = prepared.cases[question.sampled.digest]
        plan = prepared.plan.at(question.sampled.place)
        work = plan.answering(prepared.prompts, case, question.condition)
        if isinstance(work, NotAsked):
            return self._without_label(question, "not_asked", work.why)
        asked = yield from traced(work)
        digests = _digests(asked.requests)
        if isinstance(asked.error, Unusable | GaveUp):
            self._note_failure(question.model, asked.error)
            return self._without_label(question, "missing", str(asked.error), digests)
        self._failures[question.model] = 0
        if isinstance(asked.error, OF_ONE_REQUEST):
            return self._without_label(question, "unreadable", str(asked.error), digests, asked.error.reply)
        answered = asked.returned
        read, version = answered.read, prepared.plan.reader_version
        state: OutcomeState = "unreadable" if read.label is None else "read"
        return self._made(question, state, read.label, read.why, digests, answered.reply, version)

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

    def _count(self, question: ModelQuestion, outcome: Outcome) -> None:
        states = self._states
        if before := states.get(question.place):
            self._counts[outcome.model, before] -= 1
        states[question.place] = outcome.state
        self._counts[outcome.model, outcome.state] += 1
        if self._is_unread(outcome.model) and outcome.model not in self._resumed_unread:
            self._failed.setdefault(outcome.model, _unread(self._prepared.run.name))

    def _is_unread(self, model: str) -> bool:
        unread = self._counts[model, "unreadable"]
        return unread >= _REPLIES_UNTIL_ASKED and not self._counts[model, "read"]


def _digests(requests: Sequence[ModelRequest]) -> str:
    """The digests of the requests of an outcome."""
    return " ".join(request.digest() for request in requests)


def _unread(run: str) -> str:
    return (
        f"none of its first {_REPLIES_UNTIL_ASKED} replies can be read. Look at them with: reviewer outcomes "
        f"list {run} --unreadable. If you want to pay for the rest, resume the run"
    )
