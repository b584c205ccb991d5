"""A discovery run killed at random moments ends as one that was not; nothing answered is asked again."""

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from store.candidates import candidates_of
from store.cases import Filter, list_places
from store.database import Database
from store.records import Candidate, Case, Membership
from tests.llm.server import Answer, Asked, serving
from tests.runs.discovering import Habits, a_discovery, discover, with_material
from tests.runs.generating import CONCURRENCY
from tests.runs.killing import answers, killed_again_and_again
from tests.studies import open_store

PAIRS, VALIDATION, KILLS = 8, 7, 4
DATASETS = tuple(f"found{ending}" for ending in ("", ".discarded", ".rewrites", ".rewrites.discarded"))
Made = tuple[list[Candidate], list[tuple[Membership, Case]]]


def made(database: Database) -> Made:
    """Everything that a run made, but for the ids of its calls."""
    with database.read() as session:
        candidates = candidates_of(session, "found")
        places = list_places(session, Filter(datasets=DATASETS))
    return [each.model_copy(update={"calls": len(each.calls)}) for each in candidates], places


def kill(folder: Path, kills: int, pairs: int, validation: int, seed: int) -> tuple[Made, list[str], int]:
    """What a run made that was killed so often, the requests of its answers, and how many were sent."""
    habits = Habits()

    def slowly(asked: Asked) -> Answer:
        return Answer(habits(asked).text, delay=0.002)

    with closing(with_material(open_store(folder), pairs, validation)):
        pass
    with serving(slowly) as server:
        killed_again_and_again(
            "tests.runs.discovering", folder / "reviewer.db", server, kills, ["found"], seed
        )
        sent = len(server.asked)
    with closing(Database.open(str(folder / "reviewer.db"))) as database:
        return made(database), [call.ask for call in answers(folder / "reviewer.db")], sent


def undisturbed(folder: Path, pairs: int, validation: int) -> Made:
    """What a run makes that nobody kills."""
    with (
        closing(with_material(open_store(folder), pairs, validation)) as database,
        serving(Habits()) as server,
    ):
        discover(database, server.url, a_discovery())
        return made(database)


@pytest.mark.slow  # the engine is that of evaluations, which are killed in every run of the tests
def test_a_run_that_is_killed_ends_as_one_that_is_not(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    ended, kept, sent = kill(tmp_path, KILLS, PAIRS, VALIDATION, seed=5)
    assert max(Counter(kept).values()) == 1
    assert sent - len(kept) <= KILLS * CONCURRENCY
    assert ended == undisturbed(tmp_path / "whole", PAIRS, VALIDATION)
