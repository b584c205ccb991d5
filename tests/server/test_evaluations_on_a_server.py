"""Evaluation runs of a store on a server: as in a file, in its copy, and out of reach for raters' users."""

from collections.abc import Callable

import psycopg
import pytest

from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.evaluated import read_evaluation
from store.copying import copy_store
from store.database import Database
from store.leases import held
from tests.llm.server import serving
from tests.runs.evaluating import decide, evaluate, outcomes_of, with_cases

Opener = Callable[[str], Database]


def test_a_run_on_a_server_is_in_its_copy(
    server_url: str, opened: Opener, tmp_path_factory: pytest.TempPathFactory
) -> None:
    central = with_cases(opened(server_url))
    with serving(decide) as server:
        progress = evaluate(central, server.url, repeats=2)
        again = evaluate(central, server.url)
        assert len(server.asked) == 24
    assert progress == again
    copy = opened(str(tmp_path_factory.mktemp("copies") / "store.db"))
    copy_store(central, copy)
    assert outcomes_of(copy) == outcomes_of(central)
    first, second = (read_evaluation(store, protocols_of(store), "first") for store in (central, copy))
    assert first.cases == second.cases
    assert {model: array.tolist() for model, array in first.labels.items()} == {
        model: array.tolist() for model, array in second.labels.items()
    }
    with held(central, "n" * 64, kind="evaluate") as hold:  # the column has room for 64 characters
        assert len(hold.run) == 64


def test_a_raters_user_may_neither_read_nor_write_outcomes(central: Database, as_anna: str) -> None:
    with psycopg.connect(as_anna.replace("+psycopg", "")) as connection:
        for deed in (
            "SELECT 1 FROM outcomes",
            "SELECT 1 FROM evaluations",
            "INSERT INTO run_roles (run) VALUES ('x')",
        ):
            with pytest.raises(psycopg.Error, match=r"permission denied|does not exist"):
                connection.execute(deed)
            connection.rollback()
