"""Turns of phrase: none is read wrongly, and most are read."""

import json
from pathlib import Path

import pytest

from tests.protocols.reading.measure import READERS

FILE = Path(__file__).parent / "turns_of_phrase.jsonl"
LEAST_READ = {"probe-swe": 480, "judge-pairs": 355, "treatment-tests": 464, "detail-levels": 499}


@pytest.mark.parametrize(("protocol", "least"), LEAST_READ.items())
def test_most_turns_of_phrase_are_read_and_none_wrongly(protocol: str, least: int) -> None:
    lines = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    labels = [(line, READERS[protocol](line).label) for line in lines if line["protocol"] == protocol]
    assert [(line, label) for line, label in labels if label not in (line["read"], None)] == []
    assert sum(label is not None for _, label in labels) >= least
