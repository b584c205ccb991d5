"""Vectors of texts by model and digest of the text: computed once, never changed, and free to delete."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from sqlmodel import col, select

from store.database import Database
from store.tables import EmbeddingRow
from store.upsert import upsert

_ASKED_AT_ONCE = 500  # databases bound how many values a statement may carry


class StoredVectors:
    """Keeps vectors in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, model: str, digests: Sequence[str]) -> dict[str, bytes]:
        """Those that are kept, by digest of the text."""
        found: dict[str, bytes] = {}
        with self._database.read() as session:
            for some in _portions(digests):
                rows = session.exec(
                    select(EmbeddingRow.text, EmbeddingRow.vector).where(
                        col(EmbeddingRow.model) == model, col(EmbeddingRow.text).in_(some)
                    )
                )
                found |= dict(rows.all())
        return found

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Keep these in one transaction; what is kept already stays."""
        if not vectors:
            return
        rows = [{"model": model, "text": text, "vector": vector} for text, vector in vectors.items()]
        with self._database.write() as session:
            connection = session.connection()
            connection.execute(upsert(connection, EmbeddingRow).on_conflict_do_nothing(), rows)


def _portions(digests: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(digests)
    while some := list(islice(rest, _ASKED_AT_ONCE)):
        yield some
