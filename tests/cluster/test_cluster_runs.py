"""Audits and checks on a real scheduler and two workers come to what a local run does, also after faults."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE

import pytest

from reviewer.cluster.address import cluster_address
from reviewer.cluster.cluster_runner import ClusterRunner, open_cluster_runner
from reviewer.cluster.worker_checks import ClusterWork
from reviewer.core.errors import Unfinished
from reviewer.oracle.program_runner import local_runner
from reviewer.runs.audit.dataset_audit import audit
from reviewer.runs.check.dataset_check import check
from reviewer.runs.repair.balance import right_options
from reviewer.runs.repair.rule_repair import places_to_repair
from reviewer.similarity.text_vectors import Embeddings
from store.cases import get_measurements
from store.database import Database
from store.embeddings import StoredVectors
from store.findings import AUDIT_MARK, case_pages, cases_in, count_cases, get_findings
from store.records import Finding, Measurement
from tests.cluster.faulty_workers import DEADLY, DYING, NONSENSE, SLOW, without_memory, without_prolog
from tests.cluster.processes import RunningCluster, end, joined, running_cluster
from tests.encoders import WordCounts
from tests.prolog import need_prolog
from tests.quick_start import quick_start
from tests.studies import PROBE_SWE, a_case, fill, open_store

CASES, FEW = 200, 30
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


@contextmanager
def faulty_workers(cluster: RunningCluster, folder: Path) -> Iterator[dict[str, str]]:
    """Workers with a fault each beside those of the cluster, by their fault; one has none yet."""
    faults = {
        "nonsense": {"BEFORE": NONSENSE},
        "slow": {"BEFORE": SLOW},
        "memory": {"BEFORE": without_memory(folder)},
        "prolog": without_prolog(folder),
        "victim": {},
    }
    started = {name: cluster.start_worker(fault) for name, fault in faults.items()}
    try:
        addresses = {name: joined(process) for name, process in started.items()}
        yield addresses | {"victim process": str(started["victim"].pid)}
    finally:
        for process in started.values():
            end(process)


def killed_client(cluster: RunningCluster, database: Database, store: Path) -> None:
    """An audit by a client that is killed when it has audited some cases."""
    audits = [*quick_start(), "-m", "reviewer", "audit", "one", "--cluster", cluster.address]
    with subprocess.Popen([*audits, "--store", str(store)], stdout=PIPE, stderr=PIPE) as client:
        while client.poll() is None and left(database) > CASES - 20:
            time.sleep(0.02)
        client.kill()
    assert client.returncode == -signal.SIGKILL


def left(database: Database) -> int:
    with database.read() as session:
        return count_cases(session, "one", without_mark=AUDIT_MARK)


@pytest.mark.slow
def test_faults_of_workers_and_clients_change_nothing(
    shared_cluster: RunningCluster, local: Kept, tmp_path: Path
) -> None:
    database = filled(tmp_path / "store")

    def interrupt(done: int, _total: int) -> None:
        if done == 40:
            raise KeyboardInterrupt

    with faulty_workers(shared_cluster, tmp_path) as workers:
        killed_client(shared_cluster, database, tmp_path / "store" / "reviewer.db")
        assert 0 < left(database) <= CASES - 20
        with pytest.raises(KeyboardInterrupt), programs(shared_cluster) as runner:
            audit(database, case_pages(database, "one"), runner, progress=interrupt)

        def kill(done: int, _total: int) -> None:
            if done == 20:  # in the middle of chunks
                os.kill(int(workers["victim process"]), signal.SIGKILL)

        with programs(shared_cluster) as runner:
            report = audit(database, case_pages(database, "one"), runner, progress=kill)
            again = audit(database, case_pages(database, "one"), runner)
            check(database, "one", Embeddings(WordCounts(), StoredVectors(database)), runner)
    assert (report.audited + report.passed_over, report.not_tested) == (CASES, ())
    assert report.passed_over >= 60
    assert (again.audited, again.passed_over) == (0, CASES)
    dropped = {name: runner.dropped.get(address) for name, address in workers.items()}
    assert "cannot be used" in str(dropped["nonsense"])
    assert "0.2 GB of memory" in str(dropped["memory"])
    assert "it can run no programs" in str(dropped["prolog"])
    assert (dropped["slow"], dropped["victim"]) == (None, None)
    assert kept(database) == local


@pytest.mark.slow
def test_a_case_that_ends_every_worker_is_set_aside_and_a_scheduler_that_dies_loses_nothing(
    shared_cluster: RunningCluster, tmp_path: Path
) -> None:
    need_prolog()
    database, here = filled(tmp_path / "store", FEW), filled(tmp_path / "here", FEW)
    with running_cluster(tmp_path, workers=4, environment={"BEFORE": DYING}) as cluster:
        with programs(cluster) as runner:
            report = audit(database, case_pages(database, "one"), runner)
        assert report.not_tested == ((a_case(DEADLY).digest, "3 workers ended while running it"),)
        assert report.audited == FEW - 1

        def kill(done: int, _total: int) -> None:
            if done == 1:  # before the worker has been given most of them
                cluster.scheduler.kill()

        with pytest.raises(Unfinished, match="run the same command again"), programs(cluster) as runner:
            audit(database, case_pages(database, "one"), runner, again=True, progress=kill)
    with programs(shared_cluster) as runner:
        last = audit(database, case_pages(database, "one"), runner)
        right = right_options(PROBE_SWE, places_to_repair(database, "one"), runner)
    with local_runner(2) as runner:
        audit(here, case_pages(here, "one"), runner)
        assert right == right_options(PROBE_SWE, places_to_repair(here, "one"), runner)
    assert (last.audited, last.passed_over) == (1, FEW - 1)
    assert kept(database) == kept(here)
