"""Generation killed at random moments goes on where it was, and nothing answered is asked again."""

from collections import Counter
from pathlib import Path

import pytest

from tests.llm.server import serving
from tests.prolog import need_prolog
from tests.runs.answering import KnownPairs
from tests.runs.generating import CONCURRENCY, some_pairs, with_seeds
from tests.runs.killing import GROUPS, Kill, alike, answers, killed, made, made_anew
from tests.studies import open_store

MOMENTS = 3


@pytest.mark.slow  # the engine is that of evaluations, which are killed in every run of the tests
def test_a_killed_run_ends_as_one_that_was_not(tmp_path: Path) -> None:
    need_prolog()
    database = with_seeds(open_store(tmp_path))
    store = tmp_path / "reviewer.db"
    with serving(KnownPairs(some_pairs(GROUPS, 60), batch=2)) as server:
        kills = killed(store, server, target=8, moments=MOMENTS, seed=7)
        asked = len(server.asked)
    assert len(kills) == MOMENTS
    assert all(
        kill.lost - before.lost <= CONCURRENCY
        for before, kill in zip([Kill(0, 0), *kills], kills, strict=False)
    )
    kept = answers(store)
    assert max(Counter(call.ask for call in kept).values()) == 1
    assert asked - len(kept) == kills[-1].lost <= len(kills) * CONCURRENCY
    (tmp_path / "anew").mkdir()
    assert alike(made_anew(store, tmp_path / "anew", target=8), made(database))
