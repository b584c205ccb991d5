"""Work on a cluster, simulated chunk by chunk: how long it takes, and who is busy meanwhile.

Each worker has its own core, one thread and the same speed, all the time. The time of a job varies as a gamma
distribution. One client writes chunks, reads results and keeps them, one after the other; one scheduler
passes each chunk on; bytes travel over one line between the client and all workers. Nothing fails, and work
that has begun is not given to a second worker. Chunks have the sizes that the dispatcher gives them.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from reviewer.planning.chunk_sizes import CHUNKS_A_THREAD, FIRST_JOBS, MOST_JOBS, next_jobs


@dataclass(frozen=True, slots=True)
class JobCost:
    """Seconds of a job for its worker, the client and the scheduler, and the bytes that travel for it.

    ``variation`` is the standard deviation of the worker's seconds over their mean.
    """

    worker: float
    client: float
    scheduler: float
    bytes_sent: float
    variation: float


@dataclass(frozen=True, slots=True)
class SimulatedWork:
    """Seconds from first chunk to last result, and the share of them that the workers and the client work."""

    seconds: float
    workers_busy: float
    client_busy: float


@dataclass(slots=True)
class _Line:
    """What does one thing after the other: when it is free, and how long it worked."""

    free: float = 0.0
    busy: float = 0.0

    def take(self, ready: float, seconds: float) -> float:
        """When something is done that is ready at a time and takes some seconds."""
        self.free = max(self.free, ready) + seconds
        self.busy += seconds
        return self.free


def simulated_work(
    jobs: int,
    workers: int,
    cost: JobCost,
    bytes_a_second: float,
    seed: int = 0,
    speeds: Sequence[float] = (),
    most_jobs: int = MOST_JOBS,
) -> SimulatedWork:
    """``jobs`` jobs on so many workers; ``speeds`` are those of single workers (1: as the cost says)."""
    rates = [*speeds[:workers], *(1.0 for _ in range(workers - len(speeds)))]
    simulation = _Simulation(jobs, rates, cost, bytes_a_second, random.Random(seed), most_jobs)  # noqa: S311
    return simulation.run()


class _Simulation:
    """The lines, and the chunks under way as (result at the client, worker, jobs, seconds of the worker)."""

    def __init__(
        self,
        jobs: int,
        speeds: Sequence[float],
        cost: JobCost,
        bytes_a_second: float,
        chance: random.Random,
        most_jobs: int,
    ) -> None:
        self._left = jobs
        self._cost = cost
        self._bytes_a_second = bytes_a_second
        self._chance = chance
        self._most = most_jobs
        self._speeds = speeds
        self._client, self._scheduler, self._network = _Line(), _Line(), _Line()
        self._workers = [_Line() for _ in speeds]
        self._chunks: list[tuple[float, int, int, float]] = []

    def run(self) -> SimulatedWork:
        """Give each worker its first chunks, then one for each that comes back."""
        for _ in range(CHUNKS_A_THREAD):
            for worker in range(len(self._workers)):
                self._send(0.0, worker, FIRST_JOBS)
        heapify(self._chunks)
        while self._chunks:
            arrived, worker, jobs, seconds = heappop(self._chunks)
            read = self._client.take(arrived, jobs * self._cost.client / 2)
            self._send(read, worker, next_jobs(seconds, jobs))
        end = max(self._client.free, 1e-9)
        busy = sum(worker.busy for worker in self._workers)
        return SimulatedWork(end, busy / (end * max(1, len(self._workers))), self._client.busy / end)

    def _send(self, ready: float, worker: int, wanted: int) -> None:
        jobs = min(wanted, self._left, self._most)
        if not jobs:
            return
        self._left -= jobs
        cost, travel = self._cost, jobs * self._cost.bytes_sent / self._bytes_a_second / 2
        written = self._client.take(ready, jobs * cost.client / 2)
        there = self._network.take(self._scheduler.take(written, jobs * cost.scheduler), travel)
        shape = jobs / max(cost.variation, 1e-3) ** 2
        seconds = jobs * cost.worker * self._chance.gammavariate(shape, 1 / shape) / self._speeds[worker]
        done = self._workers[worker].take(there, seconds)
        heappush(self._chunks, (done + travel, worker, jobs, seconds))
