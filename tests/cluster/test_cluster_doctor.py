"""`reviewer cluster doctor` against a real scheduler, and what a hostile worker can do to its client."""

import json
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.cluster.dask_cluster import open_cluster
from reviewer.cluster.worker_checks import ClusterWork, check_workers, dask_version, worker_facts
from tests.cli.conftest import Run, run
from tests.cluster.faulty_workers import without_prolog
from tests.cluster.hostile_worker import as_error, as_print, as_result, as_type, as_warning
from tests.cluster.processes import RunningCluster, end, joined

__all__ = ["run"]
WITHOUT_PACKAGE = """
import importlib.metadata
known = importlib.metadata.version
def version(name):
    if name == "dilemma-reviewer":
        raise importlib.metadata.PackageNotFoundError(name)
    return known(name)
importlib.metadata.version = version
sys.modules["reviewer"] = None
"""


@pytest.mark.slow
def test_the_doctor_lists_the_workers(shared_cluster: RunningCluster, run: Run) -> None:
    result = run("cluster", "doctor", shared_cluster.address, "--format", "json")
    assert result.code == 0
    rows = json.loads(result.out)
    assert [row["worker"] for row in rows] == sorted(shared_cluster.workers)
    assert {row["fits"] for row in rows} == {"yes"}
    assert "can run code on the scheduler and on the workers" in result.err
    assert "cannot run code on this machine" in result.err


@pytest.mark.slow
def test_workers_that_do_not_fit_are_named(shared_cluster: RunningCluster, run: Run, tmp_path: Path) -> None:
    older = {"BEFORE": "import reviewer; reviewer.__version__ = '0.0.9'", **without_prolog(tmp_path)}
    faults: list[dict[str, str]] = [without_prolog(tmp_path), older, {"BEFORE": WITHOUT_PACKAGE}]
    started = [shared_cluster.start_worker(fault) for fault in faults]
    try:
        first, second, third = map(joined, started)
        result = run("cluster", "doctor", shared_cluster.address)
    finally:
        for process in started:
            end(process)
    assert result.code == 2
    assert f"Worker {first}: it can run no programs: SWI-Prolog was not found" in result.err
    assert f"Worker {second}: it has dilemma-reviewer 0.0.9" in result.err
    assert f"Worker {third}: it has no dilemma-reviewer of this version" in result.err
    assert "Error: 3 of 5 workers get no work." in result.err


def test_an_address_where_nobody_listens_is_one_sentence(run: Run) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        result = run("cluster", "doctor", f"tcp://127.0.0.1:{held.getsockname()[1]}")
    assert (result.code, result.out) == (2, "")
    assert "nobody listens there" in result.err
    assert result.err.count("\n") == 1


def test_tls_without_certificates_is_one_sentence(run: Run) -> None:
    result = run("cluster", "doctor", "tls://127.0.0.1:8786")
    assert (result.code, result.out) == (2, "")
    assert "set DASK_DISTRIBUTED__COMM__TLS__CA_FILE" in result.err


@pytest.mark.slow
def test_another_version_of_dask_is_one_sentence(
    shared_cluster: RunningCluster, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.cluster.worker_checks.dask_version", lambda: "2026.3.0")
    result = run("cluster", "doctor", shared_cluster.address)
    assert (result.code, result.out) == (2, "")
    assert "python -m pip install distributed==2026.3.0" in result.err


@pytest.mark.slow
def test_a_worker_that_is_stuck_is_one_sentence(shared_cluster: RunningCluster) -> None:
    process = shared_cluster.start_worker()
    address = joined(process)
    try:
        with open_cluster(shared_cluster.address) as cluster:
            assert cluster.scheduler_version == dask_version()
            process.send_signal(signal.SIGSTOP)
            replies = cluster.ask_workers(worker_facts, None, seconds=0.5)
    finally:
        end(process)
    checked = {worker.address: worker.problems for worker in check_workers(replies, ClusterWork())}
    assert "it gave no answer in time" in checked[address][0]


@pytest.mark.parametrize("hostile", [as_result, as_error, as_type, as_warning])
@pytest.mark.slow
def test_a_pickle_of_a_hostile_worker_is_not_read(
    shared_cluster: RunningCluster, hostile: Callable[[str], bytes], tmp_path: Path
) -> None:
    with open_cluster(shared_cluster.address) as cluster:
        replies = cluster.ask_workers(hostile, str(tmp_path / "made"), seconds=20)
        assert set(replies) == set(shared_cluster.workers)
        assert set(cluster.ask_workers(worker_facts, None)) == set(shared_cluster.workers)
    # The workers may have made files of their own.
    assert not list(tmp_path.glob(f"made-{os.getpid()}"))


@pytest.mark.slow
def test_a_worker_prints_nothing_on_the_client(
    shared_cluster: RunningCluster, capfd: pytest.CaptureFixture[str]
) -> None:
    with open_cluster(shared_cluster.address) as cluster:
        assert set(cluster.ask_workers(as_print, "said").values()) == {b"said"}
    assert capfd.readouterr() == ("", "")
