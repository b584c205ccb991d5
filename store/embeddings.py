"""Stored vectors of texts, by model and digest of the text. They can be deleted and computed again."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from sqlmodel import col, select

from store.database import Database
from store.row_records import upsert
from store.tables import EmbeddingRow

_ASKED_AT_ONCE = 500  # databases limit the number of values in a statement


class StoredVectors:
    """The vectors in a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, model: str, digests: Sequence[str]) -> dict[str, bytes]:
        """The stored ones among these vectors, by digest of the text."""
        vectors: dict[str, bytes] = {}
        with self._database.read() as session:
            for some in _portions(digests):
                rows = session.exec(
                    select(EmbeddingRow.text, EmbeddingRow.vector).where(
                        col(EmbeddingRow.model) == model, col(EmbeddingRow.text).in_(some)
                    )
                )
                vectors |= dict(rows.all())
        return vectors

    def put(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Save these in one transaction. Vectors that are already stored stay."""
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
