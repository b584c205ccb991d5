"""A sentence model in a process of its own, so that loading it delays nothing else."""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache, cached_property
from multiprocessing import get_context

from reviewer.similarity.encoder import DEFAULT_MODEL, Vectors, open_encoder
from reviewer.similarity.errors import ModelMissing

_NICENESS = 10


class EncoderProcess:
    """An encoder whose process starts, and loads the model, when a text is first encoded."""

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The name of the model's vectors; raises SimilarityMissing or ModelMissing."""
        return open_encoder(self._model).name

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, as the model gives them; raises SimilarityMissing or ModelMissing."""
        open_encoder(self._model)  # says what is missing without starting a process
        try:
            return self._process.submit(_encode, self._model, list(texts)).result()
        except BrokenProcessPool as error:
            raise ModelMissing(
                f"{self._model}: the process of the sentence model ended; try again."
            ) from error

    def close(self) -> None:
        """End the process, also while it loads the model."""
        if "_process" in self.__dict__:
            self._process.shutdown(wait=False, cancel_futures=True)

    @cached_property
    def _process(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_quietly)


def _quietly() -> None:
    """Print nothing onto the terminal of the app, and give way to it."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    os.nice(_NICENESS)


def _encode(model: str, texts: list[str]) -> Vectors:
    return _encoder(model).encode(texts)


_encoder = cache(open_encoder)
