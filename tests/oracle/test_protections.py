"""Every protection matters: with all others off it stops a program that gets through once it is off too."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.oracle.decode import decode
from reviewer.oracle.jail import Jail
from reviewer.oracle.oracle_program import Limits, Program
from reviewer.oracle.result import Result, Status
from reviewer.oracle.worker import landlock, seccomp
from reviewer.oracle.workers import Ending, Worker, WorkerGone

linux = pytest.mark.skipif(sys.platform != "linux", reason="this protection exists on Linux only")
PATIENT = Limits(seconds=60.0)


_workers: dict[Jail, Worker] = {}


@pytest.fixture(scope="module", autouse=True)
def _workers_end() -> Iterator[None]:
    yield
    while _workers:
        _workers.popitem()[1].close()


def ask(jail: Jail, facts: str, limits: Limits = PATIENT) -> tuple[Ending, Result | None]:
    """The program alone in a child under this jail: how the child ended, and its result if it gave one.

    Starting a worker takes most of the time, so there is one for each jail.
    """
    program = Program(facts, limits=limits, count=False, prove=False)
    worker = _workers.get(jail) or _workers.setdefault(jail, Worker(jail))
    ending = worker.ask([program])
    results = [decode(reply, program, worker.version).result for reply in ending.replies]
    return ending, results[0] if results else None


def choice(jail: Jail, facts: str) -> str | None:
    """The program's choice under this jail."""
    result = ask(jail, facts)[1]
    return None if result is None else result.choice


def test_gate(tmp_path: Path) -> None:
    made = tmp_path / "made"
    facts = f":- open('{made}', write, S), close(S).\ndecide_option(user, a)."
    _, result = ask(Jail.none(gate=True), facts)
    assert result is not None
    assert result.status is Status.REFUSED
    assert not made.exists()
    ask(Jail.none(), facts)
    assert made.exists()


def test_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORACLE_SECRET", "open_sesame")
    if (started := _workers.pop(Jail.none(), None)) is not None:
        started.close()  # it has the environment of an earlier test
    facts = "decide_option(user, X) :- getenv('ORACLE_SECRET', X)."
    assert choice(Jail.none(), facts) == "open_sesame"
    assert choice(Jail.none(environment=True), facts) is None


@linux
def test_descriptors() -> None:
    facts = (
        "decide_option(user, N) :- directory_files('/proc/self/fd', Fs),"
        " findall(F, (member(F, Fs), atom_number(F, _)), Ns), length(Ns, N)."
    )
    within, without = choice(Jail.none(descriptors=True), facts), choice(Jail.none(), facts)
    assert within == "5"  # 0 to 2, the reply's pipe, the folder being listed
    assert int(without or 0) > 5


def test_limits_of_file_size(tmp_path: Path) -> None:
    made = tmp_path / "made"
    facts = f"decide_option(user, a) :- open('{made}', write, S), write(S, text), close(S)."
    ask(Jail.none(limits=True), facts)
    assert made.stat().st_size == 0
    ask(Jail.none(), facts)
    assert made.read_text() == "text"


def test_limits_of_processor_time() -> None:
    limits = Limits(cpu_seconds=1, seconds=0.5, inferences=10_000)
    endless = "p :- catch(q, _, p).\nq :- q.\ndecide_option(user, a) :- p."
    assert ask(Jail.none(limits=True), endless, replace(limits, seconds=120.0))[0].signal == signal.SIGXCPU
    assert ask(Jail.none(deadline=True), endless, limits)[0].why == "deadline"


@linux
def test_limits_of_memory() -> None:
    facts = (
        "decide_option(user, X) :- open('/proc/self/limits', read, S), read_string(S, _, Text),"
        ' split_string(Text, "\\n", "", Lines), member(Line, Lines),'
        ' sub_string(Line, 0, _, _, "Max address space"), split_string(Line, " ", " ", Words),'
        ' exclude(==(""), Words, [_, _, _, Most|_]), atom_string(X, Most).'
    )
    assert choice(Jail.none(limits=True), facts) == f"'{PATIENT.memory_bytes}'"
    assert choice(Jail.none(), facts) == "unlimited"


@linux
def test_privileges() -> None:
    facts = (
        "decide_option(user, X) :- open('/proc/self/status', read, S), read_string(S, _, Text),"
        ' sub_string(Text, At, _, _, "NoNewPrivs:"), Start is At + 12, sub_string(Text, Start, 1, _, X).'
    )
    assert choice(Jail.none(privileges=True), facts) == '"1"'
    assert choice(Jail.none(), facts) == '"0"'


@linux
@pytest.mark.skipif(not landlock.abi(), reason="this kernel has no Landlock")
def test_landlock(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("open_sesame.\n")
    facts = f"decide_option(user, X) :- open('{secret}', read, S), read(S, X), close(S)."
    assert choice(Jail.none(), facts) == "open_sesame"
    assert choice(Jail.none(landlock=True, privileges=True), facts) is None


@linux
@pytest.mark.skipif(not seccomp.supported(), reason="no seccomp filter for this system")
def test_seccomp(tmp_path: Path) -> None:
    made = tmp_path / "made"
    facts = f"decide_option(user, a) :- shell('echo text > {made}')."
    ask(Jail.none(seccomp=True, privileges=True), facts)
    assert not made.exists()
    ask(Jail.none(), facts)
    assert made.exists()


def test_deadline() -> None:
    limits = Limits(seconds=0.5)
    facts = "decide_option(user, a) :- sleep(1)."
    assert ask(Jail.none(deadline=True), facts, limits)[0].why == "deadline"
    ending, result = ask(Jail.none(), facts, limits)
    assert ending.clean
    assert result is not None
    assert result.choice == "a"


@linux
@pytest.mark.parametrize("protected", [True, False])
def test_orphan(protected: bool, tmp_path: Path) -> None:
    child = orphaned_child(Jail.none(orphan=protected, descriptors=True), tmp_path / "pid")
    try:
        assert wait_for_end(child, seconds=30.0 if protected else 1.0) == protected
    finally:
        if not protected:
            os.kill(child, signal.SIGKILL)


def orphaned_child(jail: Jail, note: Path) -> int:
    """The process id of a child whose worker was killed while it slept."""
    facts = (
        "decide_option(user, a) :- read_link('/proc/self', Pid, _),"
        f" open('{note}', write, S), write(S, Pid), nl(S), close(S), sleep(600)."
    )
    worker = Worker(jail)
    try:
        return int(_note_then_kill(worker, facts, note))
    finally:
        worker.close()


def _note_then_kill(worker: Worker, facts: str, note: Path) -> str:
    def ask_it() -> None:
        with pytest.raises(WorkerGone):
            worker.ask([Program(facts, limits=PATIENT)])

    thread = threading.Thread(target=ask_it)
    thread.start()
    while not (note.exists() and note.read_text().endswith("\n")):
        time.sleep(0.05)
    os.kill(worker.pid, signal.SIGKILL)
    thread.join()
    return note.read_text()


def wait_for_end(process: int, seconds: float) -> bool:
    """True when the process is gone, or only its shell is left, within so many seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
