"""The oracle's tests run SWI-Prolog: without it they are skipped with a reason, but never in CI."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reviewer.oracle import pool
from reviewer.oracle.oracle_errors import OracleMissing
from reviewer.oracle.workers import find_engine
from tests.oracle.programs import NEEDS_NO_PROLOG


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs SWI-Prolog where it is not installed."""
    try:
        find_engine()
    except OracleMissing as missing:
        reason = str(missing)
    else:
        return
    for item in items:
        ours = Path(__file__).parent in item.path.parents
        if ours and item.path.name not in NEEDS_NO_PROLOG and not os.environ.get("CI"):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session", autouse=True)
def _workers_end() -> Iterator[None]:
    """No worker outlives the tests."""
    yield
    pool.close()


@pytest.fixture(scope="session")
def published(published_file: Path) -> list[dict[str, Any]]:
    """The published pairs, in the order of the file."""
    data = json.loads(published_file.read_text(encoding="utf-8"))
    return [pair for pairs in data.values() for pair in pairs]
