"""``reviewer models``, and the options of every command that asks models."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.llm.clients import KEY
from tests.llm.server import Answer, error, in_turn, serving


def test_trying_a_model(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    prices = tmp_path / "models.toml"
    prices.write_text("[prices.m1]\nprompt = 1\ncompletion = 2\n")
    with serving(in_turn(Answer("<think>hm</think>[ready]"))) as server:
        monkeypatch.setenv("REVIEWER_BASE_URL", server.url)
        for _ in range(2):
            tried = run("models", "try", "m1", "--key-env", "MY_KEY", "--models", prices, "--format", "json")
    shown = {row["what"]: row["value"] for row in json.loads(tried.out)}
    assert tried.code == 0
    assert (shown["answer"], shown["reasoning"], shown["cost"]) == ("[ready]", "hm", 2e-05)
    assert [asked.headers["authorization"] for asked in server.asked] == [f"Bearer {KEY}"] * 2
    totals = json.loads(run("models", "calls", "--format", "json").out)
    assert [(row["purpose"], row["calls"], row["cost"]) for row in totals] == [("try", 2, 4e-05)]
    assert KEY.encode() not in Path("reviewer.db").read_bytes()


def test_another_model_that_answers_is_told(run: Run) -> None:
    other = Answer(payload={"model": "m\u202e9\x1b[2J", "choices": [{"message": {"content": "ready"}}]})
    with serving(in_turn(other, Answer("ready"))) as server:
        tried, same = (run("models", "try", "m1", "--base-url", server.url) for _ in range(2))
    assert (tried.code, same.code) == (0, 0)
    assert "Note: the server says that m\ufffd9␛[2J answered, not m1." in tried.err
    assert "Note" not in same.err
    assert "answered by" in same.out


@pytest.mark.parametrize("name", ["a\u202eb", "", "a\nb", "x" * 201])
def test_name_that_no_model_can_have_is_refused(run: Run, name: str) -> None:
    tried = run("models", "try", name, "--base-url", "http://127.0.0.1:9/v1")
    assert (tried.code, "cannot be the name of a model" in tried.err, Path("reviewer.db").exists()) == (
        2,
        True,
        False,
    )


def test_recording_and_replaying(run: Run) -> None:
    with serving(in_turn(Answer("ready"))) as server:
        run("models", "try", "m1", "--base-url", server.url, "--record", "calls.jsonl")
    replayed = run("models", "try", "m1", "--replay", "calls.jsonl")
    missing = run("models", "try", "m2", "--replay", "calls.jsonl")
    both = run("models", "try", "m1", "--replay", "calls.jsonl", "--record", "more.jsonl")
    assert "ready" in replayed.out
    assert (missing.code, both.code) == (2, 2)
    assert "does not have the request for 'try' to 'm2', repeat 0" in missing.err
    assert "leave --record and --fresh out" in both.err


def test_a_refused_key_is_one_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with serving(in_turn(Answer("ready"), error(401, f"wrong key {KEY}"))) as server:
        for _ in range(2):
            tried = run("models", "try", "m1", "--base-url", server.url, "--key-env", "MY_KEY")
    assert (tried.code, tried.out) == (2, "")
    assert "rejected the key in MY_KEY (wrong key [key]); set another key." in tried.err
    assert KEY.encode() not in Path("reviewer.db").read_bytes()


def test_a_server_that_is_not_there_is_tried_once(run: Run) -> None:
    tried = run("models", "try", "m1", "--base-url", "http://127.0.0.1:9/v1")
    assert tried.code == 2
    assert "for 'try': 127.0.0.1:9 cannot be reached" in tried.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--base-url", "nowhere"], "base URL 'nowhere' is not a web address"),
        (
            ["--key-env", KEY],
            "(give the name of a variable there, not a key) is not set",
        ),
        (["--key-env", "NOT_SET"], "environment variable NOT_SET is not set"),
        ([], "environment variable OPENAI_API_KEY is not set"),
        (["--models", "gone.toml"], "models file 'gone.toml': is not there"),
        (["--replay", "gone.jsonl"], "recording 'gone.jsonl': is not there"),
        (["--budget", "nan"], "nan is not a finite number"),
        (["--budget", "inf"], "inf is not a finite number"),
        (["--budget", "-1"], "-1.0 is not in the range"),
        (["--concurrency", "0"], "0 is not in the range"),
        (["--base-url", "http://127.0.0.1:9/v1", "--budget", "1"], "a budget needs prices"),
        (["--prompt", "\udcff"], "cannot hold a lone surrogate"),
    ],
)
def test_bad_requests_are_one_sentence(run: Run, arguments: list[str], says: str) -> None:
    tried = run("models", "try", "m1", *arguments)
    assert (tried.code, tried.out) == (2, "")
    assert says in tried.err
    assert tried.err.count("\n") == 1
    assert KEY not in tried.err


def test_without_the_package_the_install_command_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    tried = run("models", "try", "m1", "--base-url", "http://127.0.0.1:9/v1")
    assert tried.code == 2
    assert "pip install 'dilemma-reviewer[generate]'" in tried.err


def test_a_cost_that_is_estimated_is_said_to_be(run: Run, tmp_path: Path) -> None:
    prices = tmp_path / "models.toml"
    prices.write_text("[prices.m1]\nprompt = 1\ncompletion = 2\n")
    with serving(in_turn(Answer("x" * 300, usage=None))) as server:
        asking = ("models", "try", "m1", "--base-url", server.url, "--models", prices, "--record", "c.jsonl")
        shown = run(*asking)
        replayed = run("models", "try", "m1", "--replay", "c.jsonl")
    assert "an estimate from the text" in shown.out
    assert "an estimate from the text" in replayed.out
    calls = run("models", "calls", "--format", "json")
    (row,) = json.loads(calls.out)
    assert (row["completion_tokens"], row["unpriced"], row["estimated"]) == (0, 0, 1)
    assert row["cost"] > 2e-4
    assert "Calls whose cost is estimated from their text, for want of token counts: 1." in calls.err


def test_failed_try_makes_no_store(run: Run) -> None:
    with serving(in_turn(Answer("ready"))) as server:
        run("models", "try", "m1", "--base-url", server.url, "--record", "one.jsonl", "--store", "other.db")
    for options in (("--base-url", "http://127.0.0.1:9/v1"), ("--replay", "one.jsonl")):
        tried = run("models", "try", "m2", *options)
        assert (tried.code, Path("reviewer.db").exists(), "Created" in tried.err) == (2, False, False)
    with serving(in_turn(Answer("ready"), error(400, "no"))) as server:
        for code in (0, 2):
            assert run("models", "try", "m1", "--base-url", server.url).code == code
    (totals,) = json.loads(run("models", "calls", "--format", "json").out)
    assert (totals["calls"], totals["failed"]) == (2, 1), "an existing store keeps the failed call too"
