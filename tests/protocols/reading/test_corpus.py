"""The reader on a corpus of replies: most that a person reads are read, and next to none wrongly."""

from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from tests.protocols.reading.measure import (
    READERS,
    Measured,
    Reading,
    corpus_files,
    lines_of,
    readings_of,
)

PARTS = sorted({path.name.partition(".")[0] for path in corpus_files()})
LARGE_PARTS = [
    part
    for part in ("eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth")
    if part in PARTS
]
LATER_PARTS = LARGE_PARTS[1:-1]
"""Read by the slow tests: of the large parts, every run reads the first and the newest."""
LEAST_PLAIN = {
    "own": 0.99,
    "second": 0.99,
    "third": 0.99,
    "fourth": 1.0,
    "fifth": 0.96,
    "sixth": 0.97,
    "seventh": 0.95,
    "eighth": 0.99,
    "ninth": 0.99,
    "tenth": 1.0,
    "eleventh": 0.98,
    "twelfth": 0.98,
    "thirteenth": 0.98,
    "fourteenth": 0.99,
    "kept": 0.97,
}
"""The share of plain replies that is read at least."""
LEAST_READ = {
    ("own", "detail-levels"): 56,
    ("own", "judge-pairs"): 64,
    ("own", "probe-swe"): 63,
    ("own", "treatment-tests"): 61,
    ("second", "detail-levels"): 47,
    ("second", "judge-pairs"): 65,
    ("second", "probe-swe"): 63,
    ("second", "treatment-tests"): 52,
    ("third", "detail-levels"): 59,
    ("third", "judge-pairs"): 66,
    ("third", "probe-swe"): 63,
    ("third", "treatment-tests"): 63,
    ("fourth", "detail-levels"): 58,
    ("fourth", "judge-pairs"): 63,
    ("fourth", "probe-swe"): 60,
    ("fourth", "treatment-tests"): 62,
    ("fifth", "detail-levels"): 47,
    ("fifth", "judge-pairs"): 49,
    ("fifth", "probe-swe"): 59,
    ("fifth", "treatment-tests"): 46,
    ("sixth", "detail-levels"): 50,
    ("sixth", "judge-pairs"): 54,
    ("sixth", "probe-swe"): 59,
    ("sixth", "treatment-tests"): 45,
    ("seventh", "detail-levels"): 27,
    ("seventh", "judge-pairs"): 37,
    ("seventh", "probe-swe"): 39,
    ("seventh", "treatment-tests"): 29,
    ("eighth", "detail-levels"): 81,
    ("eighth", "judge-pairs"): 95,
    ("eighth", "probe-swe"): 94,
    ("eighth", "treatment-tests"): 84,
    ("ninth", "detail-levels"): 89,
    ("ninth", "judge-pairs"): 101,
    ("ninth", "probe-swe"): 93,
    ("ninth", "treatment-tests"): 89,
    ("tenth", "detail-levels"): 93,
    ("tenth", "judge-pairs"): 95,
    ("tenth", "probe-swe"): 96,
    ("tenth", "treatment-tests"): 92,
    ("eleventh", "detail-levels"): 90,
    ("eleventh", "judge-pairs"): 98,
    ("eleventh", "probe-swe"): 96,
    ("eleventh", "treatment-tests"): 84,
    ("twelfth", "detail-levels"): 89,
    ("twelfth", "judge-pairs"): 100,
    ("twelfth", "probe-swe"): 90,
    ("twelfth", "treatment-tests"): 85,
    ("thirteenth", "detail-levels"): 87,
    ("thirteenth", "judge-pairs"): 100,
    ("thirteenth", "probe-swe"): 93,
    ("thirteenth", "treatment-tests"): 85,
    ("fourteenth", "detail-levels"): 87,
    ("fourteenth", "judge-pairs"): 93,
    ("fourteenth", "probe-swe"): 96,
    ("fourteenth", "treatment-tests"): 89,
    ("kept", "detail-levels"): 45,
    ("kept", "judge-pairs"): 61,
    ("kept", "probe-swe"): 61,
    ("kept", "treatment-tests"): 48,
}
"""How many of the hard replies that a person reads were read when this was written: fewer are a loss."""
MOST_WRONG = {
    "own": dict.fromkeys(READERS, 0),
    "second": dict.fromkeys(READERS, 0),
    "third": dict.fromkeys(READERS, 0),
    "fourth": dict.fromkeys(READERS, 0),
    "fifth": dict.fromkeys(READERS, 0) | {"judge-pairs": 1},
    "sixth": dict.fromkeys(READERS, 0) | {"probe-swe": 1},
    "seventh": dict.fromkeys(READERS, 0)
    | {"detail-levels": 2, "judge-pairs": 1, "probe-swe": 2, "treatment-tests": 2},
    "eighth": dict.fromkeys(READERS, 0) | {"treatment-tests": 3},
    "ninth": dict.fromkeys(READERS, 0) | {"detail-levels": 1},
    "tenth": dict.fromkeys(READERS, 0) | {"probe-swe": 1},
    "eleventh": dict.fromkeys(READERS, 0),
    "kept": dict.fromkeys(READERS, 0) | {"detail-levels": 1},
    "thirteenth": dict.fromkeys(READERS, 0) | {"detail-levels": 1, "judge-pairs": 1, "treatment-tests": 1},
    "fourteenth": dict.fromkeys(READERS, 0) | {"judge-pairs": 1},
    "twelfth": dict.fromkeys(READERS, 0) | {"detail-levels": 1, "judge-pairs": 1, "probe-swe": 1},
}
"""Wrong labels of hard replies. All parts were known when versions 19 and 20 were written."""


