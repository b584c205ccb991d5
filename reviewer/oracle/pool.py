"""Running programs: ``run`` for one, ``run_case`` for those of one case, both fit for any ``Executor``.

Every process that calls them gets its own workers: one for each thread that asks at the same time, started on
first use. Programs of one case share a child. If one of them is refused, dies, or is not harmless to the
others, each is run again in a child of its own, so that no program can change the result of another.
"""

import atexit
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from reviewer.oracle.calibration import GOALS, Calibration, calibrate
from reviewer.oracle.decode import GarbledError, RawCounts, Reply, decode
from reviewer.oracle.jail import FULL, Jail
from reviewer.oracle.oracle_errors import OracleBroken, OracleStopped
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import NEVER_RUN, Result, Status
from reviewer.oracle.workers import Ending, Worker, WorkerGone


@dataclass(frozen=True, slots=True)
class CalibratedWorker:
    """A worker with the corrections for the counts of its version."""

    worker: Worker
    calibration: Calibration


_DOES_NOT_START = (
    "SWI-Prolog is installed but its worker does not start; check LIBSWIPL_PATH and SWI_HOME_DIR if they are "
    "set, or reinstall it."
)


class WorkerPool:
    """The workers of this process under one jail; free ones wait in a list."""

    def __init__(self, jail: Jail) -> None:
        self._jail = jail
        self._lock = threading.Lock()
        self._free: list[CalibratedWorker] = []
        self._busy: list[CalibratedWorker] = []
        self._stopped = False
        self.owner = os.getpid()

    @contextmanager
    def lend(self) -> Iterator[CalibratedWorker]:
        """A worker for one job. A worker that fails is ended and not used again."""
        lent = self._taken()
        try:
            yield lent
        except BaseException:
            lent.worker.close()
            raise
        else:
            with self._lock:
                self._free.append(lent)
        finally:
            with self._lock:
                self._busy.remove(lent)

    def _taken(self) -> CalibratedWorker:
        with self._lock:
            free = self._free.pop() if self._free and not self._stopped else None
        lent = free or self._open()
        with self._lock:
            if not self._stopped:
                self._busy.append(lent)
                return lent
        lent.worker.close()
        raise OracleStopped

    def stop(self) -> None:
        """End the workers in use, in the middle of their jobs, and lend no more."""
        with self._lock:
            self._stopped = True
            for lent in self._busy:
                lent.worker.kill()

    def close(self) -> None:
        """End the workers that are not in use."""
        with self._lock:
            workers, self._free = self._free, []
        for lent in workers:
            lent.worker.close()

    def _open(self) -> CalibratedWorker:
        """Start a worker. Raises OracleBroken, not WorkerGone: a failure here says nothing of a program."""
        try:
            worker = Worker(self._jail)
        except WorkerGone as gone:
            raise OracleBroken(_DOES_NOT_START) from gone
        try:
            return CalibratedWorker(worker, calibrate(_raw_counts(worker)))
        except WorkerGone as gone:
            worker.close()
            raise OracleBroken(_DOES_NOT_START) from gone
        except BaseException:
            worker.close()
            raise


def _raw_counts(worker: Worker) -> list[RawCounts | None]:
    programs = [goal.program for goal in GOALS]
    replies = worker.ask(programs).replies
    raw = [decode(reply, program, "").raw for reply, program in zip(replies, programs, strict=False)]
    return [*raw, *[None] * (len(programs) - len(raw))]


SHAREABLE = {
    Status.OK,
    Status.NO_SOLUTION,
    Status.NOT_GROUND,
    Status.ERROR,
    Status.LOAD_ERROR,
    Status.INFERENCES,
}
REPEATED = {Status.TIME, Status.KILLED, Status.GARBLED}
RUN_VERSION = 2
"""Raise this when the same program may give another result: checked cases are then checked again."""
_REASONS_SHOWN = 3
NOT_TESTED = Result(
    Status.TIME, "", stopped_by=f"{NEVER_RUN}the time for all variants of the case was used up"
)
"""The result of a program that was not run because others used up the time."""
TOO_MANY = Result(Status.TIME, "", stopped_by=f"{NEVER_RUN}the program has too many clauses")
"""The result of a variant that was not made."""
Job = TypeVar("Job")
Done = TypeVar("Done")


