"""Running programs: ``run`` for one, ``run_case`` for those of one case, both fit for any ``Executor``.

Every process that calls them gets its own workers, as many as it has threads that ask at once, started on
first use. Programs of one case share a child; when one of them is refused, dies, or is met by an accident,
each is run again in a child of its own, so that none can have changed what is said of another.
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
from dataclasses import replace
from typing import Any, TypeVar

from reviewer.oracle.calibration import Calibration
from reviewer.oracle.decode import GarbledError, Reply, decode
from reviewer.oracle.endings import NEVER_RUN
from reviewer.oracle.jail import FULL, Jail
from reviewer.oracle.program import Program
from reviewer.oracle.result import Result, Status
from reviewer.oracle.stations import Station, Stations
from reviewer.oracle.time_left import TimeLeft
from reviewer.oracle.workers import Ending, WorkerGone

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
"""Raised when the same program may come out otherwise, so that cases that were checked are checked again."""
_REASONS_SHOWN = 3
NOT_TESTED = Result(
    Status.TIME, "", stopped_by=f"{NEVER_RUN}the time for all variants of the case was used up"
)
"""The result of a program that was not run, because others had used up the time for all."""
TOO_MANY = Result(Status.TIME, "", stopped_by=f"{NEVER_RUN}the program has too many clauses")
"""The result of a variant that was not even made."""
Job = TypeVar("Job")
Outcome = TypeVar("Outcome")


_stations: dict[Jail, Stations] = {}
_stations_lock = threading.Lock()


def run(program: Program, jail: Jail = FULL) -> Result:
    """One program in a child of its own. Raises OracleMissing where SWI-Prolog is not installed."""
    return _run(program, jail, TimeLeft())


def run_case(programs: Sequence[Program], jail: Jail = FULL) -> tuple[Result, ...]:
    """The programs of one case in one child, each again alone when one of them was not harmless.

    The limits of the first hold for the child. Raises OracleMissing where SWI-Prolog is not installed.
    """
    return _run_all(programs, jail, TimeLeft())


def run_within(cpu_seconds: float, programs: Sequence[Program], jail: Jail = FULL) -> tuple[Result, ...]:
    """As ``run_case``, but all of them together use no more of the processor, and four times that by the
    clock; what was not run by then says so.
    """
    return _run_all(programs, jail, TimeLeft(cpu_seconds, time.monotonic() + 4 * cpu_seconds))


def run_cases(
    cases: Iterable[Sequence[Program]], executor: Executor, ahead: int = 8
) -> Iterator[tuple[Result, ...]]:
    """The cases' results in order, at most ``ahead`` of them under way or waiting to be fetched."""
    return in_order(run_case, (tuple(case) for case in cases), executor, ahead)


def in_order(
    work: Callable[[Job], Outcome], jobs: Iterable[Job], executor: Executor, ahead: int = 8
) -> Generator[Outcome, None, None]:
    """The jobs' outcomes in order, at most ``ahead`` under way; who stops fetching cancels what waits."""
    waiting: deque[Future[Outcome]] = deque()
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
    """Threads that each drive one worker process. Ctrl+C waits for none of them: their workers are ended."""

    def __exit__(self, kind: type[BaseException] | None, *about: Any) -> None:
        """Wait for what was submitted, unless that was interrupted."""
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            super().__exit__(kind, *about)
            return
        self.shutdown(wait=False, cancel_futures=True)
        with _stopped():
            self.shutdown()


def open_executor(workers: int | None = None) -> OracleThreads:
    """One thread and worker per core unless said otherwise."""
    return OracleThreads(workers or os.cpu_count() or 1, thread_name_prefix="oracle")


@contextmanager
def _stopped() -> Iterator[None]:
    """Within the block no program is run in this process, and those under way end."""
    with _stations_lock:
        ended = dict(_stations)
    for stations in ended.values():
        stations.stop()
    yield
    close()
    with _stations_lock:
        for jail in ended:
            del _stations[jail]


def calibration(jail: Jail = FULL) -> tuple[str, Calibration]:
    """SWI-Prolog's version and what it adds to counts. Raises OracleMissing."""
    with _of(jail).station() as station:
        return station.worker.version, station.calibration


def close() -> None:
    """End every worker of this process that is not in use; the next run starts new ones."""
    with _stations_lock:
        all_stations = list(_stations.values())
    for stations in all_stations:
        if stations.owner == os.getpid():
            stations.close()


atexit.register(close)


def _of(jail: Jail) -> Stations:
    with _stations_lock:
        stations = _stations.get(jail)
        # After a fork the workers belong to the other process.
        if stations is None or stations.owner != os.getpid():
            stations = _stations[jail] = Stations(jail)
        return stations


def _run_all(programs: Sequence[Program], jail: Jail, time_left: TimeLeft) -> tuple[Result, ...]:
    if len(programs) > 1 and not any(map(_too_long, programs)):
        shared = _run_shared(programs, jail, time_left)
        if shared is not None:
            return shared
    return tuple(_run(program, jail, time_left) for program in programs)


def _run(program: Program, jail: Jail, time_left: TimeLeft) -> Result:
    if time_left.is_over():
        return NOT_TESTED
    result = _run_once(time_left.limit(program), jail)
    time_left.take(result.cpu_seconds)
    if result.status in REPEATED and not time_left.is_over():
        result = _run_once(time_left.limit(program), jail)
        time_left.take(result.cpu_seconds)
    return result


def _run_shared(programs: Sequence[Program], jail: Jail, time_left: TimeLeft) -> tuple[Result, ...] | None:
    first = time_left.limit(programs[0], len(programs) - 1)
    try:
        with _of(jail).station() as station:
            ending = station.worker.ask([first, *programs[1:]])
            time_left.take(ending.cpu)
            replies = [
                decode(payload, program, station.worker.version)
                for payload, program in zip(ending.replies, programs, strict=False)
            ]
    except (WorkerGone, GarbledError):
        return None
    harmless = all(not reply.alone and reply.result.status in SHAREABLE for reply in replies)
    if not ending.clean or len(ending.replies) != len(programs) or not harmless:
        return None
    return tuple(_finished(reply, station) for reply in replies)


def _run_once(program: Program, jail: Jail) -> Result:
    if _too_long(program):
        most = program.limits.source_chars
        return Result(Status.REFUSED, "", stopped_by=f"gate: the text has more than {most} characters")
    try:
        with _of(jail).station() as station:
            return _one(station, program)
    except WorkerGone as gone:
        return Result(Status.KILLED, "", stopped_by=str(gone))


def _one(station: Station, program: Program) -> Result:
    ending = station.worker.ask([program])
    engine = station.worker.version
    if not ending.clean or not ending.replies:
        status, words = _verdict(ending)
        return Result(status, engine, cpu_seconds=ending.cpu, stopped_by=words)
    try:
        if len(ending.replies) > 1:
            raise GarbledError("there are several")
        return _finished(decode(ending.replies[0], program, engine), station)
    except GarbledError as garbled:
        return Result(
            Status.GARBLED, engine, cpu_seconds=ending.cpu, stopped_by=f"its reply is garbled: {garbled}"
        )


def _finished(reply: Reply, station: Station) -> Result:
    counts = None if reply.raw is None else station.calibration.counts(reply.raw)
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
    """Why the gate stopped it, each reason once; the first ones where there are many."""
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
