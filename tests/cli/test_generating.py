"""``generate``, ``funnel``, ``candidates``, ``datasets export``, and ``show`` of a candidate."""

import csv
import io
import json
import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.cli import carry_on
from store.database import Database
from store.leases import held
from tests.cli.conftest import Result, Run
from tests.llm.server import Answer, LoopbackModels, error, serving
from tests.quick_start import quick_start
from tests.rounds import mostly_slow
from tests.runs.answering import KnownPairs
from tests.runs.generating import WordVectors, a_pair, some_pairs

ANCHORING, FRAMING = "anchoring bias", "framing effect"


@pytest.fixture(autouse=True)
def words_for_vectors(prolog: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carry_on, "open_embeddings", lambda database, model: WordVectors())


def spoilt_and_good() -> dict[str, list[dict[str, object]]]:
    return {ANCHORING: [a_pair(1, agreement_rate=0.0), a_pair(2)], FRAMING: some_pairs([FRAMING], 2)[FRAMING]}


def generated(run: Run, server: LoopbackModels, *more: object, name: str = "first") -> Result:
    groups = ("--group", ANCHORING, "--group", FRAMING)
    known = ("--model", "model-1", "--target", 1, "--set", "batch_size=2", "--base-url", server.url)
    return run("generate", name, *groups, *known, *more)


def rows(result: Result) -> list[dict[str, str]]:
    assert result.code == 0, result.err
    return list(csv.DictReader(io.StringIO(result.out)))


def test_a_run_from_beginning_to_export(run: Run, tmp_path: Path) -> None:
    with serving(KnownPairs(spoilt_and_good(), batch=2)) as server:
        shown = generated(run, server, "--format", "csv")
    assert [(row["group"], row["valid"], row["tried"], row["state"]) for row in rows(shown)] == [
        (ANCHORING, "1", "2", "done"),
        (FRAMING, "2", "2", "done"),
    ]
    assert "3 valid of 4 tried, 2 wanted." in shown.err
    assert "discarded: decision 1" in shown.err

    counted = rows(run("funnel", "first", "--format", "csv"))
    by_filter = {row["filter"]: row["discarded"] for row in counted}
    assert by_filter["output matching"] == by_filter["all of these"] == "1"
    assert next(row for row in counted if row["filter"] == "output matching")["mean a group"] == "0.5"
    checks = rows(run("funnel", "first", "--by", "bias,check", "--format", "csv"))
    assert (ANCHORING, "decision_choice", "1") in {(r["group"], r["check"], r["discarded"]) for r in checks}

    (lost,) = rows(run("candidates", "first", "--discarded", "--format", "csv"))
    assert lost["why"] == "The model decides option_B, logic option_A."
    assert "decision choice" in run("show", lost["candidate"]).out
    assert rows(run("cases", "--dataset", "first.discarded", "--format", "csv"))[0]["key"] == lost["key"]
    study = run("study", "new", "audit", "--dataset", "first.discarded")
    assert study.code == 0, study.err

    assert run("datasets", "export", "first", "-o", "out.json").code == 0
    published = json.loads((tmp_path / "out.json").read_text())
    assert [record["AI_generated"] for record in published[FRAMING]] == [False, False, True, True]
    assert published[ANCHORING][2]["correct_option"] == "option_A"
    again = run("import", "out.json", "--dataset", "again", "--generator", "model-1")
    assert again.code == 0, again.err
    first, second = (rows(run("cases", "--dataset", name, "--format", "csv")) for name in ("first", "again"))
    assert {(row["case"], row["key"]) for row in first} == {(row["case"], row["key"]) for row in second}


def test_the_name_alone_carries_a_run_on(run: Run) -> None:
    known = KnownPairs(some_pairs([ANCHORING, FRAMING], 9), batch=2)
    refuse = True

    def respond(asked: object) -> Answer:
        return error(401, "no") if refuse and len(server.asked) > 20 else known(asked)  # type: ignore[arg-type]

    with serving(respond) as server:
        stopped = generated(run, server)
        assert stopped.code == 4  # something was written, and 2 says that nothing was
        assert "Resume with: reviewer generate first" in stopped.err
        refuse = False
        carried_on = run("generate", "first", "--base-url", server.url)
        asked = len(server.asked)
        assert carried_on.code == 0, carried_on.err
        assert run("generate", "first", "--base-url", server.url).code == 0
        assert len(server.asked) == asked


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--sentence-model", "nobody/has-this"), "no model of this name was downloaded"),
        (("--record", "notes.txt"), "recording 'notes.txt', line 1"),
        (("--replay", "none.jsonl"), "recording"),
        (("--budget", "1", "--models", "none.toml"), "none.toml"),
    ],
)
def test_a_run_that_cannot_begin_leaves_nothing(
    run: Run, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    (tmp_path / "notes.txt").write_text("some notes\n")
    with serving(KnownPairs(spoilt_and_good(), batch=2)) as server:
        refused = generated(run, server, *more)
        assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1), refused.err
        assert said in refused.err
        assert not (tmp_path / "reviewer.db").exists()
        Database.open(str(tmp_path / "reviewer.db")).close()
        before = (tmp_path / "reviewer.db").read_bytes()
        assert generated(run, server, *more).code == 2
        assert (tmp_path / "reviewer.db").read_bytes() == before
        assert server.asked == []


