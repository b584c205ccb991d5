"""``evaluate`` and ``outcomes``: a run from the plan to its answers, and refused requests."""

import csv
import io
import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from store.database import Database
from store.evaluations import Evaluations
from tests.cli.conftest import Result, Run
from tests.llm.server import Answer, Asked, LoopbackModels, error, serving
from tests.quick_start import quick_start
from tests.runs.evaluating import decide, with_cases
from tests.studies import a_case, fill


@pytest.fixture(autouse=True)
def store(tmp_path: Path) -> Path:
    path = tmp_path / "reviewer.db"
    with closing(Database.open(str(path))) as database:
        fill(database, "own", [a_case(0), a_case(1), a_case(2, "framing effect")])
    return path


def evaluated(run: Run, server: LoopbackModels, *more: object, name: str = "first") -> Result:
    return run("evaluate", name, *more, "--base-url", server.url, "--format", "csv")


def rows(result: Result) -> list[dict[str, str]]:
    assert result.code == 0, result.err
    return list(csv.DictReader(io.StringIO(result.out)))


def test_a_run_from_its_plan_to_its_answers(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def respond(asked: Asked) -> Answer:
        return Answer("It depends.") if "release 1. Ten" in asked.last else decide(asked)

    with serving(respond) as server:
        usual = evaluated(run, server, "own", "--model", "m1", "--dry-run")
        assert "For 3 cases, 2 conditions and 5 repeats." in usual.err
        plan = evaluated(run, server, "own", "--model", "m1", "--repeats", "2", "--dry-run")
        assert rows(plan)[0] | {"prompt tokens": ""} == {
            "model": "m1",
            "calls": "12",
            "answered before": "0",
            "not asked": "0",
            "prompt tokens": "",
            "answer tokens": "1800",
            "cost": "",
        }
        assert "biased/as written/none · user" in plan.err
        assert "For 3 cases, 2 conditions and 2 repeats." in plan.err
        assert "Time: about 3 s. " in plan.err
        assert "A call takes 2 s (as is assumed), 8 are under way" in plan.err
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        without_a_key = run("evaluate", "first", "own", "--model", "m1", "--dry-run", "--concurrency", 64)
        assert (without_a_key.code, "64 are under way" in without_a_key.err) == (0, True)
        assert server.asked == []
        first = evaluated(run, server, "own", "--model", "m1", "--repeats", "2", "--record", "answers.jsonl")
        (row,) = rows(first)
        assert (row["planned"], row["read"], row["unreadable"]) == ("12", "10", "2")
        assert "12 of 12 outcomes (2 unreadable). See: reviewer effects first" in first.err
        assert len(server.asked) == 12
        later = evaluated(run, server, "--model", "m1", "--repeats", "2", "--dry-run")
        assert "Time: about 0 s. Processor time: 0 s. Storage: 0 kB." in later.err
        assert "(the median of the 12 newest answers)" in later.err
        assert rows(evaluated(run, server)) == [row]
        assert len(server.asked) == 12
    replayed = run(
        "evaluate", "second", "own", "--model", "m1", "--repeats", "2", "--replay", "answers.jsonl"
    )
    assert replayed.code == 0, replayed.err
    listed = rows(run("outcomes", "list", "first", "--unreadable", "--format", "csv"))
    assert [(each["key"], each["condition"], each["why"], each["stale"]) for each in listed] == [
        ("anchoring bias/1", "biased/as written/none", "takes no side", "False")
    ] * 2
    of_case = (
        "outcomes",
        "list",
        "second",
        "--case",
        "own:anchoring bias/0",
        "--model",
        "m1",
        "--format",
        "csv",
    )
    assert len(rows(run(*of_case, "--condition", "unbiased/as written/none"))) == 2
    again = run("outcomes", "read", "first")
    assert again.code == 0
    assert "nothing changed" in again.err


def test_samples_are_drawn_as_asked_and_frozen(run: Run, tmp_path: Path, store: Path) -> None:
    (tmp_path / "picked.csv").write_text("dataset,key\nown,framing effect/2\n", encoding="utf-8")
    drawn = {
        "all": (),
        "each": ("--per-group", "1"),
        "cap": ("--cap", "smallest"),
        "group": ("--group", "framing effect"),
        "picked": ("--cases", "picked.csv"),
    }
    with serving(decide) as server:
        for name, options in drawn.items():
            rows(evaluated(run, server, "own", "--model", "m1", *options, name=name))
        refused = evaluated(run, server, "own", "--per-group", "1", name="all")
        assert refused.code == 2
        assert "were chosen when it began" in refused.err
        asked = len(server.asked)
        again = evaluated(run, server, "own", "--model", "m1", name="all")
        assert (again.code, len(server.asked)) == (0, asked), "the same command resumes"
    with closing(Database.open(str(store))) as database:
        sampled = {name: [each.key for each in Evaluations(database).sample(name)] for name in drawn}
    assert [len(keys) for keys in sampled.values()] == [3, 2, 2, 1, 1]
    assert sampled["group"] == sampled["picked"] == ["framing effect/2"]
    assert sampled["each"] == sampled["cap"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("nothing", "--model", "m1"), "dataset 'nothing' is not in the store"),
        (("own",), "name the models that it asks with --model"),
        ((), "name the datasets"),
        (("own", "--model", "m1", "--group", "luck"), "there is no group 'luck'"),
        (("own", "--model", "m1", "--per-group", "2"), "has 1 case to draw in 'framing effect'"),
        (("own", "--model", "m1", "--condition", "colour=red"), "there is no condition 'colour'"),
        (("own", "--model", "m1", "--condition", "order"), "names no value; say NAME=VALUE"),
        (("own", "--model", "m1", "--condition", "order=sideways"), "order has no 'sideways'"),
        (("own", "--model", "m1", "--cases", "none.csv"), "none.csv"),
        (("own", "--model", "m1", "--budget", "1"), "'m1' has none"),
        (("own", "--model", "m1", "--replay", "none.jsonl"), "none.jsonl"),
        (("own", "--model", "m1", "--repeats", "1000"), "give a number from 1 to 100"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(
    run: Run, store: Path, options: tuple[str, ...], message: str
) -> None:
    with serving(decide) as server:
        result = evaluated(run, server, *options)
        assert server.asked == []
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1
    with closing(Database.open(str(store))) as database:
        assert Evaluations(database).runs() == []


def test_a_model_that_fails_and_a_spent_limit_end_the_run_early(run: Run, tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text("[limits]\ncalls = 2\n", encoding="utf-8")
    with serving(lambda asked: error(404, "no") if asked.body["model"] == "m2" else decide(asked)) as server:
        once = ("own", "--model", "m1", "--repeats", 1)
        stopped = evaluated(run, server, *once, "--models", "models.toml")
        assert stopped.code == 4
        assert "the limit of 2 calls is reached" in stopped.err
        assert "Resume with: reviewer evaluate first" in stopped.err
        failed = evaluated(run, server, "--model", "m1", "--model", "m2")
    assert failed.code == 4
    assert "m2: 6 outcomes are missing" in failed.err
    assert [line.split(",")[:3] for line in failed.out.splitlines()[1:]] == [
        ["m1", "6", "6"],
        ["m2", "6", "0"],
    ]
    missing = rows(run("outcomes", "list", "first", "--missing", "--format", "csv"))
    assert {(each["model"], each["state"]) for each in missing} == {("m2", "missing")}
    assert "no model" in missing[0]["why"]


def test_run_with_missing_outcomes_is_not_done(run: Run) -> None:
    refused: list[str] = []

    def respond(asked: Asked) -> Answer:
        if not refused:
            refused.append(asked.last)
        return error(400, "too long") if refused == [asked.last] else decide(asked)

    with serving(respond) as server:
        some = evaluated(run, server, "own", "--model", "m1", "--repeats", 1)
        refused[:] = ["nothing"]
        rest = evaluated(run, server)
    assert some.code == 4
    assert "Error: 1 outcome is missing. To ask again for it: reviewer evaluate first" in some.err
    assert (rest.code, "missing" in rest.err) == (0, False)


def test_a_model_that_refuses_a_temperature_is_asked_without_one(
    run: Run, tmp_path: Path, store: Path
) -> None:
    def respond(asked: Asked) -> Answer:
        refused = "temperature" in asked.body
        return error(400, "Unsupported parameter: 'temperature'.") if refused else decide(asked)

    new = ("own", "--model", "o9", "--repeats", 1)
    without = ("--temperature", "none", "--top-p", "none")
    with serving(respond) as server:
        usual = evaluated(run, server, *new)
        assert (usual.code, "o9: 6 outcomes are missing" in usual.err) == (4, True)
        assert "start a new run for it with --temperature none" in usual.err
        planned = evaluated(run, server, *new, *without, "--dry-run", name="plain")
        sent = "Sampling parameters: none sent, so the server's defaults."
        assert sent in planned.err
        asked = len(server.asked)
        (row,) = rows(evaluated(run, server, *new, *without, name="plain"))
        assert (row["read"], len(server.asked) - asked) == ("6", 6)
        assert {frozenset(each.body) for each in server.asked[asked:]} == {frozenset({"model", "messages"})}
        assert evaluated(run, server, "--temperature", "none", name="plain").code == 0
        other = evaluated(run, server, "--temperature", "0", name="plain")
        assert "was made with other temperature (none)" in other.err
        assert "is not in the range" in evaluated(run, server, "--top-p", "7", name="plain").err
    with closing(Database.open(str(store))) as database:
        settings = Evaluations(database).run("plain").settings["sampling"]
        assert (settings["temperature"], settings["repeats_by"]) == (None, "blanks")
    assert sent in run("outcomes", "list", "plain").err
    exported = run("outcomes", "export", "plain", "-o", "out")
    assert (exported.code, "No seal covers these files" in exported.err.splitlines()[-1]) == (0, True)
    with (tmp_path / "out" / "outcomes.csv").open(newline="") as file:
        exported = list(csv.DictReader(file))
    assert {(each["temperature"], each["top_p"], each["seed"]) for each in exported} == {("", "", "")}


def test_a_run_of_a_recording_says_why_no_server_is_asked(run: Run) -> None:
    with serving(decide) as server:
        evaluated(run, server, "own", "--model", "m1", "--repeats", 1, "--record", "answers.jsonl")
        again = ("own", "--model", "m1", "--repeats", 1, "--replay", "answers.jsonl")
        assert run("evaluate", "again", *again).code == 0
        asked = len(server.asked)
        refused = evaluated(run, server, name="again")
        assert len(server.asked) == asked
    assert refused.code == 2
    assert f"took the answers of 'm1' from a recording, so it does not ask {server.url} for" in refused.err
    assert run("evaluate", "again", "--replay", "answers.jsonl").code == 0


def test_listing_refuses_what_the_run_does_not_have(run: Run) -> None:
    assert "there is no evaluation run 'first'" in run("outcomes", "list", "first").err
    with serving(decide) as server:
        evaluated(run, server, "own", "--model", "m1")
    for option, message in (
        (("--model", "m9"), "has no model 'm9'; it has m1"),
        (("--case", "x"), "has no case 'x'"),
        (("--condition", "x"), "has no condition 'x'; it has unbiased/as written/none"),
    ):
        result = run("outcomes", "list", "first", *option)
        assert (result.code, message in result.err) == (2, True), result.err


def test_an_interrupted_run_says_how_to_resume(tmp_path: Path, store: Path) -> None:
    with closing(Database.open(str(store))) as database:
        with_cases(database, 40, "many")
    with serving(lambda asked: Answer(decide(asked).text, delay=0.3)) as server:
        command = [*quick_start(), "-m", "reviewer", "evaluate", "first", "many", "--model", "m1"]
        process = subprocess.Popen(
            [*command, "--base-url", server.url, "--concurrency", "2"],
            cwd=tmp_path,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not server.asked:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        asked = len(server.asked)
    assert process.returncode == 130
    assert "Stopped. What was answered is kept. Resume with: reviewer evaluate first" in err
    with closing(Database.open(str(store))) as database:
        assert 0 < len(list(Evaluations(database).outcomes("first"))) == asked < 80


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        (("--role", "referee=m2"), "no role 'referee'; it has none"),
        (("--role", "referee"), "say each ROLE=MODEL once"),
        (("--set", "seed=3"), "no settings; leave 'seed' out"),
    ],
)
def test_evaluation_refuses_roles_and_settings_that_it_does_not_have(
    run: Run, given: tuple[str, ...], wrong: str
) -> None:
    refused = run("evaluate", "first", "own", "--model", "m1", *given, "--base-url", "http://localhost:1")
    assert (refused.code, wrong in refused.err) == (2, True), refused.err
