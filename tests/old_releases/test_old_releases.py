"""What old releases wrote opens, and means what it meant."""

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli import generate
from reviewer.core.settings import load_settings
from reviewer.exchange.packs.pack import opened_pack
from reviewer.study.design.leads import name_lead
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from tests.cli.conftest import Run
from tests.llm.server import serving
from tests.old_releases.made_up import BIASES, pairs
from tests.prolog import need_prolog
from tests.runs.answering import KnownPairs
from tests.runs.generating import WordVectors

Row = dict[str, Any]
STUDIES = ("pilot", "open", "sheets")


def holds_all_of(now: list[Row], then: list[Row]) -> None:
    """Every row and value of then is there now; columns may have been added."""
    assert len(now) == len(then)
    for new, known in zip(now, then, strict=True):
        assert {name: new.get(name, "gone") for name in known} == known


def rows_of(path: Path) -> list[Row]:
    """The rows of a CSV or JSON Lines file."""
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def raw_events(path: Path) -> list[tuple[Any, ...]]:
    """The ledger as the old release's columns hold it, read without our code."""
    columns = (
        'id, study, rater, "case", question, question_digest, showing, phase, kind, value, target, '
        "supersedes, at, active_ms, swapped, passage, digest"
    )
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT {columns} FROM events ORDER BY id").fetchall()


def test_every_event_stays_as_it_is(old: Path) -> None:
    before = raw_events(old / "store.sqlite")
    with closing(Database.open(str(old / "store.sqlite"))) as database:
        events = [event for study in STUDIES for event in Ledger(database).events(study)]
    assert len(events) == len(before) > 250
    assert [event for event in events if event.digest != event.content_digest()] == []
    assert raw_events(old / "store.sqlite") == before


def acts_with_row_numbers(path: Path) -> list[tuple[Any, ...]]:
    """The log of acts on studies: a gap in its row numbers shows that one was deleted."""
    columns = "rowid, id, study, kind, who, why, subject, unfinished, held, at"
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT {columns} FROM study_acts ORDER BY rowid").fetchall()


def test_every_act_stays_as_it_is_and_a_lead_can_be_named(old: Path) -> None:
    with closing(sqlite3.connect(old / "store.sqlite")) as connection, connection:
        connection.execute("DROP TRIGGER study_acts_refuse_update")
        connection.execute("UPDATE study_acts SET rowid = rowid + 7")
    before = acts_with_row_numbers(old / "store.sqlite")
    assert before
    with closing(Database.open(str(old / "store.sqlite"))) as database:
        assert acts_with_row_numbers(old / "store.sqlite") == before
        named = {study: progress_of(database, study).leads for study in ("open", "pilot")}
        name_lead(database, "open", "tom", "tom")
        assert progress_of(database, "open").leads == (*named["open"], "tom")
        assert progress_of(database, "pilot").leads == named["pilot"]


def test_the_whole_study_is_exported_as_it_was(read_only: Path, tmp_path: Path, run: Run) -> None:
    run("export", "pilot", "-o", tmp_path / "now", "--store", read_only / "store.sqlite")
    now = json.loads((tmp_path / "now" / "study.json").read_text())
    then = json.loads((read_only / "exports" / "pilot" / "study.json").read_text())
    lost = missing(now, then)
    assert lost == []


def missing(now: Any, then: Any, where: str = "") -> list[str]:
    """Where a value of then is gone or different; keys may have been added."""
    if isinstance(then, dict):
        return [
            lost
            for key, value in then.items()
            for lost in (
                missing(now[key], value, f"{where}/{key}")
                if isinstance(now, dict) and key in now
                else [f"{where}/{key}"]
            )
        ]
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [
            lost
            for at, pair in enumerate(zip(now, then, strict=True))
            for lost in missing(*pair, f"{where}/{at}")
        ]
    return [] if now == then else [where]


def test_the_store_is_whole(old: Path, run: Run) -> None:
    checked = run("store", "check", "--store", old / "store.sqlite")
    assert checked.code == 0, checked.err


