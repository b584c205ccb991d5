"""Repairs that a model proposes, from a real server on the loopback interface."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.proposing import proposal_source
from reviewer.core.errors import Unfinished
from reviewer.llm.request import ModelRequest
from reviewer.llm.request_errors import BudgetSpent
from reviewer.options.model_options import ModelOptions
from reviewer.protocols.registry import PROTOCOLS
from reviewer.runs.repair.proposal_run import RepairPlan, worst_findings
from reviewer.runs.repair.proposals import proposal_request
from reviewer.runs.repair.revise import read_place, revise
from reviewer.runs.run_setup import read_prompts
from store.calls import StoredCalls
from store.clock import instant, now_ms
from store.database import Database
from store.dismissals import dismiss
from store.evaluations import Evaluations
from store.records import Call, Case, Finding
from store.records import Run as KeptRun
from store.revisions import histories
from tests.cli.conftest import Result, Run
from tests.llm.server import Answer, LoopbackModels, error, serving
from tests.prolog import need_prolog
from tests.rounds import mostly_slow
from tests.runs.evaluating import a_finding
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


def runs_of(database: Database) -> list[KeptRun]:
    return Evaluations(database).proposals("first")


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
    (kept,) = json.loads(run("run", "--format", "json").out)
    assert (kept["run"], kept["procedure"], kept["models"]) == ("first-repairs", "repair", "author model-1")
    assert (kept["state"], kept["kept"], kept["calls"]) == ("finished", 1, 1)


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


def test_app_asks_within_what_is_left_of_the_budget_and_keeps_replies_in_the_run(
    run: Run, database: Database, tmp_path: Path
) -> None:
    models = tmp_path / "models.toml"
    models.write_text("[prices.model-1]\nprompt = 1.0\ncompletion = 1.0\n")
    (target,) = worst_findings(database, "first", checks=("lost_clauses",))
    edited = a_case(0)
    with serving(lambda _: Answer("a reply")) as server:
        options = ModelOptions(base_url=server.url, models_file=models, budget=1.5e-5)
        source = proposal_source("model-1", options, "maria")
        assert source.ask(database, target.now, target.now.case, target.finding) == "a reply"
        assert source.ask(database, target.now, target.now.case, target.finding) == "a reply"
        with pytest.raises(BudgetSpent, match="the budget of 0 is spent"):
            source.ask(database, target.now, edited, target.finding)
        unlimited = proposal_source("model-1", ModelOptions(base_url=server.url), "maria")
        assert unlimited.ask(database, target.now, edited, target.finding) == "a reply"
        assert len(server.asked) == 2
        assert [row["state"] for row in json.loads(proposed(run, server).out)] == ["not JSON"]
    assert len(server.asked) == 2, "the command lists the reply that the app has got"
    assert [len(Evaluations(database).sample(kept.name)) for kept in runs_of(database)] == [1]


def test_a_failing_server_is_named_to_the_app(database: Database) -> None:
    (target,) = worst_findings(database, "first", checks=("lost_clauses",))
    with serving(lambda _: error(401, "no such key")) as server:
        source = proposal_source("model-1", ModelOptions(base_url=server.url), "maria")
        with pytest.raises(Unfinished, match="no such key"):
            source.ask(database, target.now, target.now.case, target.finding)


def test_a_dry_run_shows_the_request_and_a_recording_is_replayed(
    run: Run, database: Database, tmp_path: Path
) -> None:
    with serving(lambda _: Answer(proposals({"unbiased_prolog": GOOD}))) as server:
        dry = proposed(run, server, "--dry-run")
        assert dry.code == 0, dry.err
        assert f"## unbiased_prolog (unbiased program)\n{LOST}" in dry.err
        (planned,) = json.loads(dry.out)
        assert (planned["model"], planned["calls"], planned["answer tokens"]) == ("model-1", 1, 1000)
        assert (server.asked, runs_of(database)) == ([], [])
        assert proposed(run, server, "--record", tmp_path / "said.jsonl").code == 0
    replayed = proposed(run, server, "--replay", tmp_path / "said.jsonl", "--case", KEY, "--accept", 1)
    assert replayed.code == 0, replayed.err
    assert len(revised(database)) == 1


NOTHING = proposals()
"""A reply that proposes nothing."""


@pytest.fixture
def three(tmp_path: Path, run: Run) -> Iterator[Database]:
    """A store with three cases, each with a program that has lost a clause."""
    need_prolog()
    with closing(open_store(tmp_path)) as opened:
        fill(opened, "first", [a_case(number, unbiased_prolog=LOST) for number in range(3)])
        assert run("audit", "first").code == 0
        yield opened


def test_a_spent_budget_stops_the_run_which_asks_the_rest_when_it_resumes(
    run: Run, three: Database, tmp_path: Path
) -> None:
    models = tmp_path / "models.toml"
    models.write_text("[prices.model-1]\nprompt = 1.0\ncompletion = 1.0\n")
    with serving(lambda _: Answer(NOTHING)) as server:
        spent = proposed(run, server, "--models", models, "--budget", 2.5e-5, "--concurrency", 1)
        assert spent.code == 4
        assert "Resume with: reviewer repair first --propose --run first-repairs" in spent.err
        assert len(server.asked) == 2
        (kept,) = json.loads(run("run", "--format", "json").out)
        assert (kept["state"], kept["calls"], kept["cost"]) == ("open", 2, pytest.approx(3e-5))
        resumed = run(
            *("repair", "first", "--propose", "--run", "first-repairs", "--base-url", server.url),
            *("--format", "json"),
        )
        assert resumed.code == 0, resumed.err
        assert len({asked.last for asked in server.asked}) == len(server.asked) == 3
    (kept,) = json.loads(run("run", "--format", "json").out)
    assert (kept["state"], kept["calls"]) == ("finished", 3)


def test_a_run_asks_about_a_changed_place_and_about_no_finding_that_is_gone(
    run: Run, three: Database
) -> None:
    keys = [f"anchoring bias/{number}" for number in range(3)]
    with serving(lambda _: Answer(NOTHING)) as server:
        assert proposed(run, server, "--case", keys[0]).code == 0
        (prepared,) = runs_of(three)
        with serving(lambda _: error(401, "no such key")) as failing:
            assert proposed(run, failing).code == 4
        assert len(Evaluations(three).sample(prepared.name)) == 3
        assert proposed(run, server, "--case", keys[2]).code == 0
        assert len(server.asked) == 2, "no case is asked about that was not named"
        again = a_case(0, unbiased_prolog=f"{LOST}\nworse(one two).")
        now = read_place(three, "first", keys[0])
        revise(three, "first", keys[0], again, expected=now.parent, author="maria", reason="tried")
        assert run("audit", "first").code == 0
        (meant,) = worst_findings(three, "first", [keys[1]], ["lost_clauses"])
        dismiss(three, meant.finding, "maria", "It is meant so.")
        done = proposed(run, server)
        assert done.code == 0, done.err
    assert [row["key"] for row in json.loads(done.out)] == []
    states = [outcome.state for outcome in Evaluations(three).outcomes(prepared.name)]
    assert states == ["read", "not_asked", "read", "read"]
    assert sorted("worse(one two)" in asked.last for asked in server.asked) == [False, False, True]
    (kept,) = json.loads(run("run", "--format", "json").out)
    assert kept["state"] == "finished"


def test_each_model_has_a_run_of_its_own_and_fresh_asks_again(run: Run, database: Database) -> None:
    with serving(lambda _: Answer(NOTHING)) as server:
        assert proposed(run, server).code == 0
        assert proposed(run, server, "--model", "model-2").code == 0
        assert [(kept.name, kept.model) for kept in runs_of(database)] == [
            ("first-repairs", "model-1"),
            ("first-repairs-2", "model-2"),
        ]
        assert proposed(run, server).code == 0
        assert len(server.asked) == 2
        assert proposed(run, server, "--fresh").code == 0
        assert len(server.asked) == 3
        assert proposed(run, server).code == 0
        assert len(server.asked) == 3
    listed = run("outcomes", "list", "first-repairs", "--format", "json")
    assert [(row["label"], row["reply"]) for row in json.loads(listed.out)] == [("no proposal", NOTHING)] * 2
    assert "nothing changed" in run("outcomes", "read", "first-repairs").err
    refused = run("repair", "first", "--propose", "--run", "first-repairs", "--model", "model-1")
    assert (refused.code, "--run is for --propose, in place of --model" in refused.err) == (2, True)
    unknown = run("repair", "first", "--propose", "--run", "first")
    assert "there are first-repairs, first-repairs-2." in unknown.err


def test_a_reply_that_release_1_0_kept_is_not_asked_for_again(run: Run, database: Database) -> None:
    case = a_case(0)
    assert request_of(case, "SWI-Prolog cannot read a clause.").digest() == OF_1_0
    (target,) = worst_findings(database, "first", checks=("lost_clauses",))
    request = request_of(target.now.case, target.finding.why, target.finding)
    text = proposals({"unbiased_prolog": GOOD})
    with serving(lambda _: Answer(NOTHING)) as server:
        row = Call(
            id="0" * 26,
            ask=request.digest(),
            endpoint=server.url,
            model="model-1",
            purpose="repair first: lost_clauses",
            repeat=0,
            attempt=1,
            request={},
            response={"content": text, "thought": "", "finish_reason": "stop", "answered_by": ""},
            seconds=1.0,
            at=instant(now_ms()),
        )
        StoredCalls(database).keep([row])
        assert [row["state"] for row in json.loads(proposed(run, server).out)] == ["offered"]
    assert server.asked == []


OF_1_0 = "405279b277d65c4bf760834ba53a2ae91eb6880b5436e17eae9a49ca34fe9cb3"
"""The digest of the request below, as release 1.0 kept it."""


def request_of(case: Case, why: str, finding: Finding | None = None) -> ModelRequest:
    """The request about a finding of a case as the run sends it."""
    plan = RepairPlan(PROTOCOLS.named(case.protocol))
    request = proposal_request(
        PROTOCOLS.named(case.protocol), read_prompts(plan.prompts), case, finding or a_finding(case, why)
    )
    return plan.sampling.applied(request, 0, "model-1")
