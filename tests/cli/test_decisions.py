"""``check --decisions``: models beside themselves, each other and logic."""

import csv
import io
from pathlib import Path

import pytest

from store.database import Database
from tests.cli.conftest import Run
from tests.llm.server import Answer, Asked, error, serving
from tests.studies import a_case, fill


@pytest.fixture(autouse=True)
def database(prolog: None, tmp_path: Path) -> Database:
    database = Database.open(str(tmp_path / "reviewer.db"))
    undecided = a_case(3).payload["unbiased_prolog"].replace("tested(option_A).", "")
    fill(database, "one", [a_case(1), a_case(2), a_case(3, unbiased_prolog=undecided)])
    return database


def test_agreement_is_counted_run_by_run(run: Run) -> None:
    """One model always decides as logic does; the other one does in 3 of 5 runs, and once names nothing."""
    says = ["Option A", "Option A", "Option A", "Option B", "I cannot say"]

    def respond(asked: Asked) -> Answer:
        if asked.body["model"] == "steady":
            return Answer("Explanation: so.\nDecision: Option A")
        before = [each for each in server.asked[:-1] if each.body == asked.body]
        return Answer(f"Explanation: so.\nDecision: {says[len(before)]}")

    with serving(respond) as server:
        wanted = ("--decisions", "steady", "--decisions", "wavering", "--base-url", server.url)
        shown = run("check", "one", *wanted, "--format", "csv")
        assert shown.code == 0, shown.err
        assert len(server.asked) == 30
        again = run("check", "one", *wanted, "--format", "csv")
        assert (len(server.asked), again.out) == (30, shown.out)
    rows = list(csv.reader(io.StringIO(shown.out)))[1:]
    assert [(*row[:3], float(row[3]), float(row[4])) for row in rows] == [
        ("steady", "itself", "3", 1.0, 1.0),
        ("steady", "logic", "2", 1.0, 1.0),
        ("wavering", "itself", "3", 0.6, 0.0),
        ("wavering", "logic", "2", 0.6, 0.0),
        ("steady", "wavering", "3", 0.6, 0.0),
    ]
    assert "3 cases, 1 that logic does not decide; 3 replies name no decision." in shown.err


def test_a_model_that_cannot_be_asked_is_one_sentence(run: Run) -> None:
    with serving(lambda asked: error(404, "The model does not exist.", code="model_not_found")) as server:
        shown = run("check", "one", "--decisions", "none", "--base-url", server.url)
    assert (shown.code, shown.out) == (2, "")
    assert "'none'" in shown.err
    assert "Traceback" not in shown.err
