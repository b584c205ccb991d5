"""Staging as a run: its dataset of transcripts, its counts, and that a kill changes nothing."""

import json
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path

import pytest

from reviewer.protocols.staged_dialogues.biases import BIAS_LABELS
from reviewer.protocols.staged_dialogues.transcripts_protocol import TRANSCRIPTS
from reviewer.runs.case_values import values_by_case
from reviewer.study.session.review_session import ReviewSession
from store.cases import Filter, get_measurements, list_places
from store.database import Database
from store.records import Case, JsonValue, Measurement, Membership
from store.runs import find_run
from tests.cli.conftest import Run
from tests.llm.server import Answer, Asked, LoopbackModels, serving
from tests.runs.generating import CONCURRENCY
from tests.runs.killing import answers, killed_again_and_again
from tests.runs.staging import stage, staged_answer
from tests.staged_cases import ROLES, RULES, a_script, a_transcript, fill
from tests.studies import open_store

SUNK_COST = BIAS_LABELS.index("Sunk cost fallacy") + 1
STAGE_RUN = ("run", "dialogue-scripts", "stage", "staged")
NEW = (*STAGE_RUN, "--role", "subject=tested-7b", "--dataset", "scripts")
JSON = ("--format", "json")
Staged = tuple[Sequence[tuple[Membership, Case]], Mapping[str, Mapping[str, JsonValue]], list[Measurement]]


def kept(database: Database) -> Staged:
    """All that a run has kept: its dataset, the values of scripts, and the values of transcripts."""
    with database.read() as session:
        run, places = find_run(session, "staged"), list_places(session, Filter(datasets=("staged",)))
        measured = get_measurements(session, [case.digest for _, case in places])
    assert run is not None
    return places, values_by_case(database, run), sorted(chain(*measured.values()), key=str)


def with_scripts(database: Database, number: int) -> Database:
    fill(database, "scripts", [a_script(n) for n in range(number)])
    return database


@pytest.fixture
def scripts(tmp_path: Path) -> Database:
    return with_scripts(open_store(tmp_path), 3)


def test_transcripts_are_a_dataset_whose_generator_is_the_subject_s_model(scripts: Database) -> None:
    with serving(staged_answer) as server:
        stage(scripts, server.url)
        asked = Counter(asked.body["model"] for asked in server.asked)
    places, values, measured = kept(scripts)
    assert [(place.key, place.generator, place.origin) for place, _ in places] == [
        (f"case-{n}", "tested-7b", "generated") for n in range(3)
    ]
    assert sum(asked.values()) == sum(int(str(each["calls"])) for each in values.values())
    objections = sum(int(str(each["objections"])) for each in values.values())
    assert asked["watchful"] == 9
    assert asked["helper"] + asked["tested-7b"] == 9 + objections
    published = [value for value in measured if value.name == "objections"]
    assert sum(len(value.value) for value in published) == objections > 0
    texts = json.dumps([case.payload for _, case in places])
    assert "[model]" in texts
    assert "tested-7b" not in texts, "raters do not learn who spoke"


def test_a_subject_alone_plays_all_roles_and_nobody_supervises(run: Run, scripts: Database) -> None:
    with serving(staged_answer) as server:
        ended = run(*NEW, "--base-url", server.url, *JSON)
        assert ended.code == 0, ended.err
        assert {asked.body["model"] for asked in server.asked} == {"tested-7b"}
        assert len(server.asked) == 9
        other = run(*STAGE_RUN, "--role", "supervisor=watchful", "--base-url", server.url)
        assert "was made with no model" in other.err or "supervisor" in other.err
        assert other.code == 2
    rows = {row["value"]: row for row in json.loads(ended.out)}
    assert (rows["turns"]["mean"], rows["calls"]["mean"], rows["objections"]["greatest"]) == (4, 3, 0)
    shown = run("protocol", "show", "dialogue-scripts", "--format", "csv").out
    assert "moderator (if not named: subject), supervisor (if not named: left out)" in shown


