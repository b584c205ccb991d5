"""Fulfils what works need (replies, vectors, programs) without blocking the event loop."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from reviewer.llm.client import ModelClient
from reviewer.llm.request import ModelReply, ModelRequest
from reviewer.llm.request_errors import ModelError
from reviewer.oracle import pool
from reviewer.oracle.examination import examine
from reviewer.protocols.procedure import Sampling
from reviewer.protocols.work import (
    Embedded,
    Examined,
    Nearest,
    Need,
    Neighbour,
    ProgramsRun,
    Replies,
    Together,
    Trace,
    Traced,
    Work,
)
from reviewer.runs.engine.run_progress import ProgressCallback, not_shown
from reviewer.similarity.encoder import Vectors

_ROWS_AT_FIRST = 256


class ApprovedTexts:
    """The vectors of approved texts. Rows have length 1, so that their products are cosines."""

    def __init__(self) -> None:
        self._keys: list[str] = []
        self._rows: Vectors = np.zeros((0, 0), dtype=np.float32)

    def add(self, keys: list[str], vectors: Vectors) -> None:
        """Add the vectors of newly approved texts, one row for each key."""
        if not keys:
            return
        used, wanted = len(self._keys), len(self._keys) + len(keys)
        if wanted > len(self._rows):
            grown = np.zeros((max(_ROWS_AT_FIRST, 2 * wanted), vectors.shape[1]), dtype=np.float32)
            if used:
                grown[:used] = self._rows[:used]
            self._rows = grown
        self._rows[used:wanted] = vectors
        self._keys += keys

    def nearest(self, vector: Vectors) -> Neighbour | None:
        """The most similar approved text, the first of equal ones; None while there is none."""
        if not self._keys:
            return None
        similarities = self._rows[: len(self._keys)] @ vector
        row = int(np.argmax(similarities))
        return Neighbour(self._keys[row], float(similarities[row]))


T = TypeVar("T")
NO_PARAMETERS = Sampling()
"""Requests are sent with the parameters that they name."""
NO_REPLIES: Mapping[str, str] = {}
WORKS_AT_ONCE = 512
"""Works that run together at a time: more than the calls that are usual at once."""


async def all_of(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all. If one raises, the others are awaited first, since their calls may cost money."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


class Embedder(Protocol):
    """Turns texts into vectors of length 1, one row each."""

    def of(self, texts: Sequence[str]) -> Vectors:
        """An array of shape (texts, dimensions)."""
        ...


@dataclass(frozen=True, slots=True)
class RunTools:
    """What a run is carried on with: who answers, at which address, what compares texts and runs programs."""

    client: ModelClient
    endpoint: str = ""
    embedder: Embedder | None = None
    executor: Executor | None = None
    report: ProgressCallback = not_shown


@dataclass(frozen=True, slots=True)
class RoleModel:
    """A model in a role: who sends its requests, its name, and the parameters sent with the messages."""

    client: ModelClient
    model: str
    sampling: Sampling = NO_PARAMETERS

    def request(self, request: ModelRequest, repeat: int) -> ModelRequest:
        """A request of a work as it is sent."""
        return self.sampling.applied(request, repeat, self.model)


def role_models(
    client: ModelClient, models: Mapping[str, str], sampling: Mapping[str, Sampling]
) -> dict[str, RoleModel]:
    """The model of each role with its parameters; if there is only one role, "" names it too."""
    roles = {
        role: RoleModel(client, model, sampling.get(role, NO_PARAMETERS)) for role, model in models.items()
    }
    return {**roles, "": next(iter(roles.values()))} if len(roles) == 1 else roles


class Requester:
    """Who answers one work, its requests as they were sent, and the ids of its calls."""

    __slots__ = ("_repeat", "_roles", "calls", "requests")

    def __init__(self, roles: Mapping[str, RoleModel], repeat: int = 0) -> None:
        """``repeat`` numbers works that are equal on purpose."""
        self._roles, self._repeat = roles, repeat
        self.calls: list[str] = []
        self.requests: list[ModelRequest] = []

    async def reply(self, role: str, request: ModelRequest) -> ModelReply:
        """The reply of the model in a role; raises ModelError if there is none."""
        model = self._roles[role]
        request = model.request(request, self._repeat)
        self.requests.append(request)
        reply = await model.client.ask(request)
        self.calls.append(reply.call)
        return reply

    def part(self) -> "Requester":
        """The same for one of several works that run together."""
        return Requester(self._roles, self._repeat)

    def add(self, parts: "Iterable[Requester]") -> None:
        """Add what the parts asked."""
        for part in parts:
            self.calls += part.calls
            self.requests += part.requests


def requests_of(work: Work[Any], text: str, usual: Mapping[str, str] = NO_REPLIES) -> Iterator[ModelRequest]:
    """The requests that a work makes if this text answers each of them. No model is asked.

    ``usual`` are other answers, by purpose of the request.

    Raises RuntimeError for a work that also needs vectors or programs.
    """
    return (request for _, request in asked_by(work, text, usual))


def asked_by(
    work: Work[T], text: str, usual: Mapping[str, str] = NO_REPLIES
) -> Generator[tuple[str, ModelRequest], None, T]:
    """The same with the role that each request asks."""
    reply = ModelReply(text, "", "stop", 0, 0, None, 0.0, 1, "recording", "")
    try:
        need = next(work)
        while True:
            match need:
                case Replies(requests, role):
                    yield from ((role, request) for request in requests)
                    texts = (usual.get(request.purpose, text) for request in requests)
                    need = work.send([replace(reply, text=said) for said in texts])
                case Together(_, works):
                    results = []
                    for each in works:
                        results.append((yield from asked_by(each, text, usual)))
                    need = work.send(results)
                case Traced(traced):
                    result = yield from asked_by(traced, text, usual)
                    need = work.send(Trace(result, None, (), ()))
                case _:
                    raise RuntimeError(f"a work that needs {type(need).__name__} cannot be estimated")
    except StopIteration as done:
        returned: T = done.value
        return returned


class WorkRunner:
    """Runs works; many may run at the same time."""

    def __init__(
        self,
        embedder: Embedder | None = None,
        executor: Executor | None = None,
        approved: ApprovedTexts | None = None,
        on_done: Callable[[str, int, int], None] = lambda title, done, total: None,
    ) -> None:
        """Without ``embedder`` no texts can be compared; without ``executor`` no programs can be run.

        ``on_done`` is called for each of several works that run together: their title, how many are done, and
        how many there are.
        """
        self._on_done = on_done
        self._embedder = embedder
        self._executor = executor
        self._approved = approved or ApprovedTexts()
        self._one_at_a_time = threading.Lock()  # the sentence model uses several threads by itself

    async def run(self, work: Work[T], requester: Requester) -> T:
        """The result of the work, whose requests go to those that ``requester`` names."""
        try:
            need = next(work)
            while True:
                try:
                    fulfilled = await self._fulfil(need, requester)
                except ModelError as error:  # the work may go on without this answer
                    need = work.throw(error)
                else:
                    need = work.send(fulfilled)
        except StopIteration as done:
            result: T = done.value
            return result

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts."""
        return await asyncio.to_thread(self._embed, tuple(texts))

    async def _fulfil(self, need: Need, requester: Requester) -> object:
        match need:
            case Replies((request,), role):  # the usual one, without a task of its own
                return [await requester.reply(role, request)]
            case Replies(requests, role):
                parts = [requester.part() for _ in requests]
                pairs = zip(parts, requests, strict=True)
                replies = await all_of([part.reply(role, request) for part, request in pairs])
                requester.add(parts)  # in the order of the requests
                return replies
            case Embedded(texts):
                return await self.vectors(texts)
            case ProgramsRun(programs):
                return await self._in_worker(pool.run_case, programs)
            case Examined(examination):
                return await self._in_worker(examine, examination)
            case Nearest(text):
                return self._approved.nearest((await self.vectors([text]))[0])
            case Traced(work):
                return await self._trace(work, requester)
            case Together(title, works):
                return await self._together(title, works, requester)

    async def _trace(self, work: Work[Any], requester: Requester) -> Trace[Any]:
        part = requester.part()
        try:
            result, error = await self.run(work, part), None
        except ModelError as unanswered:
            result, error = None, unanswered
        requester.add([part])
        return Trace(result, error, part.requests, tuple(part.calls))

    async def _together(self, title: str, works: Sequence[Work[Any]], requester: Requester) -> list[Any]:
        """The results of works in their order. If one raises, those under way are finished first."""
        results: list[Any] = [None] * len(works)
        parts = [requester.part() for _ in works]
        left, done = iter(enumerate(works)), 0

        async def work_off() -> None:
            nonlocal done
            for place, work in left:
                try:
                    results[place] = await self.run(work, parts[place])
                except BaseException:  # also a cancelled task must not begin other work
                    deque(left, maxlen=0)  # no other work begins
                    raise
                done += 1
                if title:
                    self._on_done(title, done, len(works))

        if title:
            self._on_done(title, 0, len(works))
        await all_of([work_off() for _ in works[:WORKS_AT_ONCE]])
        requester.add(parts)
        return results

    async def _in_worker(self, work: Callable[[T], object], job: T) -> object:
        if self._executor is None:
            raise RuntimeError("a step runs programs, and its protocol's plan does not say runs_programs")
        return await asyncio.get_running_loop().run_in_executor(self._executor, work, job)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if self._embedder is None:
            raise RuntimeError("a step compares texts, and its protocol's plan does not say compares_texts")
        with self._one_at_a_time:
            return self._embedder.of(texts)
