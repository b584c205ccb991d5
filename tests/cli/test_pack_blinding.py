"""Blinding in a pack before its rater has answered, and operations that a pack refuses."""

import json
from pathlib import Path

import pytest

from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.study_log import add_act
from tests.blinded_study import COMMENT, FINDING, OPINION, STUDY, blinded_study, the_case
from tests.cli.conftest import Run


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """Anna's pack, in which she owes answers; the store that it was made in lies beside it."""
    return blinded_study(tmp_path, "owed", lead="tom", packed=True)


def test_a_case_is_shown_without_opinions_and_findings_until_it_is_answered(run: Run, pack: Path) -> None:
    shown = run("show", the_case(pack)[:12], "--store", pack)
    assert shown.code == 0, shown.err
    assert "question of the pair" in shown.out
    assert not any(mark in shown.out for mark in (OPINION, FINDING, "final results"))
    assert "its dataset to answer in study pilot" in shown.err
    refused = run("show", the_case(pack)[:12], "--format", "json", "--store", pack)
    assert (refused.code, refused.out) == (2, "")


def test_a_case_is_shown_whole_in_a_finished_pack(run: Run, tmp_path: Path) -> None:
    pack = blinded_study(tmp_path, "finished", lead="tom", packed=True)
    shown = run("show", the_case(pack)[:12], "--store", pack)
    assert OPINION in shown.out
    assert FINDING in shown.out


def test_a_finished_pack_shows_no_finding_that_its_rater_must_not_see_in_another_study(
    run: Run, tmp_path: Path
) -> None:
    made = blinded_study(tmp_path, "owed", lead="tom")
    database = Database.open(str(made), must_exist=True)
    create_study(database, "second", Design(("pairs",), None, 3, raters=("anna",)))
    write_pack(database, STUDY, "anna", tmp_path / "anna.review")
    database.close()
    pack = tmp_path / "anna.review"
    opened, _seal = opened_pack(pack)
    session = ReviewSession(opened, STUDY, "anna")
    while not session.finished:
        session.answer("first" if session.question.key == "right_result" else "True")
    opened.close()
    shown = run("show", the_case(pack)[:12], "--store", pack)
    assert not any(mark in shown.out for mark in (OPINION, FINDING))
    assert "its dataset to answer in study second" in shown.err


@pytest.mark.parametrize(
    "deed",
    [
        ("close", STUDY, "--anyway"),
        ("reopen", STUDY, "--why", "to go on"),
        ("exclude", STUDY, "anna", "--why", "tired"),
        ("include", STUDY, "anna"),
        ("lead", STUDY, "zoe"),
    ],
    ids=lambda deed: deed[0],
)
def test_nothing_is_done_to_a_study_in_a_pack(run: Run, pack: Path, deed: tuple[str, ...]) -> None:
    refused = run("study", *deed, "--as", "tom", "--store", pack)
    assert refused.code == 2
    assert "came here in a pack" in refused.err


@pytest.mark.parametrize("command", ["judges", "agreement", "labels", "report", "export"])
def test_numbers_and_labels_are_refused_in_a_pack_with_open_cases(
    run: Run, pack: Path, tmp_path: Path, command: str
) -> None:
    refused = run(command, STUDY, "--store", pack)
    assert (refused.code, refused.out) == (2, "")
    assert not (tmp_path / "exports").exists()


def test_a_rater_with_open_cases_neither_closes_nor_reopens_the_study(run: Run, tmp_path: Path) -> None:
    blinded_study(tmp_path, "owed", lead="tom")
    for deed in (("close", "--anyway"), ("exclude", "ben", "--why", "he is slow")):
        refused = run("study", deed[0], STUDY, *deed[1:], "--as", "anna")
        assert refused.code == 2
        assert "with open cases; its lead can do this (tom)" in refused.err
    assert run("study", "close", STUDY, "--anyway", "--as", "tom").code == 0
    assert COMMENT in run("export", STUDY).out + (tmp_path / "exports/pilot/labels.csv").read_text()
    refused = run("study", "reopen", STUDY, "--why", "to go on", "--as", "anna")
    assert refused.code == 2
    assert "could see the answers of others while it was closed" in refused.err


def test_merge_names_what_was_done_to_the_study_only_in_the_pack(run: Run, pack: Path) -> None:
    with_acts = Database.open(str(pack), must_exist=True)
    add_act(with_acts, STUDY, "close", "anna", "a look", unfinished={"anna": 5})
    add_act(with_acts, STUDY, "reopen", "anna", "to go on")
    with_acts.close()
    merged = run("merge", pack, "--format", "json", "--store", pack.parent / "reviewer.db")
    assert json.loads(merged.out)[0]["added"] > 0
    assert "has an act that is not in this store" in merged.err
    assert "closed by anna: a look (anna owed 5)" in merged.err
    assert "opened again by anna: to go on" in merged.err


def test_merge_names_what_was_done_to_the_study_only_in_a_copy(run: Run, tmp_path: Path) -> None:
    store = blinded_study(tmp_path, "finished", lead="tom")
    copy = tmp_path / "copy.db"
    assert run("store", "backup", "-o", copy).code == 0
    assert "act" not in run("merge", copy).err
    there = Database.open(str(copy), must_exist=True)
    close_study(there, STUDY, "tom", "done")
    there.close()
    merged = run("merge", copy, "--store", store)
    assert "closed by tom: done" in merged.err