_worker_pools: dict[Jail, WorkerPool] = {}
_worker_pools_lock = threading.Lock()


@dataclass(slots=True)
class _TimeLeft:
    """The time that is left for programs that run one after the other.

    ``cpu`` are seconds of the processor, which do not depend on how busy the machine is; ``until`` is the
    latest end by the clock.
    """

    cpu: float = float("inf")
    until: float = float("inf")

    def take(self, cpu: float) -> None:
        """Take off seconds of the processor that were used."""
        self.cpu -= cpu

    def is_over(self) -> bool:
        """True if no further program may run."""
        return self.cpu <= 0 or time.monotonic() >= self.until

    def limit(self, program: Program, granted: int = 0) -> Program:
        """The program with limits that fit into the time left; its job adds ``granted`` seconds."""
        limits = program.limits
        clock = min(limits.seconds, max(0.0, self.until - time.monotonic()) - granted)
        cpu = int(min(limits.cpu_seconds, max(1.0, self.cpu)))
        if (clock, cpu) == (limits.seconds, limits.cpu_seconds):
            return program
        return replace(program, limits=replace(limits, seconds=clock, cpu_seconds=cpu))


def run(program: Program, jail: Jail = FULL) -> Result:
    """Run one program in a child of its own. Raises OracleMissing if SWI-Prolog is not installed."""
    return _run(program, jail, _TimeLeft())


def run_case(programs: Sequence[Program], jail: Jail = FULL) -> tuple[Result, ...]:
    """Run the programs of one case in one child; each again alone if one of them was not harmless.

    The limits of the first hold for the child. Raises OracleMissing if SWI-Prolog is not installed.
    """
    return _run_all(programs, jail, _TimeLeft())


def run_within(cpu_seconds: float, programs: Sequence[Program]) -> tuple[Result, ...]:
    """As ``run_case``, but all programs together have these seconds of the processor, and four times as many
    by the clock. The results of programs that were not run by then say so.
    """
    return _run_all(programs, FULL, _TimeLeft(cpu_seconds, time.monotonic() + 4 * cpu_seconds))


def in_order(
    work: Callable[[Job], Done], jobs: Iterable[Job], executor: Executor, ahead: int = 8
) -> Generator[Done, None, None]:
    """The results of jobs in order, at most ``ahead`` under way; closing the generator cancels the rest."""
    waiting: deque[Future[Done]] = deque()
    try:
        for job in jobs:
            waiting.append(executor.submit(work, job))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


class OracleThreads(ThreadPoolExecutor):
    """Threads that each use one worker process. Ctrl+C ends the workers instead of waiting for them."""

    def __exit__(self, kind: type[BaseException] | None, *about: Any) -> None:
        """Wait for submitted jobs, unless Ctrl+C interrupted them."""
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            super().__exit__(kind, *about)
            return
        self.shutdown(wait=False, cancel_futures=True)
        with _stopped():
            self.shutdown()


def open_executor(workers: int | None = None) -> OracleThreads:
    """Threads with one worker each; by default one for each core."""
    return OracleThreads(workers or os.cpu_count() or 1, thread_name_prefix="oracle")


@contextmanager
def _stopped() -> Iterator[None]:
    """Stop the programs that run in this process; none can start within the block."""
    with _worker_pools_lock:
        ended = dict(_worker_pools)
    for worker_pool in ended.values():
        worker_pool.stop()
    yield
    close()
    with _worker_pools_lock:
        for jail in ended:
            del _worker_pools[jail]


def calibration() -> tuple[str, Calibration]:
    """SWI-Prolog's version and its corrections of counts. Raises OracleMissing."""
    with _of(FULL).lend() as lent:
        return lent.worker.version, lent.calibration


def close() -> None:
    """End every worker of this process that is not in use; the next run starts new ones."""
    with _worker_pools_lock:
        all_pools = list(_worker_pools.values())
    for worker_pool in all_pools:
        if worker_pool.owner == os.getpid():
            worker_pool.close()


atexit.register(close)


def _of(jail: Jail) -> WorkerPool:
    with _worker_pools_lock:
        worker_pool = _worker_pools.get(jail)
        # After a fork the workers belong to the other process.
        if worker_pool is None or worker_pool.owner != os.getpid():
            worker_pool = _worker_pools[jail] = WorkerPool(jail)
        return worker_pool


