"""The workers of this process: started on first use, calibrated, lent for one job at a time."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from reviewer.oracle.calibration import GOALS, Calibration, calibrate
from reviewer.oracle.decode import RawCounts, decode
from reviewer.oracle.errors import OracleBroken, OracleStopped
from reviewer.oracle.jail import Jail
from reviewer.oracle.workers import Worker, WorkerGone


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
