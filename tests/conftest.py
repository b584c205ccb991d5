"""What every test may rely on: no network, no environment of the person who runs them."""

import os
import socket
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.reading import import_path
from store.database import Database
from store.embeddings import StoredVectors
from store.findings import cases_in

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that leaves this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family != socket.AF_UNIX and not _is_loopback(address):
            raise AssertionError(f"a test reached for the network: {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget settings that would change what the program does."""
    monkeypatch.setenv("REVIEWER_SETTINGS", os.devnull)
    for name in ("REVIEWER_STORE", "REVIEWER_RATER", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def published_file() -> Path:
    """The published dataset of 806 pairs; skips where it is not there, but never in CI."""
    path = SHARED / "data" / "probe-swe" / "gpt-4o-mini.json"
    if not path.exists():
        message = f"needs the published dataset at {path}"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return path


@pytest.fixture(scope="session")
def published_store(published_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the dataset ``published``, and the vectors of all its texts: made once, in minutes.

    Copy the file before writing to it. Skips where the dataset or the sentence model is not there.
    """
    from reviewer.similarity.embeddings import Embeddings
    from reviewer.similarity.encoder import open_encoder
    from reviewer.similarity.errors import SimilarityMissing

    try:
        encoder = open_encoder()
    except SimilarityMissing as missing:
        if os.environ.get("CI"):
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    path = tmp_path_factory.mktemp("published") / "published.db"
    with closing(Database.open(str(path))) as database:
        import_path(database, published_file, "published", "gpt-4o-mini")
        with database.read() as session:
            payloads = [case.payload for case in cases_in(session, "published")]
        fields = ("unbiased", "biased", "reconstructed_unbiased_prompt")
        texts = {payload[field] for payload in payloads for field in fields if payload.get(field)}
        Embeddings(encoder, StoredVectors(database)).of(sorted(texts))
    return path


def _is_loopback(address: object) -> bool:
    return isinstance(address, tuple) and str(address[0]).startswith(("127.", "::1", "localhost"))
