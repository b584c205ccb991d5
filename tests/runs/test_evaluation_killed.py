"""An evaluation run killed at random moments ends as one that was not; nothing answered is asked again."""

import zlib
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from store.database import Database
from tests.detected_texts import detecting
from tests.llm.server import Answer, Asked, serving
from tests.rounds import rounds
from tests.runs.evaluating import (
    CONCURRENCY,
    decide,
    evaluate,
    outcomes_of,
    with_cases,
    with_findings,
    with_pairs,
    with_texts,
)
from tests.runs.killing import answers, killed_again_and_again
from tests.studies import open_store

RUNS = ("first", "judges")
"""A run of PROBE-SWE and a run of judges of pairs, which are killed in turn."""


def slowly(asked: Asked) -> Answer:
    return Answer(decide(asked).text, delay=0.002)


@pytest.mark.parametrize("kills", rounds(2, [20]))
def test_a_run_that_is_killed_again_and_again_ends_as_one_that_is_not(tmp_path: Path, kills: int) -> None:
    with closing(with_pairs(with_cases(open_store(tmp_path), cases=12), 12)):
        pass
    (tmp_path / "whole").mkdir()
    with serving(slowly) as server:
        killed_again_and_again("tests.runs.evaluating", tmp_path / "reviewer.db", server, kills, RUNS, 11)
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
    assert asked - len(kept) <= kills * CONCURRENCY


@pytest.mark.parametrize("kills", rounds(2, [20]))
def test_proposals_that_are_killed_again_and_again_end_as_ones_that_are_not(
    tmp_path: Path, kills: int
) -> None:
    cases, run = 40, "own-repairs"
    with closing(with_findings(open_store(tmp_path), cases)):
        pass
    (tmp_path / "whole").mkdir()
    path = tmp_path / "reviewer.db"
    with serving(lambda asked: Answer(_proposed(asked).text, delay=0.002)) as server:
        killed_again_and_again("tests.runs.evaluating", path, server, kills, (run,), 7)
        asked = len(server.asked)
    with closing(with_findings(open_store(tmp_path / "whole"), cases)) as whole, serving(_proposed) as server:
        evaluate(whole, server.url, name=run)
        expected = outcomes_of(whole, run)
        assert len(server.asked) == len(expected) == cases
    assert {outcome.label for outcome in expected} == {"proposals", "no proposal", "not JSON"}
    with closing(Database.open(str(path))) as database:
        assert outcomes_of(database, run) == expected
    kept = answers(path)
    assert max(Counter(call.ask for call in kept).values()) == 1
    assert asked - len(kept) <= kills * CONCURRENCY


def _proposed(asked: Asked) -> Answer:
    """A reply of one of three kinds, by the text of the request."""
    replies = ("I would not.", '{"proposals": []}', '{"proposals": [{"why": "", "texts": {}}]}')
    return Answer(replies[zlib.crc32(asked.last.encode()) % len(replies)])


@pytest.mark.slow  # runs above are killed with every suite, and debates are carried on by the same engine
@pytest.mark.parametrize("kills", rounds(2, [20]))
def test_detection_that_is_killed_again_and_again_ends_as_one_that_is_not(tmp_path: Path, kills: int) -> None:
    """A debate asks many requests for one outcome; all that were answered are read again from the store."""
    texts = 2
    with closing(with_texts(with_cases(open_store(tmp_path), cases=1), texts)):
        pass
    (tmp_path / "whole").mkdir()
    with serving(lambda asked: Answer(_detected(asked).text, delay=0.002)) as server:
        path = tmp_path / "reviewer.db"
        killed_again_and_again("tests.runs.evaluating", path, server, kills, ("detection",), 5)
        asked = len(server.asked)
    with closing(with_texts(open_store(tmp_path / "whole"), texts)) as whole, serving(detecting) as server:
        evaluate(whole, server.url, name="detection", repeats=2)
        expected = outcomes_of(whole, "detection")
        assert len(server.asked) < sum(
            len(outcome.request.split()) for outcome in expected
        )  # some are shared
    assert {outcome.state for outcome in expected} == {"read"}
    assert len(expected) == texts * 3 * 2 * 2
    with closing(Database.open(str(path))) as database:
        assert outcomes_of(database, "detection") == expected
    kept = answers(path)
    assert max(Counter(call.ask for call in kept).values()) == 1
    assert asked - len(kept) <= kills * CONCURRENCY


def _detected(asked: Asked) -> Answer:
    """The other run only warms the process up."""
    return detecting(asked) if "Note " in asked.last else decide(asked)
