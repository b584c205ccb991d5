"""The soak (tests/bench/soak.py) in small: several raters at random keys, against a model of them."""

from pathlib import Path

import pytest

from tests.bench.soak import KINDS, Soak


@pytest.mark.parametrize("kind", KINDS)
def test_random_keys_end_as_a_model_of_them_says(tmp_path: Path, kind: str) -> None:
    outcome = KINDS[kind](Soak(presses=60, raters=3, cases=4), tmp_path)
    assert outcome.whole, outcome
    assert outcome.acknowledged > 60
