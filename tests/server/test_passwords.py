"""Passwords come from a file, a service or a prompt; one in a URL works, is warned about and never shown."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.location import location_for, shown_location
from tests.cli.conftest import Run
from tests.postgres import SECRET, Server
from tests.server.conftest import Opener
from tests.studies import a_study

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(autouse=True)
def _connections_end() -> Iterator[None]:
    """Commands leave connections to the end of the process."""
    yield
    gc.collect()


def without_password(url: str) -> str:
    return url.replace(f":{SECRET}@", "@")


def test_a_password_on_the_command_line_works_and_is_warned_about(
    run: Run, server_url: str, opened: Opener
) -> None:
    a_study(opened(server_url))
    for arguments in (("study", "list", "--store", server_url), ("--store", server_url, "study", "list")):
        done = run(*arguments)
        assert done.code == 0
        assert done.err.count("can read a password on the command line") == 1
        assert SECRET not in done.out + done.err


def test_a_password_file_is_used_without_a_word(
    run: Run, server: Server, server_url: str, opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_study(opened(server_url))
    file = tmp_path / "passwords"
    file.write_text(f"127.0.0.1:{server.port}:*:*:{SECRET}\n")
    file.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(file))
    done = run("study", "list", "--store", without_password(server_url))
    assert (done.code, done.err) == (0, "")


def test_a_password_that_is_missing_is_asked_for_at_a_terminal(
    run: Run, server_url: str, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_study(opened(server_url))
    monkeypatch.setenv("PGPASSWORD", "to be taken away at the end")
    monkeypatch.delenv("PGPASSWORD")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.prompt", lambda *_, **__: SECRET)
    assert run("study", "list", "--store", without_password(server_url)).code == 0
    assert os.environ.pop("PGPASSWORD") == SECRET


def test_a_password_that_is_missing_is_one_sentence_elsewhere(run: Run, server_url: str) -> None:
    done = run("study", "list", "--store", without_password(server_url))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "no password supplied" in done.err


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://lead:s3cret@db.example.org/reviews",
        "postgresql+psycopg://lead@db.example.org/reviews?password=s3cret",
    ],
)
def test_a_url_is_shown_without_its_password(url: str) -> None:
    assert "s3cret" not in shown_location(url)
    assert "s3cret" not in location_for(url, "reviewer_anna")


def test_a_url_that_is_none_is_told_without_its_password(run: Run) -> None:
    done = run("study", "list", "--store", "postgresql+psycopg://lead:s3cret@db.example.org:port/reviews")
    assert done.code == 2
    assert "is not a database URL" in done.err
    assert "s3cret" not in done.out + done.err
    assert "Traceback" not in done.err
