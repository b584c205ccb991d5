"""The workers of this process: opened on first use, calibrated, lent for one job at a time."""

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
class Station:
    """A worker with what its version adds to counts."""

    worker: Worker
    calibration: Calibration


_DOES_NOT_START = (
    "SWI-Prolog is installed but its worker does not start; check LIBSWIPL_PATH and SWI_HOME_DIR if they are "
    "set, or reinstall it."
)


class Stations:
    """The workers of this process under one jail; those not in use wait in a list."""

    def __init__(self, jail: Jail) -> None:
        self._jail = jail
        self._lock = threading.Lock()
        self._free: list[Station] = []
        self._busy: list[Station] = []
        self._stopped = False
        self.owner = os.getpid()

    @contextmanager
    def station(self) -> Iterator[Station]:
        """A worker for one job at a time. One that fails is ended, not used again."""
        station = self._taken()
        try:
            yield station
        except BaseException:
            station.worker.close()
            raise
        else:
            with self._lock:
                self._free.append(station)
        finally:
            with self._lock:
                self._busy.remove(station)

    def _taken(self) -> Station:
        with self._lock:
            found = self._free.pop() if self._free and not self._stopped else None
        station = found or self._open()
        with self._lock:
            if not self._stopped:
                self._busy.append(station)
                return station
        station.worker.close()
        raise OracleStopped

    def stop(self) -> None:
        """End the workers that are in use in the middle of their jobs, and lend no more."""
        with self._lock:
            self._stopped = True
            for station in self._busy:
                station.worker.kill()

    def close(self) -> None:
        """End the workers that are not in use."""
        with self._lock:
            stations, self._free = self._free, []
        for station in stations:
            station.worker.close()

    def _open(self) -> Station:
        """A worker that cannot start says nothing about any program, so it is no WorkerGone."""
        try:
            worker = Worker(self._jail)
        except WorkerGone as gone:
            raise OracleBroken(_DOES_NOT_START) from gone
        try:
            return Station(worker, calibrate(_raw_counts(worker)))
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
