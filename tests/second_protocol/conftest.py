"""The program with a second protocol, on a machine that has neither Prolog nor a sentence model."""

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.oracle import pool
from reviewer.similarity.encoder import SimilarityMissing
from store.database import Database
from tests.cli.conftest import Result, Run
from tests.second_protocol.material import PROTOCOLS, dialogues, fill_tiny
from tests.tui.conftest import nothing_is_drawn_for_nobody, opened  # noqa: F401  (fixtures)


@pytest.fixture(autouse=True)
def without_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever asks for one of them fails."""

    def prolog(*given: object) -> None:
        raise AssertionError("Prolog was asked for")

    def encoder(*given: object) -> None:
        raise SimilarityMissing("sentence-transformers")

    monkeypatch.setattr(pool, "_of", prolog)
    monkeypatch.setattr("reviewer.similarity.encoder.open_encoder", encoder)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A store with the six dialogues, under the name that commands use where none is given."""
    with closing(Database.open(str(tmp_path / "reviewer.db"), protocols=PROTOCOLS)) as store:
        fill_tiny(store, "talks", dialogues())
        yield store


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``run("study", "list")`` in an empty folder; ``protocols=`` hands over other ones than both."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object, protocols: object = PROTOCOLS) -> Result:
        monkeypatch.setattr(sys, "argv", ["reviewer", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main(protocols)  # type: ignore[arg-type]
        printed = capsys.readouterr()
        return Result(int(left.value.code or 0), printed.out, printed.err)

    return call
