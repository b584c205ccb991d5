"""``--sentence-model`` and ``--index`` of the commands that compare texts."""

import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from reviewer.cli.options import note
from reviewer.similarity.encoder import DEFAULT_MODEL
from reviewer.similarity.errors import IndexMissing

if TYPE_CHECKING:
    from reviewer.similarity.embeddings import Embeddings
    from reviewer.similarity.index_search import Recall
    from store.database import Database


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


def _installed(_ctx: click.Context, _param: click.Parameter, value: bool) -> bool:
    if value and importlib.util.find_spec("faiss") is None:
        raise IndexMissing()
    return value


index_option = click.option(
    "--index",
    is_flag=True,
    callback=_installed,
    help="Search for similar texts with an index instead of comparing every pair of texts. Among a million "
    "texts this takes minutes instead of hours and misses a few; the share that it finds is measured on "
    "a sample and printed. Needs the extra `index`.",
)


def note_recall(recall: "Recall | None") -> None:
    """Say how much an index found, if one searched."""
    if recall:
        note(recall.words)


def open_embeddings(database: "Database", model: str) -> "Embeddings":
    """The model's vectors, kept in the store; the model itself is loaded when a text is new."""
    from reviewer.similarity.embeddings import Embeddings
    from reviewer.similarity.encoder import open_encoder
    from store.embeddings import StoredVectors

    return Embeddings(open_encoder(model), StoredVectors(database))