def test_a_dataset_is_exported_as_it_was(read_only: Path, tmp_path: Path, run: Run) -> None:
    done = run(
        "datasets", "export", "seeds", "-o", tmp_path / "now.json", "--store", read_only / "store.sqlite"
    )
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "now.json").read_text()) == json.loads(
        (read_only / "exports" / "seeds.json").read_text()
    )


def test_a_pack_under_way_comes_back(old: Path, run: Run) -> None:
    store = ("--store", old / "store.sqlite")
    first = run("merge", old / "ben.review", "--format", "json", *store)
    assert first.code == 0, first.err
    (row,) = json.loads(first.out)
    assert (row["rater"], row["added"], row["refused"]) == ("ben", len(raw_events(old / "ben.review")), 0)
    finish(old / "ben.review")
    second = run("merge", old / "ben.review", "--format", "json", *store)
    assert json.loads(second.out)[0]["added"] > 0, second.err
    progress = json.loads(run("progress", "open", "--format", "json", *store).out)
    assert {each["rater"]: each["share"] for each in progress}["ben"] == 1.0
    assert run("store", "check", *store).code == 0


def finish(pack: Path) -> None:
    """Answer what is left in a pack."""
    database, seal = opened_pack(pack)
    with closing(database):
        session = ReviewSession(database, seal.study, seal.rater)
        assert session.done_count > 5
        while not session.finished:
            session.answer("True")
            while session.waiting and session.proceed() is not None:
                pass


def test_filled_sheets_change_nothing_when_they_come_again(old: Path, run: Run) -> None:
    before = raw_events(old / "store.sqlite")
    store = ("--store", old / "store.sqlite")
    done = run("import", old / "dora-filled.zip", "--study", "sheets", "--rater", "dora", *store)
    assert done.code == 0, done.err
    assert raw_events(old / "store.sqlite") == before


def test_the_settings_hold(old: Path) -> None:
    settings = load_settings(old / "settings.toml")
    assert (settings.theme, settings.idle_seconds) == ("reviewer-light", 45)
    assert settings.keys == {"review.skip": "S", "review.answer-1": "y,1"}


def test_an_audit_again_makes_no_verdict_stale(old: Path, run: Run) -> None:
    need_prolog()
    store = ("--store", old / "store.sqlite")
    audited = run("audit", "seeds", *store)
    assert audited.code == 0, audited.err
    done = run("export", "pilot", "-o", old / "now", *store)
    assert done.code == 0, done.err
    assert {row["stale"] for row in rows_of(old / "now" / "labels.csv")} == {"False"}


def test_a_half_finished_run_ends_as_it_would_have(
    old: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_prolog()
    monkeypatch.setattr(generate, "open_embeddings", lambda database, model: WordVectors())
    path = old / "generation.sqlite"
    known = KnownPairs(pairs(), batch=2)
    with closing(sqlite3.connect(path)) as connection, connection:
        answered = "error IS NULL"
        kept = connection.execute(f"SELECT count(*) FROM calls WHERE {answered}").fetchone()[0]
        expanded = connection.execute(
            f"SELECT request FROM calls WHERE purpose = 'expansion' AND {answered}"
        ).fetchall()
    hand_out(known, [str(row[0]) for row in expanded])
    with serving(known) as server:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE calls SET endpoint = ?", (server.url,))
        ended = run("generate", "first", "--base-url", server.url, "--store", path)
        asked = len(server.asked)
    assert ended.code == 0, ended.err
    assert kept == 60
    assert 0 < asked < kept
    run("datasets", "export", "first", "-o", old / "first.json", "--store", path)
    assert rounded(old / "first.json") == rounded(old / "exports" / "first.json")


def rounded(file: Path) -> Any:
    """The JSON of a file. Single-precision similarities differ in the eighth digit between processors."""
    return json.loads(file.read_text(encoding="utf-8"), parse_float=lambda text: round(float(text), 6))


def hand_out(known: KnownPairs, requests: list[str]) -> None:
    """Let the model remember the pairs that it has handed out already."""
    for request in requests:
        first = json.loads(request)["messages"][0]["content"]
        assert any(bias in first for bias in BIASES)
        known.expansion(first)
