"""Chunks go to workers that leave, join, lag behind or send nonsense, and every job has one result."""

import json
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from reviewer.cluster.chunks import (
    MOST_BYTES,
    ChunkHeader,
    NonsenseError,
    ReplyHeader,
    read_chunk,
    read_chunk_reply,
    written_reply,
)
from reviewer.cluster.dask_cluster import ChunkReply, ClusterEvent, WorkerJoined, WorkerLeft
from reviewer.cluster.dispatch import Admission, CrewMember, Dispatcher
from reviewer.cluster.job_kinds import JobKind
from reviewer.core.errors import Unfinished
from reviewer.oracle.program_runner import EngineVersion, ProgramsRan

ENGINE = EngineVersion("9.2.9")
MEMBER = CrewMember(1, ENGINE)
DEADLY = 13


class Doubling(JobKind[int, int]):
    """Numbers that are doubled."""

    def __init__(self) -> None:
        super().__init__(ChunkHeader(kind="run"))

    def write(self, job: int) -> bytes:
        return json.dumps(job).encode()

    def do(self, job: bytes) -> bytes:
        return json.dumps(2 * json.loads(job)).encode()

    def checked(self, job: int, result: bytes) -> int:
        found = json.loads(result)
        if found != 2 * job:
            raise ValueError(f"{found} is not twice {job}")
        return int(found)


@dataclass
class ScriptedWorkers:
    """Workers that answer at once, each in its way; ``most`` is how many chunks were ever under way."""

    address = "tcp://127.0.0.1:1"
    answers: dict[str, Callable[[bytes], bytes | None]]
    events: deque[ClusterEvent] = field(default_factory=deque)
    under_way: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    most: int = 0

    def submit(self, worker: str, function: Callable[..., bytes], *arguments: str | bytes | None) -> str:
        key = f"{worker} {self.asked.total()}"
        self.asked[worker] += 1
        payload = arguments[0]
        if not isinstance(payload, bytes):
            self.events.append(ChunkReply(key, b"may work"))
            return key
        self.under_way[key] = worker, payload
        self.most = max(self.most, len(self.under_way))
        return key

    def next_event(self, seconds: float) -> ClusterEvent | None:
        if self.events:
            return self.events.popleft()
        if not self.under_way:
            return None
        key, (worker, payload) = next(iter(self.under_way.items()))
        reply = self.answers[worker](payload)
        if reply is None:
            return WorkerLeft(worker)
        del self.under_way[key]
        return ChunkReply(key, reply)

    def forget(self, key: str) -> None:
        self.under_way.pop(key, None)

    def lacking(self, workers: Sequence[str], seconds: float) -> list[str]:
        return []


def good(payload: bytes) -> bytes:
    header = ReplyHeader(version=ENGINE.version, seconds=0.1)
    return written_reply(header, [Doubling().do(job) for job in read_chunk(payload)[1]])


def deadly(payload: bytes) -> bytes | None:
    """Ends with the one deadly job, and comes back under its old name."""
    return None if str(DEADLY).encode() in read_chunk(payload)[1] else good(payload)


def wrong(payload: bytes) -> bytes:
    header = ReplyHeader(version=ENGINE.version)
    return written_reply(header, [b"3" for _ in read_chunk(payload)[1]])


def dispatcher(workers: ScriptedWorkers, *known: str, patience: float = 0.0) -> Dispatcher:
    admission = Admission(good, ("model",), lambda _address, _reply: MEMBER)
    return Dispatcher(workers, dict.fromkeys(known, MEMBER), admission, patience)


def doubled(work: Dispatcher, number: int = 200) -> dict[int, ProgramsRan[int, int]]:
    """What came of each job; none comes twice."""
    ran = list(work.results(Doubling(), ((job, job) for job in range(number))))
    by_job = {each.about: each for each in ran}
    assert len(by_job) == len(ran) == number
    return by_job


def all_right(by_job: dict[int, ProgramsRan[int, int]]) -> bool:
    return all(ran.result == 2 * job and ran.engine == ENGINE for job, ran in by_job.items())


def test_every_job_has_one_result_and_few_are_under_way() -> None:
    workers = ScriptedWorkers({"a": good, "b": good})
    drawn: list[int] = []

    def jobs() -> Iterator[tuple[int, int]]:
        for job in range(5000):
            drawn.append(job)
            yield job, job

    for done, ran in enumerate(dispatcher(workers, "a", "b").results(Doubling(), jobs())):
        assert ran.result == 2 * ran.about
        assert len(drawn) - done <= 4 * 200 + 200  # four chunks at the most, and the one that is written
    assert workers.most == 4
    assert set(workers.asked) == {"a", "b"}


