"""A procedure of a protocol's own, a judge with a referee: run, killed, resumed, listed and reported."""

import json
import re
import signal
import subprocess
import time
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.llm.client import HttpModelClient
from reviewer.protocols.procedure import ModelTask, RunContext, Values
from reviewer.protocols.registry import Protocols
from reviewer.protocols.work import Work
from store.database import Database
from store.records import Case
from tests.cli.conftest import Run
from tests.llm.server import Answer, Asked, error, serving
from tests.quick_start import quick_start
from tests.runs.killing import ROOT, answers
from tests.second_protocol.material import PROTOCOLS, a_dialogue, dialogues, fill_tiny
from tests.tiny_protocol.judging import JUDGE, score_of
from tests.tiny_protocol.protocol import Tiny

RUN = ("run", "tiny", "judge", "scores")
ROLES = ("--role", "judge=small", "--role", "referee=large")
NEW = (*RUN, *ROLES, "--dataset", "talks")
JSON = ("--format", "json")
AT_ONCE = 4


def score(text: str, model: str) -> int:
    """What a model gives a reply: the judge anything from 0 to 10, the referee 9."""
    return 9 if model == "large" else zlib.crc32(text.encode()) % 11


def judged(asked: Asked) -> Answer:
    return Answer(f"It is fine.\nScore: {score(asked.last, asked.body['model'])}", delay=0.002)


def texts_of(cases: Sequence[Case]) -> list[str]:
    """What the judge is asked about each reply."""
    return [
        f"{_dialogue(case)}\n\nThe reply to judge:\n{reply}"
        for case in cases
        for reply in case.payload["replies"]
    ]


def _dialogue(case: Case) -> str:
    return "\n".join(f"{who}: {said}" for who, said in case.payload["turns"])


def expected(cases: Sequence[Case]) -> float:
    """The mean score of all replies."""
    first = [score(text, "small") for text in texts_of(cases)]
    return sum(9 if 4 <= each <= 6 else each for each in first) / len(first)


def of_value(out: str) -> dict[str, dict[str, float]]:
    return {row["value"]: row for row in json.loads(out)}


@pytest.mark.usefixtures("database")
def test_a_judge_scores_every_case_and_a_referee_decides_where_it_is_unsure(run: Run) -> None:
    with serving(judged) as server:
        ended = run(*NEW, "--base-url", server.url, *JSON)
        assert ended.code == 0, ended.err
        assert "scores: finished." in ended.err
        texts = {*texts_of(dialogues())}
        unsure = {text for text in texts if 4 <= score(text, "small") <= 6}
        assert {asked.last for asked in server.asked if asked.body["model"] == "small"} == texts
        assert {asked.last for asked in server.asked if asked.body["model"] == "large"} == unsure
        assert all(asked.body["temperature"] == 0 for asked in server.asked)
        asked = len(server.asked)
        assert asked == len(texts) + len(unsure), "equal replies of a case are asked once"
        again = run(*RUN, "--base-url", server.url, *JSON)
        assert (again.out, len(server.asked)) == (ended.out, asked)
    values = of_value(ended.out)
    assert values["judge_score"]["cases"] == values["refereed"]["cases"] == 6
    assert values["judge_score"]["mean"] == pytest.approx(expected(dialogues()))
    assert values["judge_scores"]["mean"] is None
    shown = json.loads(run("show", "talks:tea/3", *JSON).out)
    (measured,) = [each for each in shown["measurements"] if each["name"] == "judge_score"]
    assert (measured["source"], measured["engine"]) == ("measured", "run scores")
    (listed,) = json.loads(run("run", *JSON).out)
    assert (listed["run"], listed["procedure"], listed["state"]) == ("scores", "judge", "finished")
    assert listed["models"] == "judge small, referee large"
    assert listed["calls"] == asked


def test_a_run_that_is_killed_is_resumed_and_asks_nothing_answered_again(run: Run, tmp_path: Path) -> None:
    with closing(Database.open(str(tmp_path / "reviewer.db"), protocols=PROTOCOLS)) as database:
        fill_tiny(database, "talks", cases := [a_dialogue(number) for number in range(20)])
    store = tmp_path / "reviewer.db"
    with serving(judged) as server:
        words = (*NEW, "--base-url", server.url, "--concurrency", AT_ONCE, "--store", store)
        command = [*quick_start(), "-m", "tests.second_protocol.program", *map(str, words)]
        for stop_at in (7, 40, 75):
            process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while process.poll() is None and len(server.asked) < stop_at:
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            assert process.returncode == -signal.SIGKILL
        time.sleep(0.1)  # what the server was still reading counts as asked
        ended = run(*RUN, "--base-url", server.url, *JSON)
        assert ended.code == 0, ended.err
        kept, asked = answers(store), len(server.asked)
    assert max(Counter(call.ask for call in kept).values()) == 1
    assert asked - len(kept) <= 3 * AT_ONCE
    values = of_value(ended.out)["judge_score"]
    assert (values["cases"], values["mean"]) == (20, pytest.approx(expected(cases)))


