"""A process that asks is killed again and again: no answer that was kept is asked for again."""

import random
import signal
import subprocess
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from sqlmodel import select

from store.database import Database
from store.run_tables import CallRow
from tests.llm.server import Answer, Asked, serving
from tests.quick_start import quick_start
from tests.runs.killing import answers

ROOT = Path(__file__).parents[2]
QUESTIONS, CONCURRENCY, KILLS = 40, 4, 3


def test_killing_loses_no_answer_and_repeats_no_more_than_was_under_way(tmp_path: Path) -> None:
    dice = random.Random(20)
    enough = threading.Event()
    wanted = 0

    def respond(asked: Asked) -> Answer:
        if asked.number >= wanted:
            enough.set()
        return Answer(f"answer-{asked.last}", delay=0.02)

    with serving(respond) as server:
        process = [
            *(*quick_start(), "-m", "tests.llm.asking_process", str(tmp_path / "store.db")),
            *(server.url, str(QUESTIONS), str(CONCURRENCY)),
        ]
        for _ in range(KILLS):
            wanted = len(server.asked) + dice.randint(1, 10)
            enough.clear()
            with subprocess.Popen(process, cwd=ROOT, stdout=subprocess.PIPE) as running:
                assert enough.wait(60)
                running.kill()
                running.communicate()  # its output ends when it has ended
        done = subprocess.run(process, cwd=ROOT, capture_output=True, text=True, check=True)
        idle = subprocess.run(process, cwd=ROOT, capture_output=True, text=True, check=True)

    answers = [f"answer-{number}" for number in range(QUESTIONS)]
    assert done.stdout.split()[:-1] == idle.stdout.split()[:-1] == answers
    assert idle.stdout.split()[-1] == "0"
    times = Counter(asked.last for asked in server.asked)
    assert set(times) == {str(number) for number in range(QUESTIONS)}
    assert sum(times.values()) - QUESTIONS <= KILLS * CONCURRENCY


@pytest.mark.parametrize("last", [1, 6, 11])
def test_an_answer_that_was_handed_on_outlives_a_kill_at_once(tmp_path: Path, last: int) -> None:
    """Rows wait for a batch with others and with look-ups; nobody gets an answer before its batch is kept."""
    store = tmp_path / "store.db"
    with serving(lambda asked: Answer(f"answer-{asked.last}", delay=0.01)) as server:
        process = [*quick_start(), "-m", "tests.llm.asking_process", str(store), server.url, "12", "4"]
        killed = subprocess.run([*process, str(last)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    handed_on = killed.stdout.split()
    assert len(handed_on) == last
    kept = {str((call.response or {})["content"]) for call in answers(store)}
    assert kept.issuperset(handed_on)


def test_an_interrupt_ends_after_the_calls_under_way_and_keeps_them(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    under_way = threading.Event()

    def respond(asked: Asked) -> Answer:
        if asked.number >= 2 * CONCURRENCY:
            under_way.set()
        return Answer("ok", delay=0.3)

    with serving(respond) as server:
        process = [*quick_start(), "-m", "tests.llm.asking_process", str(store), server.url, "60", "4"]
        with subprocess.Popen(process, cwd=ROOT, stderr=subprocess.DEVNULL) as running:
            assert under_way.wait(60)
            running.send_signal(signal.SIGINT)
    with closing(Database.open(str(store))) as database, database.read() as session:
        rows = session.exec(select(CallRow.error)).all()
    assert len(rows) == len(server.asked) < 60
    assert set(rows) == {None}
