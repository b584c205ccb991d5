"""Processes that share an evaluation run on a server: killed, stopped, given other limits."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from reviewer.core.errors import RequestError
from reviewer.llm.model_settings import CallLimits
from reviewer.llm.request_errors import LeaseEnded
from reviewer.runs.engine import shared_run
from reviewer.runs.evaluation.evaluation_setup import PreparedEvaluation
from reviewer.runs.evaluation.reading_again import read_again
from reviewer.runs.repair.proposal_run import RepairRequest, prepared_repairs, worst_findings
from store import leases
from store.copying import copy_store
from store.database import Database
from store.endpoint_use import draw_portion
from store.evaluations import Evaluations
from store.leases import held, join_run, leave_run, renew_lease, take_chunks
from store.records import Call, Outcome
from store.run_tables import CallRow, LeaseRow, RunChunkRow
from tests.llm.server import Answer, Asked, LoopbackModels, error, serving
from tests.runs.evaluating import (
    CONCURRENCY,
    MODELS,
    decide,
    evaluate,
    find_in_all,
    outcomes_of,
    prepare,
    with_cases,
)
from tests.runs.sharing import REPEATS, sharers
from tests.studies import open_store

Opener = Callable[[str], Database]
CASES = 12
QUESTIONS = CASES * 2 * len(MODELS) * REPEATS


def slowly(asked: Asked) -> Answer:
    return Answer(decide(asked).text, delay=0.05)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """The outcomes of one process with a file."""
    alone = with_cases(open_store(tmp_path_factory.mktemp("alone")), cases=CASES)
    with closing(alone), serving(decide) as server:
        evaluate(alone, server.url, repeats=REPEATS)
        return outcomes_of(alone)


@pytest.fixture
def central(server_url: str, opened: Opener) -> Database:
    return with_cases(opened(server_url), cases=CASES)


def both_work(central: Database, models: LoopbackModels, asked: int) -> None:
    """Return when two processes take part and this many requests came."""
    end = time.monotonic() + 60
    while len(models.asked) < asked or processes(central) < 2:
        assert time.monotonic() < end, f"{processes(central)} processes, {len(models.asked)} requests"
        time.sleep(0.002)


def processes(central: Database) -> int:
    with central.read() as session:
        return len(session.exec(select(LeaseRow)).all())


def end_lease(central: Database, process: int) -> None:
    """Let the lease of a process end now, by the server's clock: none ends because this machine is busy."""
    with central.write() as session:
        of_process = col(LeaseRow.process) == process
        session.execute(update(LeaseRow).where(of_process).values(until=0))


def calls_of(central: Database) -> list[Call]:
    with central.read() as session:
        rows = session.exec(select(CallRow).where(col(CallRow.model).in_(MODELS))).all()
        return [Call.model_validate(row.model_dump()) for row in rows]


def test_the_chunks_of_a_killed_process_are_asked_by_the_other(
    central: Database, server_url: str, undisturbed: list[Outcome]
) -> None:
    with serving(slowly) as server, sharers(server_url, server.url) as start:
        one, other = start.go(), start.go()
        warm = CASES * 2
        both_work(central, server, warm + 24)
        os.kill(one, signal.SIGKILL)
        assert start.wait(one) == -signal.SIGKILL
        end_lease(central, one)
        assert start.wait(other) == 0
        asked = len(server.asked) - warm
    assert outcomes_of(central) == undisturbed
    calls = calls_of(central)
    assert max(Counter(call.ask for call in calls).values()) == 1
    assert len(calls) == QUESTIONS <= asked <= QUESTIONS + CONCURRENCY


@pytest.mark.slow
def test_a_process_that_was_stopped_beyond_its_lease_sends_nothing_more(
    central: Database, server_url: str, undisturbed: list[Outcome]
) -> None:
    warm = CASES * 2
    with serving(slowly) as models, sharers(server_url, models.url) as start:
        one, other = start.go(), start.go()
        both_work(central, models, warm + 24)
        start.stop(one)
        end_lease(central, one)
        assert start.wait(other) == 0
        asked = len(models.asked)
        assert len(calls_of(central)) == QUESTIONS
        start.go_on(one)
        assert start.wait(one) == 0
        assert len(models.asked) == asked
    assert outcomes_of(central) == undisturbed
    assert len(calls_of(central)) == asked - warm <= QUESTIONS + CONCURRENCY
    assert processes(central) == 0


def test_a_model_that_fails_is_left_missing_and_asked_again(central: Database) -> None:
    gone = error(404, "no such model")
    with serving(lambda asked: gone if asked.body["model"] == "m2" else decide(asked)) as server:
        progress = evaluate(central, server.url)
        server.respond = decide
        later = evaluate(central, server.url)
        assert evaluate(central, server.url) == later
    assert [(part.counts["read"], part.counts["missing"]) for part in progress.parts] == [
        (2 * CASES, 0),
        (0, 2 * CASES),
    ]
    assert "no such model" in progress.parts[1].why
    assert later.is_finished


