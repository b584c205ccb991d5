"""Who runs programs and encodes texts for a command: this machine, or the workers of ``--cluster``.

``--sentence-model`` and ``--index`` say how texts are encoded and compared.
"""

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from reviewer.cli.printing import note
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.options.shared import ClusterOptions
from reviewer.oracle.doctor import without_jail
from reviewer.oracle.program_runner import LocalRunner, ProgramRunner, local_runner

if TYPE_CHECKING:
    from reviewer.cluster.cluster_runner import ClusterRunner
    from reviewer.runs.check.dataset_check import CheckNeeds
    from reviewer.similarity.index_search import Recall
    from reviewer.similarity.text_vectors import Embeddings
    from store.database import Database


@dataclass(frozen=True, slots=True)
class ClusterNeeds:
    """What workers are wanted for: programs, perhaps without a full jail, or a sentence model."""

    programs: bool = False
    without_jail: bool = False
    model: str | None = None


@contextmanager
def programs_on(
    options: ClusterOptions, workers: int | None, *, needed: bool = True, accepted: bool = False
) -> Iterator[ProgramRunner]:
    """Who runs programs, if they are needed; asks first if they cannot be confined here."""
    if options.cluster is not None and needed:
        with opened_cluster(options, ClusterNeeds(programs=True, without_jail=accepted)) as workers_there:
            yield workers_there
        return
    if needed:
        ask_without_jail(accepted)
    with local_runner(workers) as runner:
        yield runner


@contextmanager
def runner_on(options: ClusterOptions, executor: Executor, *, accepted: bool) -> Iterator[ProgramRunner]:
    """Who runs programs: the workers of the cluster, or else this executor of worker processes."""
    if options.cluster is None:
        yield LocalRunner(executor)
        return
    with opened_cluster(options, ClusterNeeds(programs=True, without_jail=accepted)) as workers_there:
        yield workers_there


@contextmanager
def confined_programs_on(options: ClusterOptions) -> Iterator[ProgramRunner | None]:
    """Who runs programs in a jail; None if this machine should and has none."""
    if options.cluster is None and without_jail() is not None:
        yield None
        return
    with programs_on(options, None) as runner:
        yield runner


@contextmanager
def embeddings_on(options: ClusterOptions, database: "Database", model: str) -> "Iterator[Embeddings]":
    """The vectors of a sentence model, encoded here or on the cluster, and kept in the store."""

    if options.cluster is None:
        yield open_embeddings(database, model)
        return
    with opened_cluster(options, ClusterNeeds(model=model)) as workers_there:
        yield _stored(workers_there, database)


@contextmanager
def check_work_on(
    options: ClusterOptions,
    workers: int | None,
    needs: "CheckNeeds",
    database: "Database",
    model: str,
    *,
    accepted: bool,
) -> "Iterator[tuple[ProgramRunner | None, Embeddings | None]]":
    """The runner of programs, and the vectors of a sentence model; None for one that is not needed."""

    if options.cluster is None or not (needs.programs or needs.vectors):
        embeddings = open_embeddings(database, model) if needs.vectors else None
        with programs_on(options, workers, needed=needs.programs, accepted=accepted) as runner:
            yield runner if needs.programs else None, embeddings
        return
    wanted = ClusterNeeds(needs.programs, accepted, model if needs.vectors else None)
    with opened_cluster(options, wanted) as workers_there:
        embeddings = _stored(workers_there, database) if needs.vectors else None
        yield workers_there if needs.programs else None, embeddings


@contextmanager
def opened_cluster(options: ClusterOptions, needs: "ClusterNeeds") -> "Iterator[ClusterRunner]":
    """The cluster, with the workers that fit; names those that were not used."""
    from reviewer.cluster.address import cluster_address
    from reviewer.cluster.cluster_runner import open_cluster_runner
    from reviewer.cluster.worker_checks import ClusterWork
    from reviewer.similarity.encoder import open_encoder

    assert options.cluster is not None
    encoder = open_encoder(needs.model).name if needs.model else None
    work = ClusterWork(needs.programs, needs.without_jail, encoder)
    address = cluster_address(options.cluster, without_tls=options.cluster_without_tls)
    with open_cluster_runner(address, work, needs.model or "") as runner:
        try:
            yield runner
        finally:
            for worker, why in runner.dropped.items():
                note(f"Not used: {why if worker in why else f'worker {worker}: {why}'}")


def _stored(cluster: "ClusterRunner", database: "Database") -> "Embeddings":
    """Vectors that the cluster encodes and the store keeps."""
    from reviewer.similarity.text_vectors import Embeddings
    from store.embeddings import StoredVectors

    return Embeddings(cluster, StoredVectors(database))


def not_tested_words(done: str, cases: Sequence[tuple[str, str]]) -> str:
    """A sentence about cases that no worker could finish, and why the first could not."""
    digest, why = cases[0]
    return (
        f"{counted(len(cases), 'case')} not {done} on the cluster, the first {digest[:12]}: {why}. "
        "Run the same command again to try again."
    )


def ask_without_jail(accepted: bool, question: str = "Run the programs of this dataset?") -> None:
    """Return where programs may run. Raises RequestError where nobody can be asked, or says no."""
    problem = without_jail()
    if problem is None or accepted:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise RequestError(f"{problem} To run them without it, add --without-jail.")
    click.echo(problem, err=True)
    if not click.confirm(question, err=True):
        raise RequestError("no program was run.")


def note_recall(recall: "Recall | None") -> None:
    """Say how much an index found, if one searched."""
    if recall:
        note(recall.words)


def open_embeddings(database: "Database", model: str) -> "Embeddings":
    """The model's vectors, kept in the store; the model itself is loaded when a text is new."""
    from reviewer.similarity.encoder import open_encoder
    from reviewer.similarity.text_vectors import Embeddings
    from store.embeddings import StoredVectors

    return Embeddings(open_encoder(model), StoredVectors(database))
