"""Gives chunks of jobs to workers, and carries on when workers leave, join, lag behind or send nonsense.

A chunk is sized to take a few seconds on its worker. At any time only a few chunks a worker are under way, so
memory does not grow with the number of jobs. Results are taken in any order, each once.
"""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from reviewer.cluster.chunks import NonsenseError, ReadReply, read_chunk_reply, written_chunk
from reviewer.cluster.dask_cluster import CARRY_ON, ChunkReply, ClusterEvent, WorkerJoined, WorkerLeft
from reviewer.cluster.job_kinds import JobKind, run_chunk
from reviewer.core.errors import Unfinished
from reviewer.core.sanitize import agreeing, one_line
from reviewer.oracle.program_runner import EngineVersion, ProgramsRan

_About = TypeVar("_About")
_Job = TypeVar("_Job")
_Done = TypeVar("_Done")

CHUNK_SECONDS = 3.0
"""How long a chunk should take its worker."""
MOST_JOBS = 200
FIRST_JOBS = 4
CHUNKS_A_THREAD = 2
"""Chunks that a thread has at a time: the one that it does, and the next one."""
_GROWTH = 4
MOST_ATTEMPTS = 3
"""A job that ended this number of workers, or failed on as many, is set aside."""
PATIENCE = 60.0
"""Seconds without any worker after which the work ends."""
_SECONDS_TO_ANSWER = 5.0
_SLOW = 5.0
"""How many times longer than planned a chunk may take before another worker gets a copy of it."""


def next_jobs(seconds: float, jobs: int) -> int:
    """The size of a worker's next chunk, after one of ``jobs`` jobs took it ``seconds``."""
    fitting = int(CHUNK_SECONDS * jobs / max(seconds, 1e-4))
    return max(1, min(MOST_JOBS, _GROWTH * jobs, fitting))


class WorkerConnection(Protocol):
    """The part of ``DaskCluster`` that a dispatcher needs."""

    @property
    def address(self) -> str:
        """Where the scheduler listens."""

    def submit(self, worker: str, function: Callable[..., bytes], *arguments: str | bytes | None) -> str:
        """Have one worker call a function; the key of its reply."""

    def next_event(self, seconds: float) -> ClusterEvent | None:
        """The next thing that happens; raises Unfinished if the scheduler is gone."""

    def forget(self, key: str) -> None:
        """Cancel a chunk, or drop its reply."""

    def lacking(self, workers: Sequence[str], seconds: float) -> list[str]:
        """Those workers that have not this release of this package."""


@dataclass(frozen=True, slots=True)
class Admission:
    """The question to a worker that joins, and a reader of its answer, which says why if it may not work."""

    question: Callable[..., bytes]
    arguments: tuple[str | None, ...]
    answer: Callable[[str, object], "CrewMember | str"]


@dataclass(frozen=True, slots=True)
class CrewMember:
    """A worker that may work: how many chunks it does at a time, and the engine of its programs."""

    threads: int
    engine: EngineVersion


@dataclass(slots=True, eq=False)
class _Chunk:
    """Jobs that go together, each with its subject and its line.

    ``killed`` counts the workers that ended while they had it, ``failed`` those that gave no usable reply.
    The jobs of a worker that ended are done one by one from then on, to see which job ends a worker.
    """

    jobs: list[tuple[Any, Any, bytes]]
    killed: int = 0
    failed: int = 0
    keys: set[str] = field(default_factory=set)

    def divided(self) -> "Iterator[_Chunk]":
        """A chunk for each job, with the same past."""
        return (_Chunk([job], self.killed, self.failed) for job in self.jobs)


@dataclass(slots=True)
class _Sent:
    """A chunk on its way to a worker and back."""

    chunk: _Chunk
    worker: str
    at: float


@dataclass(slots=True)
class _Hand:
    """A worker in use: the keys of its chunks in their order, and how many jobs its next chunk gets.

    ``alone``: it has one chunk that nothing may be sent beside.
    """

    member: CrewMember
    keys: list[str] = field(default_factory=list)
    jobs: int = FIRST_JOBS
    alone: bool = False

    @property
    def room(self) -> int:
        """How many more chunks it may have."""
        return 0 if self.alone else CHUNKS_A_THREAD * self.member.threads - len(self.keys)

    @property
    def waiting(self) -> list[str]:
        """The keys of chunks that the worker cannot have begun."""
        return self.keys[self.member.threads :]


class Dispatcher:
    """The workers of a connection, for one piece of work after the other.

    ``dropped`` says by address why a worker is no longer used.
    """

    def __init__(
        self,
        connection: WorkerConnection,
        crew: Mapping[str, CrewMember],
        admission: Admission,
        patience: float = PATIENCE,
    ) -> None:
        self.dropped: dict[str, str] = {}
        self.engines = list(dict.fromkeys(member.engine for member in crew.values()))
        self._connection = connection
        self._admission = admission
        self._patience = patience
        self._hands = {address: _Hand(member) for address, member in crew.items()}
        self._newcomers: dict[str, str] = {}
        self._alone_since: float | None = None
        self._queue: deque[_Chunk] = deque()
        self._sent: dict[str, _Sent] = {}

    @property
    def threads(self) -> int:
        """The threads of all workers in use."""
        return sum(hand.member.threads for hand in self._hands.values())

    def results(
        self, kind: JobKind[_Job, _Done], jobs: Iterable[tuple[_About, _Job]]
    ) -> Generator[ProgramsRan[_About, _Done], None, None]:
        """The result of each job, or why it is set aside, in any order.

        Raises Unfinished if the scheduler or all workers are gone. Closing the generator cancels what is
        under way.
        """
        rest: Iterator[tuple[_About, _Job]] | None = iter(jobs)
        try:
            while True:
                rest, refused = self._fill(kind, rest)
                yield from refused
                if rest is None and not self._queue and not self._sent:
                    return
                self._need_workers()
                yield from self._happened(kind, self._connection.next_event(1.0))
        finally:
            for key in list(self._sent):
                self._take_back(key)
            self._queue.clear()

    def _fill(
        self, kind: JobKind[_Job, _Done], rest: Iterator[tuple[_About, _Job]] | None
    ) -> tuple[Iterator[tuple[_About, _Job]] | None, list[ProgramsRan[_About, _Done]]]:
        """Give chunks to every worker with room, those with the fewest first."""
        refused: list[ProgramsRan[_About, _Done]] = []
        while hands := [(len(hand.keys), each) for each, hand in self._hands.items() if hand.room > 0]:
            _, worker = min(hands)
            chunk = self._waiting_for(worker)
            if chunk is None and rest is not None:
                rest, jobs = self._drawn(kind, rest, self._hands[worker].jobs, refused)
                chunk = _Chunk(jobs) if jobs else None
            if chunk is None and not self._queue:
                chunk = self._of_another(worker)
            if chunk is not None:
                self._send(kind, chunk, worker)
            elif rest is None:
                break
        return rest, refused

    def _waiting_for(self, worker: str) -> _Chunk | None:
        """The first chunk in the queue that may go to a worker: only an idle one gets what was with a worker
        that ended.
        """
        idle = not self._hands[worker].keys
        chunk = next((chunk for chunk in self._queue if idle or not chunk.killed), None)
        if chunk is not None:
            self._queue.remove(chunk)
        return chunk

    def _drawn(
        self,
        kind: JobKind[_Job, _Done],
        rest: Iterator[tuple[_About, _Job]],
        number: int,
        refused: list[ProgramsRan[_About, _Done]],
    ) -> tuple[Iterator[tuple[_About, _Job]] | None, list[tuple[Any, Any, bytes]]]:
        jobs: list[tuple[Any, Any, bytes]] = []
        for about, job in rest:
            try:
                jobs.append((about, job, kind.write(job)))
            except ValueError as error:
                why = f"it cannot be sent to a worker ({one_line(str(error))})"
                refused.append(ProgramsRan(about, None, EngineVersion(""), why))
            if len(jobs) >= number:
                return rest, jobs
        return None, jobs

    def _of_another(self, worker: str) -> _Chunk | None:
        """When no jobs are left, for an idle worker: one that waits elsewhere, or a copy of a late one."""
        if self._hands[worker].keys:
            return None
        for hand in self._hands.values():
            if hand.waiting:
                chunk = self._sent[hand.waiting[-1]].chunk
                self._take_back(hand.waiting[-1])
                return chunk
        late = time.monotonic() - _SLOW * CHUNK_SECONDS
        slow = [sent for sent in self._sent.values() if sent.at < late and len(sent.chunk.keys) == 1]
        return min(slow, key=lambda sent: sent.at).chunk if slow else None

    def _send(self, kind: JobKind[_Job, _Done], chunk: _Chunk, worker: str) -> None:
        payload = written_chunk(kind.header, [line for _, _, line in chunk.jobs])
        key = self._connection.submit(worker, run_chunk, payload)
        self._sent[key] = _Sent(chunk, worker, time.monotonic())
        self._hands[worker].keys.append(key)
        self._hands[worker].alone = chunk.killed > 0
        chunk.keys.add(key)

    def _take_back(self, key: str) -> None:
        """Forget one sending of a chunk."""
        sent = self._sent.pop(key)
        sent.chunk.keys.discard(key)
        if hand := self._hands.get(sent.worker):
            hand.keys.remove(key)
            hand.alone = hand.alone and bool(hand.keys)
        self._connection.forget(key)

    def _happened(
        self, kind: JobKind[_Job, _Done], event: ClusterEvent | None
    ) -> Iterator[ProgramsRan[Any, _Done]]:
        if isinstance(event, WorkerJoined):
            if event.address not in self.dropped:
                self._ask(event.address)
        elif isinstance(event, WorkerLeft):
            yield from self._left(event.address)
        elif isinstance(event, ChunkReply) and event.key in self._newcomers:
            reply = event.payload if event.payload is not None else Unfinished(event.problem)
            self._admit(self._newcomers.pop(event.key), reply)
        elif isinstance(event, ChunkReply) and event.key in self._sent:
            yield from self._replied(kind, event)

    def _ask(self, address: str) -> None:
        """Ask a newcomer, if it has the package that holds the question; else the question would end it."""
        if self._connection.lacking([address], _SECONDS_TO_ANSWER):
            self._admit(address, ModuleNotFoundError("the package"))
        else:
            key = self._connection.submit(address, self._admission.question, *self._admission.arguments)
            self._newcomers[key] = address

    def _admit(self, address: str, reply: object) -> None:
        member = self._admission.answer(address, reply)
        if isinstance(member, CrewMember):
            self._hands[address] = _Hand(member)
            self.engines += [member.engine] if member.engine not in self.engines else []
        else:
            self.dropped[address] = member

    def _left(self, address: str) -> Iterator[ProgramsRan[Any, Any]]:
        """Give away what a worker had, for any of it may have been its end: a reply that was under way is
        lost too, so a chunk that seems to wait may have begun.
        """
        for key in [key for key, newcomer in self._newcomers.items() if newcomer == address]:
            del self._newcomers[key]
            self._connection.forget(key)
        hand = self._hands.get(address)
        if hand is None:
            return
        waiting = hand.waiting
        for key in list(hand.keys):
            chunk = self._sent[key].chunk
            self._take_back(key)
            chunk.killed += 1
            if key in waiting and chunk.killed < MOST_ATTEMPTS:
                self._queue_again(chunk)
            else:
                workers = agreeing(chunk.killed, "worker", "workers")
                yield from self._again(chunk, f"{chunk.killed} {workers} ended while running it")
        del self._hands[address]

    def _replied(self, kind: JobKind[_Job, _Done], event: ChunkReply) -> Iterator[ProgramsRan[Any, _Done]]:
        sent = self._sent[event.key]
        chunk, hand = sent.chunk, self._hands[sent.worker]
        try:
            if event.payload is None:
                raise NonsenseError(event.problem)
            reply = read_chunk_reply(event.payload, len(chunk.jobs))
            results = self._results(kind, chunk, reply, hand.member)
        except NonsenseError as error:
            yield from self._failed(sent, f"its reply cannot be used: {error}")
            return
        for key in list(chunk.keys):
            self._take_back(key)
        if reply.header.problem:
            chunk.failed += 1
            yield from self._again(chunk, f"worker {sent.worker}: {reply.header.problem}")
            return
        hand.jobs = next_jobs(reply.header.seconds, len(chunk.jobs))
        for (about, job, line), result in zip(chunk.jobs, results, strict=True):
            if isinstance(result, str):
                again = _Chunk([(about, job, line)], chunk.killed, chunk.failed + 1)
                yield from self._again(again, f"worker {sent.worker}: {result}")
            else:
                yield ProgramsRan(about, result, reply.header.engine)

    def _results(
        self, kind: JobKind[_Job, _Done], chunk: _Chunk, reply: ReadReply, member: CrewMember
    ) -> list[_Done | str]:
        """The result of each job, or in words why the worker has none."""
        header = reply.header
        if header.problem and not header.divide:
            raise NonsenseError(header.problem)
        if kind.runs_programs and not header.problem and header.engine != member.engine:
            raise NonsenseError("it names another SWI-Prolog than before")
        return [kind.read(job, line) for (_, job, _), line in zip(chunk.jobs, reply.results, strict=False)]

    def _failed(self, sent: _Sent, why: str) -> Iterator[ProgramsRan[Any, Any]]:
        """Use a worker no more; its jobs go elsewhere."""
        self.dropped[sent.worker] = why
        for key in list(self._hands[sent.worker].keys):
            chunk = self._sent[key].chunk
            self._take_back(key)
            if chunk is not sent.chunk:
                self._queue_again(chunk)
        del self._hands[sent.worker]
        sent.chunk.failed += 1
        yield from self._again(sent.chunk, f"worker {sent.worker}: {why}", divide=False)

    def _again(self, chunk: _Chunk, why: str, *, divide: bool = True) -> Iterator[ProgramsRan[Any, Any]]:
        """Ask for a chunk again, job by job, or set its jobs aside after too many attempts."""
        if chunk.keys:  # another worker has a copy
            return
        if max(chunk.killed, chunk.failed) >= MOST_ATTEMPTS:
            for about, _, _ in chunk.jobs:
                yield ProgramsRan(about, None, EngineVersion(""), why)
        else:
            self._queue.extendleft(chunk.divided() if divide else [chunk])

    def _queue_again(self, chunk: _Chunk) -> None:
        if not chunk.keys:
            self._queue.appendleft(chunk)

    def _need_workers(self) -> None:
        """Return if there are workers, or may be soon; raises Unfinished."""
        now = time.monotonic()
        if self._hands or self._newcomers:
            self._alone_since = None
            return
        self._alone_since = self._alone_since or now
        if now - self._alone_since >= self._patience:
            reasons = [f"worker {address}: {why}" for address, why in self.dropped.items()]
            why = f" ({one_line('; '.join(reasons), 400)})" if reasons else ""
            raise Unfinished(f"cluster {self._connection.address}: no worker is left{why}. {CARRY_ON}")