@cache
def read(part: str) -> list[Reading]:
    """A part of the corpus, read."""
    return [reading for path in _files(part) for reading in readings_of(path)]


def _files(part: str) -> list[Path]:
    return [path for path in corpus_files() if path.name.startswith(f"{part}.")]


def by_part(*more: str) -> list[ParameterSet]:
    """A parameter for each part and each of ``more``."""
    values = [(part, *own) for part in PARTS for own in (product(more) if more else [()])]
    return [pytest.param(*own, marks=pytest.mark.slow if own[0] in LATER_PARTS else ()) for own in values]


@pytest.mark.parametrize("part", by_part())
def test_plain_replies_are_read_and_next_to_none_wrongly(part: str) -> None:
    measured = Measured.of([reading for reading in read(part) if reading.half == "plain"])
    assert measured.wrong == 0
    assert measured.read >= LEAST_PLAIN[part] * measured.by_person


@pytest.mark.parametrize(("part", "protocol"), by_part(*READERS))
def test_hard_replies_are_read_as_often_and_as_rightly_as_before(part: str, protocol: str) -> None:
    hard = ("hard", protocol)
    measured = Measured.of([reading for reading in read(part) if (reading.half, reading.protocol) == hard])
    assert measured.wrong <= MOST_WRONG[part][protocol]
    assert measured.read >= LEAST_READ[part, protocol]


def test_every_part_says_how_many_replies_are_read() -> None:
    assert set(LEAST_READ) == set(product(PARTS, READERS))


def test_the_corpus_has_as_many_replies_of_each_protocol() -> None:
    counts = Counter[tuple[str, ...]]()
    for path in corpus_files():
        part, protocol, half, _ = path.name.split(".")
        counts[part, protocol, half] += len(path.read_text(encoding="utf-8").splitlines())
    replies = dict.fromkeys(product(PARTS, READERS, ("plain", "hard")), 100)
    large = dict.fromkeys(product(LARGE_PARTS, READERS, ("hard",)), 155)
    assert counts == replies | large


def test_the_table_has_a_row_for_each_kind_and_protocol_and_for_all_together() -> None:
    parts = PARTS[:2]
    readings = [reading for part in parts for reading in read(part)]
    rows = list(lines_of(readings))
    kinds = {(reading.part, reading.half, reading.protocol, reading.kind) for reading in readings}
    protocols = {kind[:3] for kind in kinds}
    assert len(rows) == 2 + len(kinds) + len(protocols) + 2 * len(parts)