def test_a_run_that_is_under_way_is_refused_in_one_sentence_and_can_be_taken_over(
    run: Run, tmp_path: Path
) -> None:
    store = closing(Database.open(str(tmp_path / "reviewer.db")))
    with (
        serving(KnownPairs(spoilt_and_good(), batch=2)) as server,
        store as database,
        held(database, "first"),
    ):
        refused = generated(run, server)
        assert refused.code == 2
        assert refused.err.count("\n") == 1
        assert "run 'first' is under way in process" in refused.err
        assert server.asked == []
        assert generated(run, server, "--take-over").code == 0


def test_a_recording_is_replayed_without_a_server(run: Run) -> None:
    with serving(KnownPairs(spoilt_and_good(), batch=2)) as server:
        first = generated(run, server, "--record", "all.jsonl")
    replayed = run(
        *("generate", "first", "--store", "other.db", "--model", "model-1", "--target", 1),
        *("--group", ANCHORING, "--group", FRAMING, "--set", "batch_size=2", "--replay", "all.jsonl"),
    )
    assert (replayed.code, replayed.out) == (0, first.out)


def test_a_dry_run_calls_no_option_wrong_that_logic_may_accept(run: Run) -> None:
    shown = run("generate", "first", "--model", "m", "--dry-run").err
    assert "could pull its reader towards the option that logic rejects." in shown
    assert "towards Option" not in shown


def test_a_dry_run_asks_and_writes_nothing(run: Run, tmp_path: Path) -> None:
    shown = run("generate", "first", "--model", "m", "--dry-run", "--format", "csv")
    found = {row["request"]: row for row in rows(shown)}
    assert found["text_to_prolog"]["all valid"] == "800"
    assert int(found["all calls"]["as GPT-4o mini"]) > int(found["all calls"]["all valid"]) == 9760
    assert "A dilemma is a short message" in shown.err
    assert list(tmp_path.iterdir()) == []


