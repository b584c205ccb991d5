"""``--sentence-model`` of the commands that compare texts."""

import click

from reviewer.similarity.embeddings import Embeddings
from reviewer.similarity.encoder import DEFAULT_MODEL, open_encoder
from store.database import Database
from store.embeddings import StoredVectors

model_option = click.option(
    "--sentence-model",
    "--model",
    "model",
    default=DEFAULT_MODEL,
    show_default=True,
    metavar="NAME_OR_FOLDER",
    help="Sentence-embedding model that compares texts: a folder, or the name of a model that is already "
    "on this machine. Models are never downloaded.",
)


def open_embeddings(database: Database, model: str) -> Embeddings:
    """The model's vectors, kept in the store; the model itself is loaded when a text is new."""
    return Embeddings(open_encoder(model), StoredVectors(database))
