"""``study pack``, ``review PACK`` and ``merge``, as the shell calls them."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.packs.pack import opened_pack
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.transfer.answer_reports import blank_answers, doubled_answers, late_answers
from tests.cli.conftest import Run
from tests.studies import a_study, open_store


@pytest.fixture(autouse=True)
def lead(tmp_path: Path) -> None:
    with closing(open_store(tmp_path)) as database:
        a_study(database, raters=("anna", "ben"))


def answer(path: Path, count: int) -> None:
    database, seal = opened_pack(path)
    with closing(database):
        session = ReviewSession(database, seal.study, seal.rater)
        for _ in range(count):
            session.answer("True")


def test_out_and_back(run: Run, tmp_path: Path) -> None:
    for rater in ("anna", "ben"):
        packed = run("study", "pack", "pilot", "--rater", rater, "-o", f"{rater}.review")
        assert packed.code == 0
        assert f"reviewer review {rater}.review" in packed.err
        answer(tmp_path / f"{rater}.review", 4)
    dry = run("merge", "anna.review", "ben.review", "--dry-run", "--format", "json")
    assert "Nothing was written" in dry.err
    merged = run("merge", "anna.review", "ben.review", "--format", "json")
    assert merged.code == 0
    assert json.loads(merged.out) == json.loads(dry.out)
    assert [(row["rater"], row["added"]) for row in json.loads(merged.out)] == [("anna", 4), ("ben", 4)]
    again = run("merge", "ben.review", "anna.review", "--format", "json", "--into", "reviewer.db")
    assert [row["there already"] for row in json.loads(again.out)] == [4, 4]


def test_what_is_refused_is_said_and_the_rest_is_kept(run: Run, tmp_path: Path) -> None:
    run("study", "pack", "pilot", "--rater", "anna", "-o", "anna.review")
    answer(tmp_path / "anna.review", 2)
    (tmp_path / "notes.txt").write_text("notes")
    done = run("merge", "notes.txt", "missing.review", "anna.review")
    assert done.code == 2
    assert "there is no such file" in done.err
    assert "it is neither a store nor a pack" in done.err
    assert "Traceback" not in done.err
    assert done.err.count("notes.txt") == done.err.count("missing.review") == 1
    rows = {row["file"]: row["why"] for row in json.loads(run("merge", "notes.txt", "--format", "json").out)}
    assert rows == {"notes.txt": "it is neither a store nor a pack; give another file"}
    assert '"added": 0' in run("merge", "anna.review", "--format", "json").out


def test_a_pack_is_for_its_rater(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reviewer.cli.reviewing.need_terminal", lambda: None)
    opened: list[tuple[object, ...]] = []
    monkeypatch.setattr("reviewer.cli.reviewing.open_app", lambda _database, *who: opened.append(who))
    run("study", "pack", "pilot", "--rater", "anna", "-o", "anna.review")
    refused = run("review", "anna.review", "--rater", "ben")
    assert (refused.code, opened) == (2, [])
    assert "was made for 'anna', not for 'ben'" in refused.err
    monkeypatch.setenv("REVIEWER_RATER", "ben")
    assert run("review", "anna.review").code == 0
    assert opened == [("anna", "pilot")]


def test_reviewing_a_study_needs_a_name(run: Run) -> None:
    refused = run("review", "pilot")
    assert refused.code == 2
    assert "--rater" in refused.err


def test_blank_late_and_doubled_answers_of_a_pack_are_told_in_the_words_of_sheets(
    run: Run, tmp_path: Path
) -> None:
    run("study", "pack", "pilot", "--rater", "anna", "-o", "anna.review")
    (tmp_path / "second.review").write_bytes((tmp_path / "anna.review").read_bytes())
    (tmp_path / "third.review").write_bytes((tmp_path / "anna.review").read_bytes())
    for name in ("anna.review", "second.review", "third.review"):
        answer(tmp_path / name, 4)
    first = run("merge", "anna.review")
    assert f"Note: {blank_answers('8 questions of rater anna in study pilot')}\n" in first.err
    second = run("merge", "second.review")
    doubled = doubled_answers("4 given on two machines, neither knowing the other")
    assert f"Note: {doubled}\n" in second.err
    run("study", "close", "pilot", "--as", "lead", "--anyway", "--why", "enough")
    third = run("merge", "third.review")
    assert f"Note: {late_answers('4 events')}\n" in third.err
    assert "without an answer that came in time" in third.err, "some have a late one"
    assert doubled not in third.err  # the last one is late, and so counts no more than the others
