"""Audits and checks on a real scheduler and two workers come to what a local run does, also after faults."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reviewer.cluster.address import cluster_address
from reviewer.cluster.cluster_runner import ClusterRunner, open_cluster_runner
from reviewer.cluster.worker_checks import ClusterWork
from reviewer.core.errors import Unfinished
from reviewer.oracle.program_runner import local_runner
from reviewer.runs.audit.dataset_audit import audit
from reviewer.runs.check.dataset_check import check
from reviewer.similarity.embeddings import Embeddings
from store.cases import get_measurements
from store.database import Database
from store.embeddings import StoredVectors
from store.findings import case_pages, cases_in, get_findings
from store.records import Finding, Measurement
from tests.cluster.processes import RunningCluster, end, joined, running_cluster
from tests.encoders import WordCounts
from tests.prolog import need_prolog
from tests.studies import a_case, fill, open_store

CASES = 200
Kept = tuple[list[Measurement], list[Finding]]


def filled(folder: Path, cases: int = CASES) -> Database:
    """A store with small cases that differ in their programs."""
    folder.mkdir()
    database = open_store(folder)
    fill(database, "one", [a_case(number) for number in range(cases)])
    return database


def kept(database: Database) -> Kept:
    """Everything measured and found, sorted by content."""
    with database.read() as session:
        digests = [case.digest for case in cases_in(session, "one")]
        measured = [value for values in get_measurements(session, digests).values() for value in values]
        findings = [finding for found in get_findings(session, digests).values() for finding in found]
    return sorted(measured, key=repr), sorted(findings, key=repr)


@contextmanager
def programs(cluster: RunningCluster) -> Iterator[ClusterRunner]:
    with open_cluster_runner(cluster_address(cluster.address), ClusterWork(programs=True)) as runner:
        yield runner


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """What this machine keeps after an audit and a check."""
    need_prolog()
    database = filled(tmp_path_factory.mktemp("local") / "store")
    with local_runner(2) as runner:
        audit(database, case_pages(database, "one", 70), runner)
        check(database, "one", Embeddings(WordCounts(), StoredVectors(database)), runner)
    return kept(database)


def test_the_cluster_comes_to_what_this_machine_does(
    shared_cluster: RunningCluster, local: Kept, tmp_path: Path
) -> None:
    database = filled(tmp_path / "store")
    seen: list[int] = []

    def interrupt(done: int, _total: int) -> None:
        seen.append(done)
        if done == 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), programs(shared_cluster) as runner:
        audit(database, case_pages(database, "one"), runner, progress=interrupt)
    extra = shared_cluster.start_worker()
    victim = joined(extra)

    def kill(done: int, _total: int) -> None:
        if done == 20:  # in the middle of chunks
            os.kill(extra.pid, signal.SIGKILL)

    try:
        with programs(shared_cluster) as runner:
            report = audit(database, case_pages(database, "one"), runner, progress=kill)
            again = audit(database, case_pages(database, "one"), runner)
            check(database, "one", Embeddings(WordCounts(), StoredVectors(database)), runner)
    finally:
        end(extra)
    assert (report.audited, report.passed_over, report.not_tested) == (CASES - 40, 40, ())
    assert (again.audited, again.passed_over) == (0, CASES)
    assert victim not in runner.dropped
    assert kept(database) == local


def test_a_scheduler_that_dies_ends_the_audit_with_what_was_done(tmp_path: Path) -> None:
    need_prolog()
    database = filled(tmp_path / "store", 30)
    with running_cluster(tmp_path, workers=1) as cluster:

        def kill(done: int, _total: int) -> None:
            if done == 10:
                cluster.scheduler.kill()

        with pytest.raises(Unfinished, match="run the same command again"), programs(cluster) as runner:
            audit(database, case_pages(database, "one"), runner, progress=kill)
    assert kept(database)[1]
