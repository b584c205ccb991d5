"""Verdicts saved in a file reach the server once, whatever happens on the way."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reviewer.exchange.packs.workspace import fetch_working_copy, working_copy_path
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.transfer.sync import Syncer
from store.database import Database
from store.ledger import Ledger
from tests.postgres import SECRET, Server
from tests.studies import a_study

Opener = Callable[[str], Database]
PATIENCE = 30.0


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def central(server_url: str, opened: Opener) -> Database:
    database = opened(server_url)
    a_study(database, cases=6, raters=("anna", "ben"))
    return database


class Desk:
    """A rater's machine: the working copy, a session on it, and a courier."""

    def __init__(self, url: str, rater: str, opened: Opener) -> None:
        self.path, self.problem = fetch_working_copy(url, "pilot", rater)
        self.file = opened(str(self.path))
        self.session = ReviewSession(self.file, "pilot", rater)
        self.syncer = Syncer(
            lambda: Database.open(str(self.path)), lambda: Database.open(url), "pilot", rater
        )
        self.syncer.start()

    def until_sent(self, count: int) -> None:
        until = time.monotonic() + PATIENCE
        while (now := self.syncer.status).sent < count or now.waiting:
            assert time.monotonic() < until, now
            time.sleep(0.02)


@pytest.fixture
def workspace(opened: Opener) -> Iterator[Callable[[str, str], Desk]]:
    workspaces: list[Desk] = []

    def at(url: str, rater: str) -> Desk:
        workspaces.append(Desk(url, rater, opened))
        return workspaces[-1]

    yield at
    for each in workspaces:
        each.syncer.finish(10)


def ids(database: Database, rater: str) -> list[str]:
    return [event.id for event in Ledger(database).events("pilot", rater)]


def test_what_is_saved_here_is_soon_there(
    central: Database, server_url: str, workspace: Callable[[str, str], Desk]
) -> None:
    anna = workspace(server_url, "anna")
    for label in ("True", "False", "True"):
        anna.session.answer(label)
    anna.session.undo()
    anna.until_sent(4)
    assert Ledger(central).events("pilot", "anna") == Ledger(anna.file).events("pilot", "anna")
    assert Ledger(central).events("pilot", "ben") == []


def test_keys_save_while_the_server_is_away_and_arrive_once_it_is_back(
    central: Database, server: Server, server_url: str, workspace: Callable[[str, str], Desk]
) -> None:
    anna = workspace(server_url, "anna")
    anna.session.answer("True")
    anna.until_sent(1)
    server.stop()
    try:
        for label in ("False", "True", "True"):
            anna.session.answer(label)
        until = time.monotonic() + PATIENCE
        # An attempt that fails tells what waited when it began.
        while anna.syncer.status.problem is None or anna.syncer.status.waiting < 3:
            assert time.monotonic() < until
            time.sleep(0.02)
        assert anna.syncer.status.waiting == 3
        assert SECRET not in (anna.syncer.status.problem or "")
    finally:
        server.start()
    anna.until_sent(4)
    assert ids(central, "anna") == ids(anna.file, "anna")


def test_an_app_that_was_killed_before_sending_sends_when_it_is_opened_again(
    central: Database, server_url: str, workspace: Callable[[str, str], Desk], opened: Opener
) -> None:
    path, _ = fetch_working_copy(server_url, "pilot", "anna")
    alone = ReviewSession(opened(str(path)), "pilot", "anna")
    for label in ("True", "False"):
        alone.answer(label)
    assert ids(central, "anna") == []
    workspace(server_url, "anna").until_sent(2)
    assert ids(central, "anna") == ids(alone._ledger._database, "anna")


def test_two_machines_of_one_rater_learn_of_each_other(
    central: Database,
    server_url: str,
    workspace: Callable[[str, str], Desk],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    office = workspace(server_url, "anna")
    office.session.answer("True")
    office.until_sent(1)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "laptop"))
    laptop = workspace(server_url, "anna")
    assert laptop.path != office.path
    laptop.until_sent(1)
    assert laptop.session.answer("False").supersedes == []
    laptop.until_sent(2)
    assert ids(central, "anna") == ids(laptop.file, "anna")


def test_the_file_is_kept_from_one_time_to_the_next(
    central: Database, server: Server, server_url: str, workspace: Callable[[str, str], Desk]
) -> None:
    path, problem = fetch_working_copy(server_url, "pilot", "anna")
    assert problem is None
    assert path == working_copy_path(server_url, "pilot", "anna")
    assert path != working_copy_path(server_url, "pilot", "ben")
    assert path == working_copy_path(server_url.replace(SECRET, "another"), "pilot", "anna")
    server.stop()
    try:
        again, problem = fetch_working_copy(server_url, "pilot", "anna")
        assert again == path
        assert problem is not None
        assert "cannot be reached" in problem
    finally:
        server.start()
