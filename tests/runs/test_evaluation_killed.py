"""An evaluation run killed at random moments ends as one that was not; nothing answered is asked again."""

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from store.database import Database
from tests.llm.server import Answer, Asked, serving
from tests.rounds import rounds
from tests.runs.evaluating import CONCURRENCY, decide, evaluate, outcomes_of, with_cases, with_pairs
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