def _run_all(programs: Sequence[Program], jail: Jail, time_left: _TimeLeft) -> tuple[Result, ...]:
    if len(programs) > 1 and not any(map(_too_long, programs)):
        shared = _run_shared(programs, jail, time_left)
        if shared is not None:
            return shared
    return tuple(_run(program, jail, time_left) for program in programs)


def _run(program: Program, jail: Jail, time_left: _TimeLeft) -> Result:
    if time_left.is_over():
        return NOT_TESTED
    result = _run_once(time_left.limit(program), jail)
    time_left.take(result.cpu_seconds)
    if result.status in REPEATED and not time_left.is_over():
        result = _run_once(time_left.limit(program), jail)
        time_left.take(result.cpu_seconds)
    return result


def _run_shared(programs: Sequence[Program], jail: Jail, time_left: _TimeLeft) -> tuple[Result, ...] | None:
    first = time_left.limit(programs[0], len(programs) - 1)
    try:
        with _of(jail).lend() as lent:
            ending = lent.worker.ask([first, *programs[1:]])
            time_left.take(ending.cpu)
            replies = [
                decode(payload, program, lent.worker.version)
                for payload, program in zip(ending.replies, programs, strict=False)
            ]
    except (WorkerGone, GarbledError):
        return None
    harmless = all(not reply.alone and reply.result.status in SHAREABLE for reply in replies)
    if not ending.clean or len(ending.replies) != len(programs) or not harmless:
        return None
    return tuple(_finished(reply, lent) for reply in replies)


def _run_once(program: Program, jail: Jail) -> Result:
    if _too_long(program):
        most = program.limits.source_chars
        return Result(Status.REFUSED, "", stopped_by=f"gate: the text has more than {most} characters")
    try:
        with _of(jail).lend() as lent:
            return _one(lent, program)
    except WorkerGone as gone:
        return Result(Status.KILLED, "", stopped_by=str(gone))


def _one(lent: CalibratedWorker, program: Program) -> Result:
    ending = lent.worker.ask([program])
    engine = lent.worker.version
    if not ending.clean or not ending.replies:
        status, words = _verdict(ending)
        return Result(status, engine, cpu_seconds=ending.cpu, stopped_by=words)
    try:
        if len(ending.replies) > 1:
            raise GarbledError("there are several")
        return _finished(decode(ending.replies[0], program, engine), lent)
    except GarbledError as garbled:
        return Result(
            Status.GARBLED, engine, cpu_seconds=ending.cpu, stopped_by=f"its reply is garbled: {garbled}"
        )


def _finished(reply: Reply, lent: CalibratedWorker) -> Result:
    counts = None if reply.raw is None else lent.calibration.counts(reply.raw)
    return replace(reply.result, counts=counts, stopped_by=_stopped_by(reply.result))


def _stopped_by(result: Result) -> str | None:
    if result.status is Status.REFUSED:
        return f"gate: {_reasons(result)}"
    if result.status is Status.STOPPED:
        return _reasons(result)
    if result.status is Status.INFERENCES:
        return "inference limit"
    if result.status is Status.MEMORY:
        return f"memory: {result.error}"
    if result.status is Status.OUTPUT:
        return "the choice is too large to show"
    return None


def _reasons(result: Result) -> str:
    """Why the gate stopped it: the first reasons, each once."""
    reasons = list(dict.fromkeys(finding.why for finding in result.findings if finding.stop))
    more = f"; and {len(reasons) - _REASONS_SHOWN} more" if len(reasons) > _REASONS_SHOWN else ""
    return "; ".join(reasons[:_REASONS_SHOWN]) + more


def _verdict(ending: Ending) -> tuple[Status, str]:
    if ending.why == "output":
        return Status.OUTPUT, "reply limit"
    if ending.why is not None:
        return Status.TIME, "deadline"
    if ending.signal == signal.SIGXCPU:
        return Status.TIME, "CPU limit"
    if ending.signal:
        return Status.KILLED, f"the process died of {signal.Signals(ending.signal).name}"
    return Status.KILLED, f"the process ended by itself, with code {ending.code}"


def _too_long(program: Program) -> bool:
    return len(program.facts) + len(program.axioms) > program.limits.source_chars