@pytest.mark.usefixtures("database")
def test_a_case_without_an_answer_has_no_value_and_is_asked_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HttpModelClient, "_backoff", lambda *_: 0.0)  # six attempts take half a minute
    refused = {"on": True}

    def answer(asked: Asked) -> Answer:
        if refused["on"] and "Reply 1 about tea number 3" in asked.last:
            return Answer("")
        return judged(asked)

    with serving(answer) as server:
        ended = run(*NEW, "--base-url", server.url, *JSON)
        assert ended.code == 0, ended.err
        assert "finished; 1 case without a value, the last because" in ended.err
        assert ".." not in ended.err, ended.err
        assert of_value(ended.out)["judge_score"]["cases"] == 5
        refused["on"] = False
        again = run(*RUN, "--base-url", server.url, *JSON)
    assert "scores: finished." in again.err
    assert of_value(again.out)["judge_score"]["cases"] == 6


UNUSABLE, EMPTY = "Reply 1 about trains number 2", "Reply 2 about trains number 3"


def graded(case: Case, kept: Values, run: RunContext) -> Work[Values]:
    """A first score, and in the next round a second one."""
    score, _ = yield from score_of(case, 1 if kept else 0, run)
    return {} if score is None else {"second" if kept else "first": score}


def lacking(cases: Sequence[Case], kept: Mapping[str, Values]) -> Sequence[Case]:
    """The cases without a first score; once some have it, those without the second."""
    return [case for case in cases if not kept or "second" not in kept.get(case.digest, {"second": 0})]


class InRounds(Tiny):
    """The same with a judge that asks about a case twice."""

    def procedures(self) -> Sequence[ModelTask]:
        return (replace(JUDGE, work=graded, units=lacking),)


@pytest.mark.usefixtures("database")
def test_the_reason_of_a_case_that_has_values_explains_no_missing_one(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HttpModelClient, "_backoff", lambda *_: 0.0)

    def answer(asked: Asked) -> Answer:
        if UNUSABLE in asked.last:
            return Answer("I cannot say.")
        return Answer("" if EMPTY in asked.last else "Score: 1")

    with serving(answer) as server:
        ended = run(*NEW, "--base-url", server.url, *JSON, protocols=Protocols(InRounds()))
    assert ended.code == 0, ended.err
    values = of_value(ended.out)
    assert (values["first"]["cases"], values["second"]["cases"]) == (5, 4)
    assert "1 case without a value, the last because no reply was usable." in ended.err


@pytest.mark.usefixtures("database")
def test_a_server_that_fails_stops_the_run_which_resumes(run: Run) -> None:
    fails = {"on": True}
    with serving(lambda asked: error(400, "no") if fails["on"] else judged(asked)) as server:
        stopped = run(*NEW, "--base-url", server.url)
        assert (stopped.code, "Resume with: reviewer run tiny judge scores" in stopped.err) == (4, True)
        fails["on"] = False
        assert run(*RUN, "--base-url", server.url).code == 0


@pytest.mark.usefixtures("database")
def test_a_dry_run_shows_prompts_roles_and_calls_and_writes_nothing(run: Run) -> None:
    plan = run(*NEW, "--dry-run", *JSON)
    assert plan.code == 0, plan.err
    assert "── score · system ──\nYou judge replies." in plan.err
    assert json.loads(plan.out)[0]["all cases"] == 30
    assert json.loads(run("run", *JSON).out) == []


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("run", "tiny", "judge"), "name the protocol, the procedure and the run"),
        (("run", "tiny", "debate", "x"), "has no procedure 'debate'; it has judge"),
        (RUN, "also give --role judge=MODEL, --role referee=MODEL, --dataset DATASET"),
        ((*NEW, "--role", "author=x"), "there is no role 'author'; there are judge, referee"),
        ((*NEW, "--role", "judge=other"), "say each NAME=VALUE once"),
        ((*RUN, *ROLES, "--dataset", "talk"), "talk"),
        ((*NEW, "--set", "unsure_from=11"), "unsure_from"),
        ((*NEW, "--set", "sure=1"), "there is no setting 'sure'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(run: Run, words: Sequence[str], why: str) -> None:
    refused = run(*words, "--base-url", "http://127.0.0.1:9")
    assert (refused.code, refused.out) == (2, "")
    assert why in refused.err
    assert json.loads(run("run", *JSON).out) == []


@pytest.mark.usefixtures("database")
def test_a_stored_run_keeps_its_models_and_settings(run: Run) -> None:
    with serving(judged) as server:
        assert run(*NEW, "--base-url", server.url).code == 0
        other = run(*RUN, "--role", "judge=other", "--base-url", server.url)
        assert "was made with judge small" in other.err
        changed = run(*RUN, "--set", "unsure_to=7", "--base-url", server.url)
        assert "was made with unsure_to 6" in changed.err
        taken = run("generate", "scores", "--base-url", server.url)
        assert re.search(r"resume it with `reviewer run tiny judge scores`", taken.err)


@pytest.mark.usefixtures("database")
def test_procedures_with_commands_are_started_by_the_same_command(run: Run, database: Database) -> None:
    fill_tiny(database, "starts", [a_dialogue(9)], "seed")
    plan = run("run", "tiny", "generate", "more", "--role", "author=m", "--dataset", "starts", "--dry-run")
    assert plan.code == 0, plan.err
    assert plan.out == run("generate", "more", "--model", "m", "--seeds", "starts", "--dry-run").out
    shown = run("protocol", "show", "tiny", "--format", "csv").out
    assert 'procedure,judge,"roles: judge, referee"' in shown
    assert "setting of judge,unsure_from = 4" in shown
