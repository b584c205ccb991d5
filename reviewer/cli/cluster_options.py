"""``--cluster`` of the commands that run programs or encode texts: workers do it instead of this machine."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from reviewer.cli.options import note
from reviewer.cli.without_jail import ask_without_jail
from reviewer.core.sanitize import counted
from reviewer.oracle.doctor import without_jail
from reviewer.oracle.program_runner import LocalRunner, ProgramRunner, local_runner

if TYPE_CHECKING:  # loads numpy
    from reviewer.cluster.cluster_runner import ClusterRunner
    from reviewer.runs.check.dataset_check import CheckNeeds
    from reviewer.similarity.embeddings import Embeddings
    from store.database import Database

_OPTIONS = (
    click.option(
        "--cluster",
        envvar="REVIEWER_CLUSTER",
        metavar="ADDRESS",
        help="Do the work on the workers of the dask scheduler at this address: tls://HOST:PORT, or "
        "tcp://127.0.0.1:PORT on this machine. Default: REVIEWER_CLUSTER, else this machine.",
    ),
    click.option("--cluster-without-tls", is_flag=True, help="Allow tcp:// to another machine."),
)


@dataclass(frozen=True, slots=True)
class ClusterNeeds:
    """What workers are wanted for: programs, perhaps without a full jail, or a sentence model."""

    programs: bool = False
    without_jail: bool = False
    model: str | None = None


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Where the work is done; without an address, on this machine."""

    cluster: str | None
    cluster_without_tls: bool

    @contextmanager
    def programs(
        self, workers: int | None, *, needed: bool = True, accepted: bool = False
    ) -> Iterator[ProgramRunner]:
        """Who runs programs, if they are needed; asks first if they cannot be confined here."""
        if self.cluster is not None and needed:
            with self.opened(ClusterNeeds(programs=True, without_jail=accepted)) as cluster:
                yield cluster
            return
        if needed:
            ask_without_jail(accepted)
        with local_runner(workers) as runner:
            yield runner

    @contextmanager
    def runner(self, executor: Executor, *, accepted: bool) -> Iterator[ProgramRunner]:
        """Who runs programs: the workers of the cluster, or else this executor of worker processes."""
        if self.cluster is None:
            yield LocalRunner(executor)
            return
        with self.opened(ClusterNeeds(programs=True, without_jail=accepted)) as cluster:
            yield cluster

    @contextmanager
    def confined_programs(self) -> Iterator[ProgramRunner | None]:
        """Who runs programs in a jail; None if this machine should and has none."""
        if self.cluster is None and without_jail() is not None:
            yield None
            return
        with self.programs(None) as runner:
            yield runner

    @contextmanager
    def embeddings(self, database: "Database", model: str) -> "Iterator[Embeddings]":
        """The vectors of a sentence model, encoded here or on the cluster, and kept in the store."""
        from reviewer.cli.embedding import open_embeddings

        if self.cluster is None:
            yield open_embeddings(database, model)
            return
        with self.opened(ClusterNeeds(model=model)) as cluster:
            yield _stored(cluster, database)

    @contextmanager
    def work(
        self, workers: int | None, needs: "CheckNeeds", database: "Database", model: str, *, accepted: bool
    ) -> "Iterator[tuple[ProgramRunner | None, Embeddings | None]]":
        """Who runs programs, and the vectors of a sentence model; None for what is not needed."""
        from reviewer.cli.embedding import open_embeddings

        if self.cluster is None or not (needs.programs or needs.vectors):
            embeddings = open_embeddings(database, model) if needs.vectors else None
            with self.programs(workers, needed=needs.programs, accepted=accepted) as runner:
                yield runner if needs.programs else None, embeddings
            return
        wanted = ClusterNeeds(needs.programs, accepted, model if needs.vectors else None)
        with self.opened(wanted) as cluster:
            embeddings = _stored(cluster, database) if needs.vectors else None
            yield cluster if needs.programs else None, embeddings

    @contextmanager
    def opened(self, needs: "ClusterNeeds") -> "Iterator[ClusterRunner]":
        """The cluster, with the workers that fit; names those that were not used."""
        from reviewer.cluster.address import cluster_address
        from reviewer.cluster.cluster_runner import open_cluster_runner
        from reviewer.cluster.worker_checks import ClusterWork
        from reviewer.similarity.encoder import open_encoder

        assert self.cluster is not None
        encoder = open_encoder(needs.model).name if needs.model else None
        work = ClusterWork(needs.programs, needs.without_jail, encoder)
        address = cluster_address(self.cluster, without_tls=self.cluster_without_tls)
        with open_cluster_runner(address, work, needs.model or "") as runner:
            try:
                yield runner
            finally:
                for worker, why in runner.dropped.items():
                    note(f"Not used: {why if worker in why else f'worker {worker}: {why}'}")


def _stored(cluster: "ClusterRunner", database: "Database") -> "Embeddings":
    """Vectors that the cluster encodes and the store keeps."""
    from reviewer.similarity.embeddings import Embeddings
    from store.embeddings import StoredVectors

    return Embeddings(cluster, StoredVectors(database))


def not_tested_words(done: str, cases: Sequence[tuple[str, str]]) -> str:
    """A sentence about cases that no worker could finish, and why the first could not."""
    digest, why = cases[0]
    return (
        f"{counted(len(cases), 'case')} not {done} on the cluster, the first {digest[:12]}: {why}. "
        "Run the same command again to try again."
    )


def cluster_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options, and hands them to the command together, as ``cluster``."""

    @wraps(command)
    def bundled(**given: Any) -> Any:
        own = {field.name: given.pop(field.name) for field in fields(ClusterOptions)}
        return command(cluster=ClusterOptions(**own), **given)

    wrapped: Callable[..., Any] = bundled
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped
