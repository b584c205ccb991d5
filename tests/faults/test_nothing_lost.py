"""Processes that die, and processes that work at once: whatever was acknowledged is in the ledger, once."""

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE

import pytest

from reviewer.study.session.verdicts import History
from store.append_only import ledger_is_protected
from store.database import Database
from store.ledger import Ledger
from store.records import Event
from tests.quick_start import quick_start
from tests.rounds import rounds, some_always
from tests.studies import a_study, open_store

ROOT = Path(__file__).parents[2]
Acknowledged = dict[str, str]


Rater = subprocess.Popen[str]
Start = Callable[..., list[Rater]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts raters at work with this many presses each, once all their sessions are open."""
    with ExitStack() as running:

        def begin(*raters: str, presses: int, seed: int = 0) -> list[Rater]:
            store = str(tmp_path / "reviewer.db")
            processes = []
            for number, rater in enumerate(raters, start=seed):
                command = [*quick_start(), "-m", "tests.faults.rater_process"]
                command += [store, "pilot", rater, str(number), str(presses)]
                process = subprocess.Popen(command, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True)
                running.enter_context(process)
                running.callback(process.kill)
                processes.append(process)
            assert [process.stdout.readline() for process in processes if process.stdout] == (
                ["ready\n"] * len(raters)
            )
            for process in processes:
                assert process.stdin
                process.stdin.write("\n")
                process.stdin.flush()
            return processes

        yield begin


def acknowledged(process: Rater, before: str = "") -> Acknowledged:
    """id → digest of all that the process said was saved; a line cut by the kill said nothing."""
    assert process.stdout
    lines = (before + process.stdout.read()).split("\n")[:-1]
    process.wait()
    process.stdout.close()
    return dict(line.split() for line in lines if line != "done")


def check_ledger(database: Database, said: Sequence[Acknowledged]) -> list[Event]:
    """Everything acknowledged is there unaltered, nothing is there twice, and one event is current a slot."""
    events = Ledger(database).events("pilot")
    kept = {event.id: event.digest for event in events}
    assert len(kept) == len(events)
    for part in said:
        assert part.items() <= kept.items()
    assert all(event.digest == event.content_digest() for event in events)
    for rater in {event.rater for event in events}:
        history = History.of(event for event in events if event.rater == rater)
        for slot in history.slots():
            assert len(history.heads(slot, "answer")) <= 1
            assert len(history.heads(slot, "comment")) <= 1
            assert len(history.heads(slot, "flag")) <= 1
    with database.read() as session:
        assert session.connection().exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
        assert ledger_is_protected(session.connection())
    return events


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    a_study(database, cases=12)
    return database


@pytest.mark.parametrize("times", rounds(2, [6]))
@pytest.mark.parametrize("stop", some_always([signal.SIGKILL, signal.SIGHUP, signal.SIGTERM], 3))
def test_a_burst_stopped_at_random_moments_keeps_all_that_was_acknowledged(
    database: Database, start: Start, stop: signal.Signals, times: int
) -> None:
    said = []
    chance = random.Random(int(stop))
    for seed in range(times):
        (process,) = start("anna", presses=100_000, seed=seed)
        assert process.stdout
        # Its progress in a time depends on the load of the machine.
        before = "".join(process.stdout.readline() for _ in range(chance.randrange(20)))
        time.sleep(chance.uniform(0, 0.01))
        os.kill(process.pid, stop)
        said.append(acknowledged(process, before))
        check_ledger(database, said)
    assert any(said)


def test_two_sessions_of_one_rater_at_once(database: Database, start: Start) -> None:
    processes = start("anna", "anna", presses=150, seed=1)
    said = [acknowledged(process) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    events = check_ledger(database, said)
    assert _asked_for(events) == sum(map(len, said)) > 150


@pytest.mark.parametrize("presses", rounds(25, [120]))
def test_eight_raters_in_eight_processes_on_one_store(database: Database, start: Start, presses: int) -> None:
    raters = [f"rater-{number}" for number in range(8)]
    processes = start(*raters, presses=presses)
    said = [acknowledged(process) for process in processes]
    assert {process.returncode for process in processes} == {0}
    events = check_ledger(database, said)
    assert _asked_for(events) == sum(map(len, said))
    assert {event.rater for event in events} == set(raters)


def _asked_for(events: Sequence[Event]) -> int:
    """Events that a key asked for; that a reveal was seen, the session notes by itself."""
    return sum(event.kind != "note" for event in events)
