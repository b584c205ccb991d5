"""The soak (tests/bench/soak.py) in small: several raters at random keys, against a model of them."""

import os
from pathlib import Path

import pytest

from tests.bench.soak import KINDS, Soak
from tests.postgres import binaries
from tests.quick_start import quick_start
from tests.rounds import some_always


@pytest.mark.parametrize("kind", some_always([*KINDS], len(KINDS)))
def test_random_keys_end_as_a_model_of_them_says(tmp_path: Path, kind: str) -> None:
    if kind == "server" and binaries() is None and not os.environ.get("CI"):
        pytest.skip("needs PostgreSQL's server programs (initdb, pg_ctl), and none are installed")
    outcome = KINDS[kind](Soak(60, 3, 4, quick_start()), tmp_path)
    assert outcome.whole, outcome
    assert outcome.acknowledged > 60