def test_a_worker_that_sends_nonsense_is_named_and_used_no_more() -> None:
    workers = ScriptedWorkers({"a": good, "b": wrong})
    work = dispatcher(workers, "a", "b")
    assert all_right(doubled(work))
    assert list(work.dropped) == ["b"]
    assert "3 is not twice" in work.dropped["b"]
    assert workers.asked["b"] <= 2


def test_a_chunk_that_is_answered_with_nonsense_three_times_is_set_aside() -> None:
    workers = ScriptedWorkers(dict.fromkeys("abc", wrong) | {"d": good})
    work = dispatcher(workers, *"abc")
    ran = work.results(Doubling(), ((job, job) for job in range(4)))
    assert all(each.result is None and "cannot be used" in each.not_tested for each in ran)
    assert sorted(work.dropped) == ["a", "b", "c"]


def test_a_job_that_ends_every_worker_is_set_aside_after_three_and_the_rest_goes_on() -> None:
    workers = ScriptedWorkers(dict.fromkeys("abcdef", deadly))
    by_job = doubled(dispatcher(workers, *"abcdef"))
    left_out = by_job.pop(DEADLY)
    assert all_right(by_job)
    assert left_out.result is None
    assert left_out.not_tested == "3 workers ended while running it"


@dataclass
class LosingReplies(ScriptedWorkers):
    """A worker ends with the deadly job before its reply to the chunk before that one has arrived."""

    ended: list[str] = field(default_factory=list)

    def next_event(self, seconds: float) -> ClusterEvent | None:
        if not self.events:
            for worker, payload in self.under_way.values():
                if deadly(payload) is None:
                    self.ended.append(worker)
                    return WorkerLeft(worker)
        return super().next_event(seconds)


def test_a_deadly_job_that_seems_to_wait_ends_three_workers_too_and_nothing_else_is_set_aside() -> None:
    workers = LosingReplies(dict.fromkeys("abcdef", good))
    by_job = doubled(dispatcher(workers, *"abcdef"))
    assert by_job.pop(DEADLY).not_tested == "3 workers ended while running it"
    assert all_right(by_job)
    assert len(workers.ended) == 3


def test_a_worker_that_joins_is_asked_and_gets_work_when_all_others_left() -> None:
    workers = ScriptedWorkers({"a": lambda _: None, "b": good})
    workers.events.append(WorkerJoined("b"))
    assert all_right(doubled(dispatcher(workers, "a", patience=60)))
    assert workers.asked["b"] > 1


def test_without_workers_the_work_ends_and_can_be_carried_on() -> None:
    work = dispatcher(ScriptedWorkers({"a": lambda _: None}), "a")
    with pytest.raises(Unfinished, match=r"no worker is left.*run the same command again"):
        doubled(work)


def test_what_is_under_way_is_cancelled_when_the_work_stops() -> None:
    workers = ScriptedWorkers({"a": good})
    results = dispatcher(workers, "a").results(Doubling(), ((job, job) for job in range(200)))
    next(results)
    assert workers.under_way
    results.close()
    assert not workers.under_way


def test_a_reply_for_which_there_is_no_memory_comes_in_parts() -> None:
    def small(payload: bytes) -> bytes:
        few = len(read_chunk(payload)[1]) == 1
        return good(payload) if few else written_reply(ReplyHeader(problem="too much", divide=True))

    work = dispatcher(ScriptedWorkers({"a": small}), "a")
    assert all_right(doubled(work, 10))
    assert work.dropped == {}


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"not compressed",
        zlib.compress(b"[1]\n2"),
        zlib.compress(b'{"seconds":NaN}\n2'),
        zlib.compress(b'{"seconds":-1}\n2'),
        zlib.compress(b'{"version":5}\n2'),
        zlib.compress(b'{"unknown":5}\n2'),
        zlib.compress(b"{}\n2\n3"),
        zlib.compress(b"{}"),
        zlib.compress(b"[" * 100_000),
        zlib.compress(b"{}\n2")[:-3],
        zlib.compress(b"0" * (MOST_BYTES + 1)),
    ],
    ids=range(12),
)
def test_a_reply_of_another_form_is_nonsense(payload: bytes) -> None:
    with pytest.raises(NonsenseError):
        read_chunk_reply(payload, 1)