BAD = {
    "no model": ((), "name the model that generates it with --model"),
    "no such group": (("--model", "m", "--group", "love"), "'love' is not a group of PROBE-SWE"),
    "no such setting": (("--model", "m", "--set", "tarhet=3"), "no setting 'tarhet'"),
    "nothing set": (("--model", "m", "--set", "target"), "say NAME=VALUE"),
    "set twice": (("--model", "m", "--set", "target=1", "--set", "target=2"), "gives 'target' two values"),
    "bad value": (("--model", "m", "--set", "least_cosine=high"), "setting least_cosine"),
    "no settings file": (("--model", "m", "--settings", "none.toml"), "is not there"),
    "no prompts": (("--model", "m", "--prompts", "none"), "cannot be read"),
    "no seeds": (("--model", "m", "--seeds", "other"), "dataset 'other' is not in the store"),
    "bad seed": (("--model", "m", "--seed", "99999"), "seed 99999 is not allowed"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_request_is_one_sentence(run: Run, name: str) -> None:
    options, complaint = BAD[name]
    shown = run("generate", "first", *options)
    assert (shown.code, shown.out) == (2, "")
    assert complaint in shown.err
    assert len(shown.err.splitlines()) == 1
    assert not Path("reviewer.db").exists()


PROMPTS = {
    "lacks": ("[user]\nDecide.\n", "lacks the placeholder {dilemma}"),
    "unknown": ("[user]\n{dilemma} {bias}\n", "has the unknown placeholder {bias}"),
    "shapeless": ("{dilemma}\n", "does not consist of messages"),
    "no user": ("[system]\n{dilemma}\n", "does not consist of messages"),
}


@pytest.mark.parametrize("name", PROMPTS)
def test_prompts_are_checked_when_they_are_read(run: Run, tmp_path: Path, name: str) -> None:
    text, complaint = PROMPTS[name]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "decision.txt").write_text(text)
    shown = run("generate", "first", "--model", "m", "--prompts", "mine")
    assert shown.code == 2
    assert f"prompt decision.txt: {complaint}" in shown.err


def test_own_prompts_are_sent_and_others_stay(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "decision.txt").write_text("[system]\nYou help me.\n[user]\n{dilemma}\n")
    with serving(KnownPairs(spoilt_and_good(), batch=2)) as server:
        assert generated(run, server, "--prompts", "mine").code == 0
    said = {str(asked.body["messages"][0]["content"]) for asked in server.asked}
    assert "You help me." in said
    assert not any(text.startswith("You help a software engineer") for text in said)
    assert any(text.startswith("You examine") for text in said)


FUNNELS = {
    "csv": "run,group,filter,discarded\nother,anchoring bias,logic correctness,7\n",
    "rows": '[{"run": "other", "filter": "logic correctness", "discarded": 7}]',
    "nested": '{"other": {"anchoring bias": {"logic correctness": 7}}}',
}


@mostly_slow(3)
@pytest.mark.parametrize("form", FUNNELS)
def test_other_funnels_stand_beside(run: Run, tmp_path: Path, form: str) -> None:
    with serving(KnownPairs(spoilt_and_good(), batch=2)) as server:
        assert generated(run, server).code == 0
    (tmp_path / "other").write_text(FUNNELS[form])
    found = rows(run("funnel", "first", "--compare", "other", "--published", "--format", "csv"))
    assert list(dict.fromkeys(row["run"] for row in found)) == [
        *("first", "GPT-4o mini", "GPT-4.1 mini", "DeepSeek R1 Distill Llama 70B", "other"),
    ]
    totals = {row["run"]: int(row["discarded"]) for row in found if row["filter"] == "all of these"}
    assert totals == {
        "first": 1,
        "GPT-4o mini": 4472,
        "GPT-4.1 mini": 2960,
        "DeepSeek R1 Distill Llama 70B": 7417,
        "other": 7,
    }
    assert {(r["filter"], r["discarded"]) for r in found if r["run"] == "other"} >= {
        ("logic correctness", "7")
    }


BAD_FUNNELS = {
    "run,filter,discarded\na,logic,many\n": "line 2: has discarded many",
    "run,filter\na,logic\n": "which is not a count",
    "": "is empty",
    "[]": "holds no funnel",
    '{"a": 3}': "is a number, not an object",
    '{"a": ': "incomplete JSON",
}


def test_a_bad_funnel_file_is_one_sentence(run: Run, tmp_path: Path) -> None:
    with serving(KnownPairs(spoilt_and_good(), batch=2)) as server:
        assert generated(run, server).code == 0
    for text, complaint in BAD_FUNNELS.items():
        (tmp_path / "other").write_text(text)
        shown = run("funnel", "first", "--compare", "other")
        assert (shown.code, shown.out) == (2, ""), text
        assert complaint in shown.err


def test_what_is_no_case_can_be_shown_too(run: Run) -> None:
    with serving(lambda asked: Answer("I would \x1b[2Jrather not.")) as server:
        generated(run, server, "--set", "patience=1")
    shown = run("show", "first:0")
    assert shown.code == 0
    assert "discarded at expansion: The reply holds no pair" in shown.out
    assert "\x1b" not in shown.out
    assert "rather not." in shown.out


def test_interrupted_it_finishes_what_is_under_way(tmp_path: Path) -> None:
    known = KnownPairs(some_pairs([ANCHORING], 200), batch=2)

    def respond(asked: object) -> Answer:
        answer = known(asked)  # type: ignore[arg-type]
        return Answer(answer.text, delay=0.1)

    command = (
        "import sys; from reviewer.cli import carry_on, main; from tests.runs.generating import WordVectors\n"
        "carry_on.open_embeddings = lambda database, model: WordVectors(); sys.argv[0] = 'reviewer'; main()"
    )
    with serving(respond) as server:
        arguments = ["generate", "first", "--model", "m", "--group", ANCHORING, "--base-url", server.url]
        process = subprocess.Popen(
            [*quick_start(), "-c", command, *arguments, "--store", str(tmp_path / "s.db")],
            cwd=Path(__file__).parents[2],
            stderr=subprocess.PIPE,
            text=True,
        )
        while len(server.asked) < 12:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopping after the calls under way" in said
    assert "Resume with: reviewer generate first" in said
    from store.calls import call_totals
    from store.database import Database

    with Database.open(str(tmp_path / "s.db")).read() as session:
        totals = call_totals(session)
    assert sum(total.calls for total in totals) == len(server.asked)
    assert sum(total.failed for total in totals) == 0
