"""The sentence model in a process of its own: what comes back, and a process that ends."""

import pytest

from reviewer.similarity import encoder_process
from reviewer.similarity.encoder import ModelMissing
from reviewer.similarity.encoder_process import EncoderProcess

ONES = (
    "import json, sys\nfor line in sys.stdin: print(json.dumps([[1, 0]] * len(json.loads(line))), flush=True)"
)


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> EncoderProcess:
    monkeypatch.setattr(encoder_process, "open_encoder", lambda model: model)
    return EncoderProcess()


def test_texts_become_rows_until_the_encoder_is_closed(
    encoder: EncoderProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder_process, "_LAUNCH", ONES)
    assert encoder.encode(["a\nb", "ü"]).shape == (2, 2)
    assert encoder.encode(["c"]).shape == (1, 2)
    encoder.close()
    with pytest.raises(ModelMissing, match="nothing was measured"):
        encoder.encode(["d"])


def test_a_process_that_ends_is_said(encoder: EncoderProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_process, "_LAUNCH", "raise SystemExit(1)")
    with pytest.raises(ModelMissing, match="the process of the sentence model ended"):
        encoder.encode(["a"])
