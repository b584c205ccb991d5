"""A cluster as one that runs programs and encodes texts, in place of this machine."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from reviewer.cluster.address import ClusterAddress, need_certificates, need_listener
from reviewer.cluster.dask_cluster import DaskCluster, open_cluster, tls_settings
from reviewer.cluster.dispatch import Admission, CrewMember, Dispatcher
from reviewer.cluster.job_kinds import ExaminationKind, ProgramsKind, TextsKind
from reviewer.cluster.worker_checks import (
    CheckedWorker,
    ClusterWork,
    check_workers,
    need_same_dask,
    need_workers,
    worker_facts,
)
from reviewer.core.errors import Unfinished
from reviewer.oracle.evidence import Evidence
from reviewer.oracle.examination import Examination
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.program_runner import EngineVersion, ProgramsRan
from reviewer.oracle.result import Result
from reviewer.similarity.encoder import Vectors

_About = TypeVar("_About")


class ClusterRunner:
    """Runs programs and encodes texts on the workers that may. ``dropped`` says why others are not used."""

    def __init__(self, dispatcher: Dispatcher, model: str, encoder: str) -> None:
        self._dispatcher = dispatcher
        self._model = model
        self.name = encoder
        """The name of the sentence model with its digest, which every worker that is used has."""

    @property
    def dropped(self) -> dict[str, str]:
        """By address: why a worker is not used, or no longer."""
        return self._dispatcher.dropped

    @property
    def threads(self) -> int:
        """How many cases the workers do at the same time."""
        return self._dispatcher.threads

    def engines(self) -> tuple[EngineVersion, ...]:
        """The engines of the workers."""
        return tuple(self._dispatcher.engines)

    def examine(
        self, jobs: Iterable[tuple[_About, Examination]]
    ) -> Generator[ProgramsRan[_About, Evidence], None, None]:
        """Everything that the checks of each case look at."""
        return self._dispatcher.results(ExaminationKind(), jobs)

    def run(
        self, jobs: Iterable[tuple[_About, Sequence[Program]]]
    ) -> Generator[ProgramsRan[_About, tuple[Result, ...]], None, None]:
        """The results of the programs of each case."""
        return self._dispatcher.results(ProgramsKind(), jobs)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row for each text; raises Unfinished if no worker encodes them."""
        ((_, rows),) = self.encode_all([texts])
        return rows

    def encode_all(self, batches: Iterable[Sequence[str]]) -> Iterator[tuple[Sequence[str], Vectors]]:
        """Each batch with its rows, in any order; raises Unfinished if no worker encodes one."""
        kind = TextsKind(self._model, self.name)
        for encoded in self._dispatcher.results(kind, ((batch, batch) for batch in batches)):
            if encoded.result is None:
                raise Unfinished(f"texts were not encoded on the cluster: {encoded.not_tested}.")
            yield encoded.about, encoded.result


@contextmanager
def open_cluster_runner(
    address: ClusterAddress, work: ClusterWork, model: str = ""
) -> Iterator[ClusterRunner]:
    """A connection to a cluster, with the workers that may do this work.

    ``model`` is the name or folder of the sentence model of ``work``. Raises RequestError that names the
    fault of the address, the scheduler, or every worker.
    """
    need_certificates(address, tls_settings())
    need_listener(address)
    asked = model if work.encoder else None
    with open_cluster(str(address)) as cluster:
        need_same_dask(cluster.scheduler_version)
        replies = cluster.ask_workers(worker_facts, asked)
        checked = check_workers(replies, work)
        need_workers(checked)
        threads = {worker.address: worker.threads for worker in cluster.workers()}
        crew = {worker.address: _member(worker, threads) for worker in checked if not worker.problems}
        admission = Admission(worker_facts, (asked,), partial(_answer, cluster, work))
        dispatcher = Dispatcher(cluster, crew, admission)
        dispatcher.dropped |= {worker.address: worker.problems[0] for worker in checked if worker.problems}
        yield ClusterRunner(dispatcher, model, work.encoder or "")


def _answer(cluster: DaskCluster, work: ClusterWork, address: str, reply: object) -> CrewMember | str:
    """A worker that joined, if it may do the work; else why it may not."""
    (checked,) = check_workers({address: reply}, work)
    if checked.problems:
        return checked.problems[0]
    return _member(checked, {worker.address: worker.threads for worker in cluster.workers()})


def _member(worker: CheckedWorker, threads: Mapping[str, int]) -> CrewMember:
    assert worker.facts is not None
    engine = EngineVersion(worker.facts.prolog, worker.facts.differing)
    return CrewMember(threads.get(worker.address, 1), engine)