def test_a_run_that_is_shared_is_not_read_again_and_one_that_is_read_again_is_not_shared(
    central: Database,
) -> None:
    with serving(decide) as server:
        evaluate(central, server.url, conditions={"version": ("biased",)})
        process = join_run(central, "first", MODELS, server.url, (None, None))
        with pytest.raises(RequestError, match="is under way in process"):
            read_again(central, "first")
        read_again(central, "first", take_over=True)
        assert renew_lease(central, process) == 0
        with held(central, "first", kind="evaluate"), pytest.raises(RequestError, match="under way in proc"):
            join_run(central, "first", MODELS, server.url, (None, None))


def test_processes_that_give_a_run_the_same_cases_share_it_and_others_are_refused(central: Database) -> None:
    targets = worst_findings(find_in_all(central), "own")
    nowhere, limits = "http://127.0.0.1:9", CallLimits()

    def asking(number: int) -> PreparedEvaluation:
        return prepared_repairs(central, RepairRequest("own", "m1", "lead", targets[:number]))

    with asking(4).share(nowhere, limits) as new:
        new.begin(nowhere)
    two, other, different = asking(12), asking(12), asking(6)
    with two.share(nowhere, limits) as first, other.share(nowhere, limits) as second:
        first.begin(nowhere)
        second.begin(nowhere)
        with (
            different.share(nowhere, limits) as third,
            pytest.raises(RequestError, match="just begun run 'own-repairs' with other settings or cases"),
        ):
            third.begin(nowhere)
    assert len(Evaluations(central).sample("own-repairs")) == 12


def test_a_second_process_that_begins_the_run_with_other_settings_is_refused(central: Database) -> None:
    two, other = (prepare(central, repeats=2) for _ in range(2))
    different = prepare(central, repeats=1)
    nowhere, limits = "http://127.0.0.1:9", CallLimits()
    with two.share(nowhere, limits) as first:
        first.begin(nowhere)
        with other.share(nowhere, limits) as second:
            second.begin(nowhere)
        with (
            different.share(nowhere, limits) as third,
            pytest.raises(RequestError, match="just begun run 'first' with other settings"),
        ):
            third.begin(nowhere)
        with central.read() as session:
            chunks = session.exec(select(RunChunkRow)).all()
    assert len({(chunk.model, chunk.repeat, chunk.first) for chunk in chunks}) == len(chunks) == 8


def test_the_smallest_limits_of_all_processes_hold_for_all_together(central: Database) -> None:
    one = join_run(central, "first", MODELS, "http://here", (10, None))
    other = join_run(central, "second", MODELS, "http://here", (40, 1_000))
    elsewhere = join_run(central, "first", MODELS, "http://there", (None, None))
    first = draw_portion(central, one, 6, 600, 100, {})
    second = draw_portion(central, other, 6, 600, 100, {})
    assert [(drawn.requests, drawn.tokens) for drawn in (first, second)] == [(6, 600), (4, 400)]
    third = draw_portion(central, one, 6, 600, 100, {})
    assert (third.requests, third.wait > 50) == (0, True)
    again = draw_portion(central, one, 6, 600, 100, {first.second: (-3, -300)})
    assert (again.requests, again.tokens) == (3, 300)
    assert draw_portion(central, elsewhere, 500, 5, 1, {}).requests == 500
    leave_run(central, one)
    assert draw_portion(central, other, 90, 5, 5, {second.second: (0, -400)}).requests == 30


def test_one_process_gets_no_chunk_of_another_until_its_lease_has_ended(
    central: Database, opened: Opener, tmp_path_factory: pytest.TempPathFactory
) -> None:
    prepared = prepare(central)
    with prepared.share("http://here", CallLimits()) as share:
        share.begin("http://here")
        one, other = (join_run(central, "first", MODELS, "http://here", (None, None)) for _ in range(2))
        mine = take_chunks(central, one, MODELS, 1)
        theirs = take_chunks(central, other, MODELS, 9)
        assert mine
        assert theirs
        assert not {chunk.number for chunk in mine.chunks} & {chunk.number for chunk in theirs.chunks}
        leave_run(central, one)
        freed = take_chunks(central, other, MODELS, 9)
        assert freed
        assert freed.begun == {chunk.number for chunk in mine.chunks}
        assert take_chunks(central, one, MODELS, 9) is None
        copy = opened(str(tmp_path_factory.mktemp("copies") / "store.db"))
        copy_store(central, copy)
    with copy.read() as session:
        assert session.exec(select(RunChunkRow)).all() == []


def test_a_lease_that_has_ended_here_is_not_renewed(
    central: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(shared_run, "_clock", lambda: now[0])
    with prepare(central).share("http://here", CallLimits()) as share:
        assert share.limits
        share.limits.check()
        now[0] += leases.LEASE_MS / 1000
        with pytest.raises(LeaseEnded):
            share.limits.check()
        now[0] = 100.0  # as if it had been renewed meanwhile
        with pytest.raises(LeaseEnded):
            share.limits.check()
