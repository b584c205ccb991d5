"""What stops SQLite while it reads a file from elsewhere: a limit of time, and Ctrl+C."""

import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from store import untrusted_store
from store.untrusted_store import untrusted_store as opened
from tests.studies import a_study, open_store


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store, at every step of which SQLite asks whether to stop."""
    with closing(open_store(tmp_path)) as database:
        a_study(database)
    monkeypatch.setattr(untrusted_store, "_STEPS_BETWEEN_LOOKS", 1)
    return tmp_path / "reviewer.db"


@pytest.fixture
def _ctrl_c_interrupts() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ctrl_c_interrupts")
def test_an_interrupt_while_sqlite_works_does_not_call_the_file_damaged(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        untrusted_store._TimeLimit, "__call__", lambda _limit: signal.raise_signal(signal.SIGINT)
    )
    with pytest.raises(KeyboardInterrupt), opened(file):
        pass


def test_a_file_that_takes_too_long_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untrusted_store, "_MOST_SECONDS", -1)
    with pytest.raises(InputError, match="interrupted"), opened(file):
        pass
