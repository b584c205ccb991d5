"""``--sentence-model`` of the commands that compare texts."""

from collections.abc import Callable
from typing import Any

import click

from reviewer.similarity.embeddings import Embeddings
from reviewer.similarity.encoder import DEFAULT_MODEL, open_encoder
from store.database import Database
from store.embeddings import StoredVectors


def _option(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        *names,
        default=DEFAULT_MODEL,
        show_default=True,
        metavar="NAME_OR_FOLDER",
        help="Sentence-embedding model that compares texts: a folder, or the name of a model that is already "
        "on this machine. Models are never downloaded.",
    )


model_option = _option("--sentence-model", "--model", "model")
sentence_model_option = _option("--sentence-model")
"""The same, where ``--model`` chooses evaluated models."""


def open_embeddings(database: Database, model: str) -> Embeddings:
    """The model's vectors, kept in the store; the model itself is loaded when a text is new."""
    return Embeddings(open_encoder(model), StoredVectors(database))
