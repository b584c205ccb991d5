"""A sentence model in a process of its own, so that loading it delays nothing else.

The process reads lists of texts and writes their vectors, as JSON lines. It ends with its standard input.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reviewer.similarity.encoder import DEFAULT_MODEL, ModelMissing, Vectors, open_encoder

_NICENESS = 10
_ROOT = str(Path(__file__).resolve().parent.parent.parent)
# Our own folder goes last, so that it hides no module of another package.
_LAUNCH = """\
import sys
sys.path.append(sys.argv[1])
from reviewer.similarity.encoder_process import encode_lines
encode_lines(sys.argv[2])
"""


class EncoderProcess:
    """An encoder whose process starts, and loads the model, when a text is first encoded."""

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        self._model = model
        self._process: subprocess.Popen[str] | None = None
        self._closed = False

    @property
    def name(self) -> str:
        """The name of the model's vectors; raises SimilarityMissing or ModelMissing."""
        return open_encoder(self._model).name

    @property
    def _ended(self) -> str:
        return f"{self._model}: the process of the sentence model ended; nothing was measured."

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, as the model gives them; raises SimilarityMissing or ModelMissing."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(list(texts)) + "\n")
            process.stdin.flush()
            reply = process.stdout.readline()
        except (OSError, ValueError):
            reply = ""
        if not reply:
            self.close()
            raise ModelMissing(
                f"{self._model}: the process of the sentence model ended; nothing was measured."
            )
        return np.asarray(json.loads(reply), dtype=np.float32)

    def close(self) -> None:
        """End the process, also while it loads the model; nothing is encoded from now on."""
        self._closed = True
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _running(self) -> "subprocess.Popen[str]":
        open_encoder(self._model)  # says what is missing without starting a process
        if self._closed:
            raise ModelMissing(self._ended)
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603  # this interpreter, our own code
                [sys.executable, "-c", _LAUNCH, _ROOT, self._model],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
        return self._process


def encode_lines(model: str) -> None:
    """Encode what comes in, line by line; whatever the libraries print goes nowhere."""
    os.nice(_NICENESS)
    with os.fdopen(os.dup(1), "w") as replies:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        encoder = open_encoder(model)
        for line in sys.stdin:
            replies.write(json.dumps(encoder.encode(json.loads(line)).tolist()) + "\n")
            replies.flush()
