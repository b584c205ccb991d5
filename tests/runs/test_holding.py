"""A run of generation is carried on by one process at a time, and goes on when that one is gone."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import update

from reviewer.core.errors import RequestError
from reviewer.oracle import pool
from reviewer.runs.engine import run_loop
from store import leases
from store.clock import now_ms
from store.database import Database
from store.leases import held
from store.run_tables import LeaseRow
from tests.llm.server import Answer, Asked, serving
from tests.prolog import need_prolog
from tests.runs.answering import KnownPairs
from tests.runs.generating import a_request, generate, some_pairs, with_seeds
from tests.runs.killing import ROOT
from tests.studies import open_store

GROUPS = ("anchoring bias",)


def at_first(deed: Callable[[], object]) -> Callable[[object], None]:
    """Something to be told of progress, which does a deed the first time."""
    told = list[object]()

    def tell(standing: object) -> None:
        told.append(standing)
        if len(told) == 1:
            deed()

    return tell


def test_a_second_process_is_refused_and_asks_nothing(tmp_path: Path) -> None:
    need_prolog()
    database = with_seeds(open_store(tmp_path))
    refused = list[BaseException | None]()

    def second() -> None:
        with ThreadPoolExecutor(1) as thread:
            other = thread.submit(generate, open_store(tmp_path), server.url, executor, a_request(GROUPS))
            refused.append(other.exception())

    with serving(KnownPairs(some_pairs(GROUPS, 6), batch=2)) as server, pool.open_executor(2) as executor:
        run = generate(database, server.url, executor, a_request(GROUPS), at_first(second))
    (error,) = refused
    assert isinstance(error, RequestError)
    assert "'run' is under way in process" in str(error)
    assert len(server.asked) == run.calls


def test_a_run_that_was_taken_over_writes_no_round(tmp_path: Path) -> None:
    need_prolog()
    database = with_seeds(open_store(tmp_path))
    taken = held(database, "run", take_over=True)
    with serving(KnownPairs(some_pairs(GROUPS, 6), batch=2)) as server, pool.open_executor(2) as executor:
        with pytest.raises(RequestError, match="was taken over by process"):
            generate(database, server.url, executor, a_request(GROUPS), at_first(taken.__enter__))
        taken.__exit__(None, None, None)
        asked = len(server.asked)
        run = generate(database, server.url, executor, a_request(GROUPS))
    assert (run.state, run.rounds, len(server.asked)) == ("finished", 1, asked)


def test_a_run_that_was_taken_over_soon_asks_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_prolog()
    monkeypatch.setattr(run_loop, "LEASE_MS", 80)
    database = with_seeds(open_store(tmp_path))
    known = KnownPairs(some_pairs(GROUPS, 40), batch=2)

    def slow(asked: Asked) -> Answer:
        return Answer(known(asked).text, delay=0.1)

    taken = held(database, "run", take_over=True)
    taken_over = pytest.raises(RequestError, match="was taken over by process")
    with serving(slow) as server, pool.open_executor(2) as executor, taken_over:
        generate(database, server.url, executor, a_request(GROUPS, target=9), at_first(taken.__enter__))
    taken.__exit__(None, None, None)
    assert len(server.asked) < 13  # what one candidate takes


def test_a_hold_ends_with_its_process(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    hold = (
        "import os, sys; from store.database import Database; from store.leases import held\n"
        "with held(Database.open(sys.argv[1]), 'run'): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", hold, str(tmp_path / "reviewer.db")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == b"held\n"
        with (
            pytest.raises(RequestError, match=f"under way in process {process.pid} on"),
            held(database, "run"),
        ):
            pass
        process.kill()
        process.wait()
        with held(database, "run") as own:
            assert own.process != process.pid


def on_another_machine(database: Database, until: int) -> None:
    """As if the hold had been taken there, by a process with the number of one that is not here."""
    with database.write() as session:
        there = {"machine": "elsewhere", "host": "elsewhere", "process": 2**22 + 1, "until": until}
        session.connection().execute(update(LeaseRow).values(**there))


def test_a_hold_from_another_machine_ends_with_its_lease(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    with held(database, "run"):
        on_another_machine(database, now_ms() + 30_000)
        with pytest.raises(RequestError, match=r"on elsewhere since .* --take-over"), held(database, "run"):
            pass
        with held(database, "run", take_over=True):
            on_another_machine(database, now_ms() - 1)
        with held(database, "run") as own:
            assert leases.renew_lease(database, own)


def test_a_hold_that_was_lost_is_not_renewed_nor_given_up_for_the_other(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    with held(database, "run") as first:
        other = held(database, "run", take_over=True)
        own = other.__enter__()
        assert not leases.renew_lease(database, first)
    assert leases.renew_lease(database, own)
    other.__exit__(None, None, None)


def test_what_is_no_name_of_a_run_is_held_by_nobody(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="is not valid"), held(open_store(tmp_path), "../run"):
        pass
