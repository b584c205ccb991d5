"""Workers: pickled programs, other executors, workers that are lost, and nothing left behind."""

import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from reviewer.oracle import pool
from reviewer.oracle.decode import GarbledError, decode
from reviewer.oracle.doctor import check_up
from reviewer.oracle.jail import FULL, Jail
from reviewer.oracle.oracle_errors import OracleStopped
from reviewer.oracle.oracle_program import Limits, Program
from reviewer.oracle.pool import CalibratedWorker, WorkerPool
from reviewer.oracle.program_runner import local_runner
from reviewer.oracle.result import Result, Status
from reviewer.oracle.workers import Ending, Worker, WorkerGone
from tests.oracle.programs import HONEST, asking, assert_honest


def test_programs_and_results_are_values() -> None:
    result = pool.run(pickle.loads(pickle.dumps(HONEST)))
    assert_honest(result)
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert hash(HONEST) == hash(pickle.loads(pickle.dumps(HONEST)))


@pytest.mark.slow
def test_any_executor_will_do() -> None:
    run = pickle.loads(pickle.dumps(pool.run))
    with ThreadPoolExecutor(3) as threads:
        for result in threads.map(run, [HONEST] * 12):
            assert_honest(result)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        for result in processes.map(run, [HONEST] * 4):
            assert_honest(result)


def test_cases_come_back_in_order() -> None:
    cases = [[asking(f"decide_option(user, n{number}).")] for number in range(20)]
    with pool.open_executor(2) as executor:
        choices = [
            results[0].choice for results in pool.in_order(pool.run_case, iter(cases), executor, ahead=3)
        ]
    assert choices == [f"n{number}" for number in range(20)]


def test_what_loading_says_does_not_depend_on_what_was_loaded_before() -> None:
    program = Program("decide_option(user, option_A).\n", ":- use_module(library(lists)).\nmember(a, b).\n")
    results = [pool.run(program), *pool.run_case([HONEST, program, program])[1:]]
    said = [[message.text for message in result.messages] for result in results]
    assert said[0] == said[1] == said[2]
    assert "ignored_weak_import(program, lists:member/2)" in said[0]


def test_a_lost_worker_is_replaced() -> None:
    jail = Jail(orphan=False)  # a jail of its own has workers of its own
    assert_honest(pool.run(HONEST, jail))
    with pool._of(jail).lend() as lent:
        lost = lent.worker.pid
        os.kill(lost, signal.SIGKILL)
    assert_honest(pool.run(HONEST, jail))
    assert_honest(pool.run_case([HONEST, HONEST], jail)[1])


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_work_that_is_interrupted_ends_at_once_with_its_workers() -> None:
    pool.close()
    limits = Limits(inferences=10**15, cpu_seconds=20, seconds=20.0)
    endless = Program("decide_option(user, X) :- decide_option(user, X).", limits=limits)
    before, futures = children(), list[Future[Result]]()

    def interrupted() -> None:
        with pool.open_executor(2) as executor:
            futures.extend(executor.submit(pool.run, endless) for _ in range(3))
            while not all(grandchildren(worker) for worker in (set(children()) - set(before)) or {""}):
                time.sleep(0.01)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [future.cancelled() or type(future.exception()) for future in futures] == [
        OracleStopped,
        OracleStopped,
        True,
    ]
    assert children() == before
    with pool.open_executor(1) as executor:
        assert_honest(executor.submit(pool.run, HONEST).result())


def test_a_worker_that_ended_says_so() -> None:
    worker = Worker(FULL)
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(WorkerGone):
        worker.ask([HONEST])
    worker.close()


@pytest.mark.skipif(sys.platform != "linux", reason="counts processes and descriptors in /proc")
def test_nothing_is_left_behind() -> None:
    pool.close()
    before = descriptors(), children()
    for _ in range(5):
        assert_honest(pool.run(HONEST))
        pool.run(asking("decide_option(user, a) :- halt."))
    pool.close()
    assert (descriptors(), children()) == before


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_no_worker_outlives_an_application_that_was_killed() -> None:
    root = str(Path(__file__).resolve().parents[2])
    code = (
        f"import sys, time; sys.path.insert(0, {root!r})\n"
        "from reviewer.oracle import pool\n"
        "from reviewer.oracle.jail import FULL\n"
        "with pool._of(FULL).lend() as lent: print(lent.worker.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as application:
        assert application.stdout is not None
        worker = int(application.stdout.readline())
        application.kill()
    until = time.monotonic() + 60
    while Path(f"/proc/{worker}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{worker}").exists()


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def children() -> list[str]:
    tasks = Path("/proc/self/task").iterdir()
    return sorted(child for task in tasks for child in (task / "children").read_text().split())


def grandchildren(process: str) -> str:
    return Path(f"/proc/{process}/task/{process}/children").read_text() if process else ""


@pytest.mark.parametrize(
    "payload",
    [b"", b"null", b"[]", b"{}", b'{"status": "fine", "cpu": 0}', b'{"status": "ok", "cpu": "x"}',
     b"[" * 100_000, b'{"status": "ok", "cpu": 0, "clauses": [[1]]}',
     b'{"status": "ok", "cpu": 0, "proof": 3}', b"\xff\xfe"],
)  # fmt: skip
def test_a_reply_of_another_form_is_an_error_of_one_kind(payload: bytes) -> None:
    with pytest.raises(GarbledError):
        decode(payload, HONEST, "9.0.4")


def test_the_doctor_sees_a_working_oracle() -> None:
    checkup = check_up()
    assert (checkup.problem, checkup.comparable, checkup.differing) == (None, True, ())
    assert checkup.version == pool.run(HONEST).engine
    assert Path(checkup.home).is_dir()
    assert {protection.name for protection in checkup.protections} >= {
        "gate",
        "landlock",
        "seccomp",
        "deadline",
    }


def test_the_verdicts_about_a_killed_child_are_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    ask = Worker.ask

    def counted(self: Worker, programs: list[Program]) -> Ending:
        asked.append(len(programs))
        return ask(self, programs)

    monkeypatch.setattr(Worker, "ask", counted)
    deep = asking("p(" + "f(" * 30_000 + "a" + ")" * 30_000 + ").")
    assert pool.run(deep).status is Status.KILLED
    assert asked == [1, 1]


def test_one_thread_starts_one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[WorkerPool] = []
    start = WorkerPool._open

    def counted(worker_pool: WorkerPool) -> CalibratedWorker:
        started.append(worker_pool)
        return start(worker_pool)

    pool.close()
    monkeypatch.setattr(WorkerPool, "_open", counted)
    with local_runner(1) as runner:
        ran = list(runner.run((number, [HONEST]) for number in range(3)))
    assert [done.about for done in ran] == [0, 1, 2]
    assert all(done.engine.version and done.result for done in ran)
    assert len(started) == 1, "the worker that says its version runs the programs"
