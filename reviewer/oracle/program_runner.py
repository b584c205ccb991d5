"""Who runs programs: the worker processes of this machine, or whatever else offers the same."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from reviewer.oracle import pool
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.examination import Examination, examine
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Result

_About = TypeVar("_About")
"""What a job is about; it comes back with the job's result."""
_Job = TypeVar("_Job")
_Done = TypeVar("_Done")


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """SWI-Prolog's version, and the calibration goals that it counts otherwise than 9.2."""

    version: str
    differing: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name under which its measurements are kept; "" if there is none."""
        return f"swipl {self.version}" if self.version else ""


@dataclass(frozen=True, slots=True)
class ProgramsRan(Generic[_About, _Done]):
    """The result of one job and the engine that ran it, or, with ``result`` None, why it was not tested."""

    about: _About
    result: _Done | None
    engine: EngineVersion
    not_tested: str = ""


class ProgramRunner(Protocol):
    """Runs programs. Results may come in any order; closing a generator cancels what is under way."""

    def engines(self) -> tuple[EngineVersion, ...]:
        """The engines that jobs may run on; raises OracleMissing without SWI-Prolog."""

    def examine(
        self, jobs: Iterable[tuple[_About, Examination]]
    ) -> Generator[ProgramsRan[_About, Evidence], None, None]:
        """Everything that the checks of each case look at (see ``examination.examine``)."""

    def run(
        self, jobs: Iterable[tuple[_About, Sequence[Program]]]
    ) -> Generator[ProgramsRan[_About, tuple[Result, ...]], None, None]:
        """The results of the programs of each case (see ``pool.run_case``)."""


class LocalRunner:
    """The worker processes of this machine. Results come in the order of the jobs."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def engines(self) -> tuple[EngineVersion, ...]:
        """The engine of this machine; raises OracleMissing."""
        return (engine_here(),)

    def examine(
        self, jobs: Iterable[tuple[_About, Examination]]
    ) -> Generator[ProgramsRan[_About, Evidence], None, None]:
        """Everything that the checks of each case look at."""
        return self._in_order(examine, jobs)

    def run(
        self, jobs: Iterable[tuple[_About, Sequence[Program]]]
    ) -> Generator[ProgramsRan[_About, tuple[Result, ...]], None, None]:
        """The results of the programs of each case."""
        return self._in_order(pool.run_case, jobs)

    def _in_order(
        self, work: Callable[[_Job], _Done], jobs: Iterable[tuple[_About, _Job]]
    ) -> Generator[ProgramsRan[_About, _Done], None, None]:
        engine: EngineVersion | None = None
        abouts: list[_About] = []  # of the jobs under way, which are few

        def job_of(pair: tuple[_About, _Job]) -> _Job:
            nonlocal engine
            # Asked before the first job runs: the worker that answers is then free for it.
            engine = engine or engine_here()
            abouts.append(pair[0])
            return pair[1]

        results = pool.in_order(work, map(job_of, jobs), self._executor)
        try:
            for result in results:
                assert engine
                yield ProgramsRan(abouts.pop(0), result, engine)
        finally:
            results.close()


def engine_here() -> EngineVersion:
    """The engine of this machine; raises OracleMissing."""
    version, calibration = pool.calibration()
    return EngineVersion(version, calibration.differing)


@contextmanager
def local_runner(workers: int | None = None) -> Iterator[LocalRunner]:
    """The worker processes of this machine; by default one for each core."""
    with pool.open_executor(workers) as executor:
        yield LocalRunner(executor)
