"""``--sentence-model`` and ``--index`` of the commands that compare texts."""

from typing import TYPE_CHECKING

from reviewer.cli.printing import note

if TYPE_CHECKING:
    from reviewer.similarity.index_search import Recall
    from reviewer.similarity.text_vectors import Embeddings
    from store.database import Database


def note_recall(recall: "Recall | None") -> None:
    """Say how much an index found, if one searched."""
    if recall:
        note(recall.words)


def open_embeddings(database: "Database", model: str) -> "Embeddings":
    """The model's vectors, kept in the store; the model itself is loaded when a text is new."""
    from reviewer.similarity.encoder import open_encoder
    from reviewer.similarity.text_vectors import Embeddings
    from store.embeddings import StoredVectors

    return Embeddings(open_encoder(model), StoredVectors(database))