def test_a_script_that_cannot_be_played_is_counted_and_named(run: Run, tmp_path: Path) -> None:
    database = open_store(tmp_path)
    fill(database, "scripts", [a_script(0), a_script(1, roles=ROLES[1:])])
    with serving(staged_answer) as server:
        ended = run(*NEW, "--base-url", server.url, *JSON)
    assert ended.code == 0, ended.err
    assert "not_staged is a text, of 1 case; `reviewer show scripts:case-1` prints the first." in ended.err
    counts = {row["value"]: row["cases"] for row in json.loads(ended.out)}
    assert (counts["not_staged"], counts["turns"]) == (1, 1)
    shown = json.loads(run("show", "scripts:case-1", *JSON).out)
    (why,) = [value for value in shown["measurements"] if value["name"] == "not_staged"]
    assert why["value"] == "The script has no subject; give it one."
    assert f"not_staged  {why['value']}" in run("show", "scripts:case-1").out


def test_a_dry_run_counts_the_calls_of_each_role_and_passes_over_what_cannot_be_played(
    run: Run, tmp_path: Path
) -> None:
    fill(open_store(tmp_path), "scripts", [a_script(0, roles=ROLES[1:]), *map(a_script, range(1, 120))])
    plan = run(*NEW, "--role", "supervisor=watchful", "--dry-run", *JSON)
    assert plan.code == 0, plan.err
    rows = {row["request"]: row["all cases"] for row in json.loads(plan.out)}
    each = 49 / 50 * 120
    turns = {f"{role} turn": pytest.approx(each, abs=1) for role in ("subject", "confederate", "moderator")}
    counts = {name: rows[name] for name in (*turns, "supervision")}
    assert counts == turns | {"supervision": pytest.approx(3 * each, abs=1)}
    assert "You are Ada." in plan.err


def test_a_dataset_of_the_run_s_name_is_not_added_to(run: Run, scripts: Database) -> None:
    fill(scripts, "staged", [a_script(7)])
    refused = run(*NEW, "--base-url", "http://127.0.0.1:9")
    assert (refused.code, "dataset 'staged' already exists" in refused.err) == (2, True)


