"""The second protocol is known to the program, and nothing may start Prolog or load a sentence model."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.oracle import pool
from reviewer.protocols.registry import PROTOCOLS
from reviewer.similarity.errors import SimilarityMissing
from store.database import Database
from tests.cli.conftest import run  # noqa: F401  (a fixture)
from tests.second_protocol.material import TINY, dialogues, fill_tiny
from tests.tui.conftest import opened  # noqa: F401  (a fixture)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROTOCOLS, "tiny", TINY)


@pytest.fixture(autouse=True)
def without_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has neither."""

    def prolog(*given: object) -> None:
        raise AssertionError("Prolog was asked for")

    def encoder(*given: object) -> None:
        raise SimilarityMissing("sentence-transformers")

    monkeypatch.setattr(pool, "_of", prolog)
    monkeypatch.setattr("reviewer.cli.embedding.open_encoder", encoder)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A store with the six dialogues, under the name that commands use where none is given."""
    with closing(Database.open(str(tmp_path / "reviewer.db"))) as opened:
        fill_tiny(opened, "talks", dialogues())
        yield opened
