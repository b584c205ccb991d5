"""Tests that run SWI-Prolog skip without it, and never in CI."""

import os

import pytest

from reviewer.oracle.oracle_errors import OracleMissing
from reviewer.oracle.workers import find_engine


def need_prolog() -> None:
    """Skip the test where SWI-Prolog is not installed; fail it in CI."""
    try:
        find_engine()
    except OracleMissing as missing:
        if os.environ.get("CI"):
            pytest.fail(str(missing))
        pytest.skip(str(missing))