def test_transcripts_become_texts_that_do_not_tell_what_the_script_tests(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    database = open_store(tmp_path)
    fill(database, "played", [a_transcript(0), a_transcript(1)])
    command = ("run", "dialogue-transcripts", "text", "texts", "--dataset", "played")
    assert run(*command).code == 0, "no model is asked, so no key is needed"
    with database.read() as session:
        places = list_places(session, Filter(datasets=("texts",)))
    assert [(place.generator, place.origin) for place, _ in places] == [("a writer", "generated")] * 2
    for place, case in places:
        told = f"{place.key} {case.group} {case.payload['text']}"
        assert str(case.payload["text"]).startswith("What bias does Ada show?\n\n1  system → Ada")
        assert "I go on.\nIt was dear." in told
        assert not any(word in told for word in ("Sunk cost", "case-", "rule", "Count how often"))


PRESSED, CALM = "Ben tells Ada how much she has paid.", "Ben tells Ada about the weather."
SHARES = {"pressed": 0.7, "calm": 0.2}
"""How often the subject goes on because of the money paid, by the variant of a script."""


def a_subject(asked: Asked) -> Answer:
    """A subject with a bias by chance, depending on its messages; a detector that reads its reply."""
    number = zlib.crc32(str(asked.body["messages"]).encode())
    if asked.body["model"] == "detector":
        text = asked.last.split("What bias does Ada show?")[1]
        return Answer(f"Answer: {SUNK_COST if 'I go on, for I paid' in text else 0}")
    if PRESSED in asked.last or CALM in asked.last:
        return Answer("You paid much." if PRESSED in asked.last else "It rains.")
    if "her decision" not in asked.last:
        return Answer("What do you do?")
    share = SHARES["pressed" if "You paid much." in asked.last else "calm"]
    return Answer(f"{'I go on, for I paid' if number / 2**32 < share else 'I leave, with'} {number}.")


@pytest.mark.slow
def test_planted_shares_of_a_subject_in_two_variants_of_scripts_lie_in_their_intervals(
    run: Run, tmp_path: Path
) -> None:
    database = open_store(tmp_path)
    with serving(a_subject) as server:
        way = ("--base-url", server.url)
        for name, told in (("pressed", PRESSED), ("calm", CALM)):
            rules = [RULES[0], {**RULES[1], "text": told}, *RULES[2:]]
            fill(database, f"scripts-{name}", [a_script(number, rules=rules) for number in range(60)])
            dataset = ("--dataset", f"scripts-{name}")
            staged = run(*STAGE_RUN[:3], f"played-{name}", "--role", "subject=tested-7b", *dataset, *way)
            assert staged.code == 0, staged.err
            text = run("run", "dialogue-transcripts", "text", name, "--dataset", f"played-{name}")
            assert text.code == 0, text.err
        asked = ("--model", "detector", "--condition", "method=one question", "--repeats", 1)
        detected = run("evaluate", "shown", *SHARES, *asked, *way)
        assert detected.code == 0, detected.err
    divided = ("--measure", "none", "--by", "dataset", "--resamples", 1_000)
    rows = json.loads(run("effects", "shown", *divided, *JSON).out)
    assert len(rows) == 2, rows
    measured = {row["dataset"]: row for row in rows}
    for name, share in SHARES.items():
        row = measured[name]
        assert row["value_low"] <= 1 - share <= row["value_high"], row
        assert row["value_high"] - row["value_low"] < 0.3, row


def test_judges_of_transcripts_are_asked_as_raters_are_and_compared_with_them(
    run: Run, tmp_path: Path
) -> None:
    database, objection = open_store(tmp_path), {"turn": 2, "said": "No.", "objection": "Say more."}
    fill(database, "played", [a_transcript(0), a_transcript(1)], objections=[objection])
    assert run("study", "new", "pilot", "--dataset", "played", "--rater", "anna").code == 0
    with serving(lambda asked: Answer("It is in turn 4.\nAnswer: 2")) as server:
        way = ("--model", "judge", "--repeats", 2, "--base-url", server.url)
        done = run("judges", "ask", "pilot", *way, *JSON)
        prompts = [asked.last for asked in server.asked]
    assert done.code == 0, done.err
    assert (json.loads(done.out)[0]["read"], len(prompts)) == (12, 12)
    assert all("4  Ada (to all)\nI go on.\nIt was dear." in prompt for prompt in prompts)
    assert not any("Say more." in prompt for prompt in prompts), "raters have not read it before they answer"
    assert "Raters judge alone" in run("judges", "pilot").err
    session = ReviewSession(database, "pilot", "anna")
    for slot in session.slots:
        session.answer(next(asked.labels[1] for asked in TRANSCRIPTS.questions if asked.key == slot.question))
    compared = json.loads(run("judges", "pilot", "--by", "", "--interval", "none", *JSON).out)
    names = ("opinion", "question", "compared", "accuracy", "self_agreement")
    assert [tuple(row[name] for name in names) for row in compared] == [
        ("judge:judge", title, 2, 1.0, 1.0) for title in ("shows the bias", "could tell", "kept to the rules")
    ]


def test_guidelines_of_transcripts_name_no_key() -> None:
    texts = [f"{asked.prompt} {asked.guideline}" for asked in TRANSCRIPTS.questions]
    assert not any(re.search(r"\b[Pp]ress\b|\bwith [a-zA-Z]\b(?! )|\bpointer\b", text) for text in texts)


def kill(folder: Path, kills: int, number: int, seed: int) -> tuple[Staged, LoopbackModels]:
    """What a run has kept that was killed so often."""
    with closing(with_scripts(open_store(folder), number)), serving(staged_answer) as server:
        killed_again_and_again(
            "tests.runs.staging", folder / "reviewer.db", server, kills, ["staged"], seed, most=9
        )
    with closing(Database.open(str(folder / "reviewer.db"))) as database:
        return kept(database), server


@pytest.mark.slow
def test_a_staging_that_is_killed_ends_as_one_that_is_not(tmp_path: Path) -> None:
    kills, number = 20, 60
    (tmp_path / "whole").mkdir()
    ended, server = kill(tmp_path, kills, number, seed=kills)
    calls = Counter(call.ask for call in answers(tmp_path / "reviewer.db"))
    assert max(calls.values()) == 1
    assert len(server.asked) - len(calls) <= kills * CONCURRENCY
    whole = with_scripts(open_store(tmp_path / "whole"), number)
    with closing(whole), serving(staged_answer) as undisturbed:
        stage(whole, undisturbed.url)
        assert ended == kept(whole)
