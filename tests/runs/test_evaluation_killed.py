"""An evaluation run killed at random moments ends as one that was not; nothing answered is asked again."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import IO

from store.database import Database
from tests.llm.server import Answer, Asked, LoopbackModels, serving
from tests.runs.evaluating import CONCURRENCY, decide, evaluate, outcomes_of, with_cases, with_pairs
from tests.runs.killing import ROOT, answers
from tests.studies import open_store

KILLS = 20
RUNS = ("first", "judges")
"""A run of PROBE-SWE and a run of judges of pairs, which are killed in turn."""


def slowly(asked: Asked) -> Answer:
    return Answer(decide(asked).text, delay=0.002)


def killed_runs(store: Path, server: LoopbackModels, seed: int) -> int:
    """Carry a run on and kill it after random numbers of requests, KILLS times in all; then let both end.

    Returns how many requests were under way at the kills at most.
    """
    chosen = random.Random(seed)
    command = [sys.executable, "-m", "tests.runs.evaluating", str(store), server.url]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        for number in range(KILLS):
            child = _started(RUNS[number % len(RUNS)], process.stdin, process.stdout)
            stop_at = len(server.asked) + chosen.randint(1, 6)
            while len(server.asked) < stop_at:
                time.sleep(0.001)
            time.sleep(chosen.random() / 50)
            os.kill(child, signal.SIGKILL)
            assert int(process.stdout.readline()) == -signal.SIGKILL
        for run in RUNS:
            _started(run, process.stdin, process.stdout)
            assert int(process.stdout.readline()) == 0
        process.stdin.close()
    return KILLS * CONCURRENCY


def _started(run: str, lines_in: IO[str], lines_out: IO[str]) -> int:
    lines_in.write(f"{run}\n")
    lines_in.flush()
    return int(lines_out.readline())


def test_a_run_that_is_killed_again_and_again_ends_as_one_that_is_not(tmp_path: Path) -> None:
    with closing(with_pairs(with_cases(open_store(tmp_path), cases=12), 12)):
        pass
    (tmp_path / "whole").mkdir()
    with serving(slowly) as server:
        under_way = killed_runs(tmp_path / "reviewer.db", server, seed=11)
        asked = len(server.asked)
    whole = with_pairs(with_cases(open_store(tmp_path / "whole"), cases=12), 12)
    with closing(whole), serving(decide) as server:
        for run in RUNS:
            evaluate(whole, server.url, name=run, repeats=2)
        expected = [outcomes_of(whole, run) for run in RUNS]
        assert len(server.asked) == sum(map(len, expected)) == 2 * 12 * 2 * 2 * 2
    assert {outcome.state for outcomes in expected for outcome in outcomes} == {"read"}
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as database:
        assert [outcomes_of(database, run) for run in RUNS] == expected
    kept = answers(tmp_path / "reviewer.db")
    assert max(Counter(call.ask for call in kept).values()) == 1
    assert asked - len(kept) <= under_way
