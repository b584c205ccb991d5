"""Repairs that a model proposes, from a real server on the loopback interface."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.proposing import proposal_source
from reviewer.llm.request import ChatMessage, ModelRequest
from reviewer.llm.request_errors import BudgetSpent
from reviewer.options.model_options import ModelOptions
from store.database import Database
from store.revisions import histories
from tests.cli.conftest import Result, Run
from tests.llm.server import Answer, LoopbackModels, error, serving
from tests.prolog import need_prolog
from tests.rounds import mostly_slow
from tests.studies import a_case, fill, open_store

KEY = "anchoring bias/0"
GOOD = a_case(0).payload["unbiased_prolog"]
LOST = GOOD.replace("release(0).", "release(0).\nbad(one two).")


def proposals(*texts: dict[str, str], **more: Any) -> str:
    found = [{"why": f"reason {number}", "texts": each} for number, each in enumerate(texts, 1)]
    return json.dumps({"proposals": found, **more})


@pytest.fixture
def database(tmp_path: Path, run: Run) -> Iterator[Database]:
    need_prolog()
    with closing(open_store(tmp_path)) as opened:
        fill(opened, "first", [a_case(0, unbiased_prolog=LOST)])
        assert run("audit", "first").code == 0
        yield opened


def proposed(run: Run, server: LoopbackModels, *more: object) -> Result:
    asked = ("--propose", "--model", "model-1", "--check", "lost_clauses", "--base-url", server.url)
    return run("repair", "first", *asked, "--format", "json", *more)


def revised(database: Database) -> list[Any]:
    with database.read() as session:
        return [step for history in histories(session).values() for step in history.revisions]


def test_proposals_are_run_listed_accepted_and_counted(run: Run, database: Database) -> None:
    undecided = GOOD.replace("decide_option", "decides")
    reply = proposals({"unbiased_prolog": undecided}, {"unbiased_prolog": GOOD}, {"unbiased_prolog": LOST})
    with serving(lambda _: Answer(f"```json\n{reply}\n```")) as server:
        listed = proposed(run, server)
        assert listed.code == 0, listed.err
        rows = json.loads(listed.out)
        assert [row["state"] for row in rows] == ["no decision", "offered", "changes nothing"]
        assert (rows[1]["settled"], rows[1]["decides"], rows[1]["why"]) == (
            True,
            "option_A / option_A",
            "reason 2",
        )
        assert revised(database) == []
        refused = proposed(run, server, "--case", KEY, "--accept", 1)
        assert (refused.code, revised(database)) == (2, [])
        assert "proposal 1 of this case is not offered; offered: 2." in refused.err
        done = proposed(run, server, "--case", KEY, "--accept", 2, "--as", "maria")
        assert done.code == 0, done.err
    assert len(server.asked) == 1
    (asked,) = server.asked
    assert "lost_clauses: SWI-Prolog cannot read a clause" in asked.last
    assert "- unbiased_prolog, line 3: bad(one two)." in asked.last
    assert f"## unbiased_prolog (unbiased program)\n{LOST}" in asked.last
    (step,) = revised(database)
    assert (step.author, step.proposed_by, step.reason) == ("maria", "model", "Repaired as model-1 proposed.")
    (count,) = [
        row
        for row in json.loads(run("repair", "first", "--proposals", "--format", "json").out)
        if row["check"] == "lost_clauses"
    ]
    assert (count["requests"], count["proposals"], count["accepted"]) == (1, 3, 1)
    assert count["accepted_cases"] == KEY


@mostly_slow(3)
@pytest.mark.parametrize(
    ("reply", "state"),
    [
        ("I would remove the clause.", "not JSON"),
        ('{"proposals": [{"why": "x", "texts": {"a": "b"', "not JSON"),
        ('{"repairs": []}', "other form"),
        ('{"proposals": [{"why": "x"}]}', "other form"),
        ('{"proposals": [{"why": "x", "texts": {"biased": 1}}]}', "other form"),
        (proposals({"correct_option": "option_B"}), "edits another field"),
        (proposals({"reconstructed_unbiased_prompt": "x"}), "edits another field"),
        (proposals({"unbiased_prolog": GOOD}, dismiss=["lost_clauses"]), "instructs the tool"),
        ('{"proposals": [{"why": "x", "texts": {}, "accept": true}]}', "instructs the tool"),
        (proposals({"unbiased_prolog": "  "}), "cannot be read"),
        (proposals({"unbiased_prolog": f":- shell('touch x').\n{GOOD}"}), "refused program"),
        (proposals({}), "changes nothing"),
    ],
)
def test_a_proposal_that_cannot_be_used_is_counted_in_a_class_of_its_own(
    run: Run, database: Database, reply: str, state: str
) -> None:
    with serving(lambda _: Answer(reply)) as server:
        done = proposed(run, server)
    assert done.code == 0, done.err
    assert [row["state"] for row in json.loads(done.out)] == [state]
    assert f"1 case: 0 offered, 1 {state}." in done.err
    assert revised(database) == []


def test_more_than_three_proposals_are_not_run(run: Run, database: Database) -> None:
    with serving(lambda _: Answer(proposals(*[{"unbiased_prolog": GOOD}] * 5))) as server:
        rows = json.loads(proposed(run, server).out)
    assert [row["state"] for row in rows] == ["offered"] * 3 + ["too many"] * 2


def test_a_server_that_fails_and_a_spent_budget_leave_everything_as_it_was(
    run: Run, database: Database, tmp_path: Path
) -> None:
    with serving(lambda _: error(401, "no such key")) as server:
        done = proposed(run, server)
    assert (done.code, revised(database)) == (4, [])
    models = tmp_path / "models.toml"
    models.write_text("[prices.model-1]\nprompt = 1.0\ncompletion = 1.0\n")
    with serving(lambda _: Answer(proposals())) as server:
        spent = proposed(run, server, "--models", models, "--budget", 0)
    assert (spent.code, server.asked) == (4, [])
    assert "budget" in spent.err


def test_app_asks_within_what_is_left_of_the_budget(database: Database, tmp_path: Path) -> None:
    models = tmp_path / "models.toml"
    models.write_text("[prices.model-1]\nprompt = 1.0\ncompletion = 1.0\n")
    request = ModelRequest((ChatMessage("user", "hello"),), "repair", model="model-1")
    with serving(lambda _: Answer("a reply")) as server:
        options = ModelOptions(base_url=server.url, models_file=models, budget=1.5e-5)
        source = proposal_source("model-1", options)
        assert source.ask(database, request) == "a reply"
        with pytest.raises(BudgetSpent, match="the budget of 0 is spent"):
            source.ask(database, replace(request, repeat=1))
    assert len(server.asked) == 1


def test_a_dry_run_shows_the_request_and_a_recording_is_replayed(
    run: Run, database: Database, tmp_path: Path
) -> None:
    with serving(lambda _: Answer(proposals({"unbiased_prolog": GOOD}))) as server:
        dry = proposed(run, server, "--dry-run")
        assert "Dry run: 1 request would be sent to model-1; nothing was." in dry.err
        assert server.asked == []
        assert proposed(run, server, "--record", tmp_path / "said.jsonl").code == 0
    replayed = proposed(run, server, "--replay", tmp_path / "said.jsonl", "--case", KEY, "--accept", 1)
    assert replayed.code == 0, replayed.err
    assert len(revised(database)) == 1
