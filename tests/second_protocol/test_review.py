"""A study of the second protocol from its draw to its report: app, plain mode, packs, browser."""

import asyncio
import csv
import io
import json
import os
import re
import sys
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from reviewer.exchange.packs.pack import opened_pack
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.web import connections, review_server
from reviewer.web.connections import listen
from reviewer.web.review_server import ReviewServer
from store.database import Database
from store.ledger import Ledger
from store.records import Link
from tests.cli.conftest import Run
from tests.second_protocol.material import GROUPS, PROTOCOLS
from tests.serve.secret_links import make_link
from tests.serve.seen_windows import press as press_in_browser
from tests.serve.seen_windows import see_windows
from tests.tui.conftest import NARROW, Opener, press, seen

ROOT = Path(__file__).parents[2]
RATERS = ("anna", "ben")


@pytest.fixture
def study(database: Database, run: Run) -> str:
    words = ("study", "new", "pilot", "--dataset", "talks", "--seed", 3, "--swap")
    raters = [word for rater in RATERS for word in ("--rater", rater)]
    drawn = run(*words, *raters)
    assert drawn.code == 0, drawn.err
    return "pilot"


def said(database: Database, rater: str = "anna") -> list[str | None]:
    return [event.value for event in Ledger(database).events("pilot", rater)]


def answer_all(database: Database, rater: str, fits: str = "1234567") -> None:
    session, number = ReviewSession(database, "pilot", rater), 0
    while not session.finished:
        session.answer("first" if session.question.key == "preference" else fits[number % len(fits)])
        number += 1


def test_a_study_is_drawn_by_the_groups_of_the_data(study: str, database: Database, run: Run) -> None:
    bundle = load_study(database, study)
    assert {place.group for place in bundle.sample} == {*GROUPS}
    described = run("study", "describe", study, "--recruitment", "Two colleagues.", "--format", "json")
    assert described.code == 0, described.err
    drawn = run("study", "new", "two", "--dataset", "talks", "--per-group", 2, "--seed", 1)
    assert "4 cases" in drawn.out + drawn.err
    too_many = run("study", "new", "nine", "--dataset", "talks", "--per-group", 9)
    assert too_many.code == 2
    assert "'trains'" in too_many.err


async def test_the_app_takes_preferences_and_seven_points(
    study: str, database: Database, opened: Opener
) -> None:
    async with opened("pilot", NARROW) as pilot:
        assert "Which reply serves the user better?" in seen(pilot)
        for key in "123123":
            await press(pilot, key)
        assert "How well do the five replies fit a" in seen(pilot)
        assert "■ 1  user" in seen(pilot)
        for key in "174":
            await press(pilot, key)
    assert said(database)[6:] == ["1", "7", "4"]
    assert {*said(database)[:6]} == {"first", "second", "tie"}


def test_plain_mode_reads_the_same_labels(
    study: str, database: Database, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("tie\n3\n" * 3 + "7\n1\n"))
    done = run("review", "pilot", "--rater", "anna", "--plain")
    assert done.code == 0, done.err
    assert said(database) == ["tie"] * 6 + ["7", "1"]
    assert "How well do the five replies fit a dialogue on" in done.out
    assert "  2  assistant\n  What of it?" in done.out
    assert done.out.endswith("Everything is saved: 8 of 12 done.\n")


def test_packs_go_out_and_come_back(study: str, database: Database, run: Run, tmp_path: Path) -> None:
    for rater in RATERS:
        packed = run("study", "pack", "pilot", "--rater", rater, "-o", f"{rater}.review")
        assert packed.code == 0, packed.err
        pack, seal = opened_pack(tmp_path / f"{rater}.review", PROTOCOLS)
        with closing(pack):
            answer_all(pack, seal.rater)
    merged = run("merge", "anna.review", "ben.review", "--format", "json")
    assert merged.code == 0, merged.err
    assert [row["added"] for row in json.loads(merged.out)] == [12, 12]
    assert run("store", "check").code == 0
    progress = json.loads(run("progress", "pilot", "--format", "json").out)
    assert [(row["rater"], row["share"]) for row in progress] == [("anna", 1.0), ("ben", 1.0)]


def test_agreement_report_and_export(
    study: str, database: Database, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_all(database, "anna")
    answer_all(database, "ben", "1244567")
    agreement = run(*("agreement", "pilot", "--by", "question,group", "--resamples", 100, "--format", "json"))
    assert agreement.code == 0, agreement.err
    rows = json.loads(agreement.out)
    assert {row["group"] for row in rows} == {*GROUPS, "all"}
    assert {row["question"] for row in rows} == {"preference", "fit", "all"}
    assert run("study", "close", "pilot", "--as", "lead").code == 0
    assert run("labels", "pilot", "--format", "csv").code == 0
    monkeypatch.setattr(
        "reviewer.figures.files.FORMATS", ("svg",)
    )  # fonts take most of the time, and stand in PDF only
    reported = run("report", "pilot", "-o", tmp_path / "report", "--resamples", 100)
    assert reported.code == 0, reported.err
    texts = {path.suffix: path.read_text() for path in (tmp_path / "report").iterdir() if path.is_file()}
    assert {".html", ".md", ".tex"} <= texts.keys()
    for suffix in (".html", ".md", ".tex"):
        assert "TINY" in texts[suffix]
        text = re.sub("dilemma({-}|-)reviewer", "this program", texts[suffix])
        assert re.findall(r".{0,40}(?:Prolog|axiom|dilemma|bias).{0,40}", text) == []
    exported = run("export", "pilot", "-o", tmp_path / "out")
    assert exported.code == 0, exported.err
    with (tmp_path / "out" / "labels.csv").open(newline="") as file:
        labels = list(csv.DictReader(file))
    assert len(labels) == 24
    assert {row["label"] for row in labels if row["question"] == "fit"} >= {"1", "7"}


def test_the_usual_sheets_serve_where_it_has_none_of_its_own(study: str, run: Run, tmp_path: Path) -> None:
    exported = run("export", "pilot", "--as", "validation-csv", "--rater", "anna", "-o", tmp_path / "sheets")
    assert exported.code == 0, exported.err
    assert "anna/fit.csv" in exported.out


@pytest.mark.slow
async def test_the_browser_takes_the_same_keys(
    study: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SHUTDOWN_SECONDS", 2.0)
    launch = (
        "from tests.second_protocol.material import PROTOCOLS\n"
        "from reviewer.cli.main import main\n"
        "main(PROTOCOLS)"
    )
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "REVIEWER_STORE": str(database.location),
    }

    def command(link: Link) -> tuple[list[str], dict[str, str]]:
        words = ["review", link.study, "--rater", link.rater, "--alone"]
        return [sys.executable, "-c", launch, *words], environment

    windows = see_windows(monkeypatch)
    app = ReviewServer(database, "pilot", command).application()
    runner, server = await listen(app, "127.0.0.1", 0, review_server.MOST_SESSIONS)
    secret, _ = make_link(database, "pilot", "ben", 1)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/r/{secret}/ws?width=120&height=40"
    try:
        async with aiohttp.ClientSession() as session, session.ws_connect(address) as window:
            while not windows:
                await asyncio.sleep(0.02)
            await windows[0].shows_briefing()
            await window.send_json(["stdin", " "])
            await windows[0].shows_case()
            await press_in_browser(window, windows[0], "31")
            while len(said(database, "ben")) < 2:
                await asyncio.sleep(0.02)
    finally:
        server.close()
        await runner.cleanup()
    events = Ledger(database).events("pilot", "ben")
    assert [event.given for event in events] == ["browser", "browser"]
    assert events[0].value == "tie"
