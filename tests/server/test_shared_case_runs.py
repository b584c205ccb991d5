"""Processes that share a run of a procedure of a protocol's own on a server; one of them is killed."""

import json
import os
import signal
import subprocess
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import CursorResult, update
from sqlmodel import col, select

from store.calls import KeptCalls
from store.cases import Filter, list_places
from store.database import Database
from store.records import Run
from store.run_tables import CallRow, LeaseRow
from store.runs import find_run
from tests.llm.server import Answer, Asked, LoopbackModels, serving
from tests.quick_start import quick_start
from tests.runs.killing import ROOT
from tests.runs.staging import stage, staged_answer
from tests.second_protocol.material import PROTOCOLS, a_dialogue, fill_tiny
from tests.second_protocol.test_judge_procedure import NEW, RUN, expected, judged
from tests.server.conftest import Opener
from tests.staged_cases import a_script, fill
from tests.studies import open_store

CASES, SCRIPTS = 60, 40
AT_ONCE = 4


def slowly(asked: Asked) -> Answer:
    return Answer(judged(asked).text, delay=0.05)


def start(
    store: str, models: LoopbackModels, *words: str, program: str = "tests.second_protocol.program"
) -> "subprocess.Popen[str]":
    """Take part in the run in a process of its own."""
    given = ("--base-url", models.url, "--concurrency", str(AT_ONCE), "--store", store, "--format", "json")
    command = [*quick_start(), "-m", program, *words, *given]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )


def take_part(central: Database) -> list[int]:
    """The processes that have a lease."""
    with central.read() as session:
        return list(session.exec(select(LeaseRow.process)))


def until_both_ask(central: Database, models: LoopbackModels, asked: int) -> None:
    end = time.monotonic() + 60
    while len(models.asked) < asked or len(take_part(central)) < 2:
        assert time.monotonic() < end, f"{take_part(central)}, {len(models.asked)} requests"
        time.sleep(0.002)


def counted(central: Database, name: str = "scores") -> tuple[Run, list[str]]:
    """The run, and the request of every stored call."""
    with central.read() as session:
        run = find_run(session, name)
        assert run is not None
        return run, list(session.exec(select(CallRow.ask)))


@pytest.mark.slow  # chunks are shared as those of evaluations, one of whose processes is always killed
def test_cases_of_a_killed_process_get_their_values_from_the_other_and_nothing_is_asked_twice(
    server_url: str,
) -> None:
    with closing(Database.open(server_url, protocols=PROTOCOLS)) as central, serving(slowly) as models:
        fill_tiny(central, "talks", cases := [a_dialogue(number) for number in range(CASES)])
        both = [start(server_url, models, *NEW) for _ in range(2)]
        until_both_ask(central, models, 30)
        os.kill(killed := take_part(central)[0], signal.SIGKILL)
        with central.write() as session:  # by the server's clock: this machine may be busy
            ended = update(LeaseRow).where(col(LeaseRow.process) == killed).values(until=0)
            assert cast("CursorResult[Any]", session.execute(ended)).rowcount == 1
        printed = [process.communicate(timeout=120) for process in both]
        ((out, _),) = [texts for process, texts in zip(both, printed, strict=True) if not process.returncode]
        run, kept = counted(central)
        again = start(server_url, models, *RUN)
        assert again.communicate(timeout=60)[0] == out
        assert counted(central) == (run, kept)
        assert take_part(central) == []
    assert max(Counter(kept).values()) == 1
    assert len(kept) <= len(models.asked) <= len(kept) + AT_ONCE
    (score,) = [row for row in json.loads(out) if row["value"] == "judge_score"]
    assert (score["cases"], round(score["mean"], 9)) == (CASES, round(expected(cases), 9))
    assert (run.state, run.why) == ("finished", "")


def staging(asked: Asked) -> Answer:
    return Answer(staged_answer(asked).text, delay=0.05)


@pytest.mark.slow
def test_two_processes_share_a_staging_and_one_ends_what_the_other_began(
    server_url: str, tmp_path: Path
) -> None:
    scripts = [a_script(number) for number in range(SCRIPTS)]
    roles = [f"--role={role}" for role in ("subject=tested-7b", "confederate=helper", "supervisor=watchful")]
    command = ("run", "dialogue-scripts", "stage", "staged", "--dataset", "scripts", *roles)
    with closing(Database.open(server_url)) as central, serving(staging) as models:
        fill(central, "scripts", scripts)
        both = [start(server_url, models, *command, program="reviewer") for _ in range(2)]
        until_both_ask(central, models, 30)
        os.kill(killed := take_part(central)[0], signal.SIGKILL)
        with central.write() as session:
            ended = update(LeaseRow).where(col(LeaseRow.process) == killed).values(until=0)
            assert cast("CursorResult[Any]", session.execute(ended)).rowcount == 1
        printed = [process.communicate(timeout=120) for process in both]
        assert sorted(process.returncode for process in both) == [-signal.SIGKILL, 0], printed
        shared, kept = staged_places(central), counted(central, "staged")[1]
    assert max(Counter(kept).values()) == 1, "nothing that was answered is asked again"
    assert len(kept) <= len(models.asked) <= len(kept) + AT_ONCE
    with closing(open_store(tmp_path)) as alone, serving(staged_answer) as others:
        fill(alone, "scripts", scripts)
        stage(alone, others.url)
        assert shared == staged_places(alone)
    assert len(shared) == SCRIPTS


def staged_places(database: Database) -> list[tuple[str, str, str]]:
    """Key, generator and transcript of every staged dialogue."""
    with database.read() as session:
        places = list_places(session, Filter(datasets=("staged",)))
    return [(place.key, place.generator, case.digest) for place, case in places]


def test_two_processes_count_the_calls_of_both(server_url: str) -> None:
    with closing(Database.open(server_url, protocols=PROTOCOLS)) as central, serving(slowly) as models:
        fill_tiny(central, "talks", [a_dialogue(number) for number in range(CASES)])
        both = [start(server_url, models, *NEW) for _ in range(2)]
        until_both_ask(central, models, 20)
        ended = [process.communicate(timeout=120) for process in both]
        assert [process.returncode for process in both] == [0, 0], ended
        run, kept = counted(central)
    assert KeptCalls(run.calls, run.cost, run.unpriced) == KeptCalls(len(kept), 0.0, len(kept))
    assert len(models.asked) == len(kept)


def test_cases_that_come_of_others_are_kept_on_a_server_as_in_a_file(
    server_url: str, opened: Opener, tmp_path: Path
) -> None:
    kept = []
    for database in (opened(server_url), open_store(tmp_path)):
        with closing(database), serving(staged_answer) as models:
            fill(database, "scripts", [a_script(number) for number in range(2)])
            stage(database, models.url)
            with database.read() as session:
                kept.append(list_places(session, Filter(datasets=("staged",))))
    assert kept[0] == kept[1]
    assert len(kept[0]) == 2
