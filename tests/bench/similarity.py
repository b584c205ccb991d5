"""How fast texts are encoded, and how fast those that are too alike are found.

Collision search: the blocked product beside a double loop over the same vectors, with the memory that the
product takes beyond them; for the larger number the loop is reckoned from its cost for a pair. The index says
how many of the collisions of sampled texts it found. Encoding:
texts in batches and from the store beside one at a time. Every ratio is to the first row of its table.
"""

import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from reviewer.core.table import Table
from reviewer.report.text_table import text_table
from reviewer.similarity.encoder import Encoder, SimilarityMissing, Vectors, open_encoder
from reviewer.similarity.index_search import indexed_collisions
from reviewer.similarity.near_texts import Collision, collisions_among
from reviewer.similarity.text_vectors import Embeddings
from store.database import Database
from store.embeddings import StoredVectors
from tests.bench.support.oracle_programs import SEEDS

FEW, MANY = 2_400, 50_000
DIMENSIONS = 384
THRESHOLD = 0.9
TEXTS, ALONE = 512, 64
Outcome = TypeVar("Outcome")


def main() -> None:
    """Print both tables."""
    print(text_table(searching()))
    print()
    try:
        print(text_table(encoding(open_encoder())))
    except SimilarityMissing as missing:
        print(missing)


def searching() -> Table:
    """The search among few vectors both ways, and among many in blocks."""
    few = vectors(FEW)
    looped, seconds = timed(lambda: double_loop(few))
    a_pair = seconds / pairs(FEW)
    many = vectors(MANY)
    rows = [("double loop", FEW, len(looped), f"{seconds:.2f}", None, "1x")]
    for given in (few, many):
        found, taken = timed(partial(collisions_among, given, THRESHOLD))
        megabytes = most_megabytes(partial(collisions_among, given, THRESHOLD))
        ratio = f"{a_pair * pairs(len(given)) / taken:.0f}x"
        rows.append(("blocks", len(given), len(found), f"{taken:.2f}", f"{megabytes:.0f}", ratio))
        if len(given) == FEW and not same_pairs(found, looped):
            raise SystemExit("The blocks find OTHER pairs than the loop.")
    (found, recall), taken = timed(partial(indexed_collisions, many, THRESHOLD))
    ratio = f"{a_pair * pairs(MANY) / taken:.0f}x"
    rows.append((f"index ({recall.found} of {recall.of})", MANY, len(found), f"{taken:.2f}", None, ratio))
    return Table.of(("search", "texts", "collisions", "seconds", "MB", "ratio"), rows)


def encoding(encoder: Encoder) -> Table:
    """Texts a second: alone, in batches, and when the store has them."""
    texts = some_texts(TEXTS)
    encoder.encode(texts[:1])  # loads the model
    _, alone = timed(lambda: [encoder.encode([text]) for text in texts[:ALONE]])
    with tempfile.TemporaryDirectory() as folder, closing(Database.open(f"{folder}/bench.db")) as database:
        embeddings = Embeddings(encoder, StoredVectors(database))
        _, batches = timed(lambda: embeddings.of(texts))
        _, stored = timed(lambda: embeddings.of(texts))
    baseline = ALONE / alone
    rates = {
        "one at a time": baseline,
        "in batches, stored": TEXTS / batches,
        "from the store": TEXTS / stored,
    }
    rows = [(name, f"{rate:.0f}", f"{rate / baseline:.1f}x") for name, rate in rates.items()]
    return Table.of(("texts", "a second", "ratio"), rows)


def vectors(number: int) -> Vectors:
    """Random directions, one in a hundred of them with a near twin."""
    drawn = np.random.default_rng(number).normal(size=(number, DIMENSIONS)).astype(np.float32)
    twins = number // 100
    drawn[-twins:] = drawn[:twins] + 0.3 * drawn[-twins:]
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def double_loop(given: Vectors) -> list[Collision]:
    """Every pair in turn."""
    found = []
    for new in range(len(given)):
        for approved in range(new):
            value = float(given[new] @ given[approved])
            if value >= THRESHOLD:
                found.append(Collision(new, approved, value))
    return found


def same_pairs(first: list[Collision], second: list[Collision]) -> bool:
    return [(hit.new, hit.approved) for hit in first] == [(hit.new, hit.approved) for hit in second]


def pairs(number: int) -> int:
    return number * (number - 1) // 2


def some_texts(number: int) -> list[str]:
    """The seed corpus' texts, each with another number at its end."""
    found = [path.read_text(encoding="utf-8") for path in sorted(SEEDS.rglob("*_task.txt"))]
    return [f"{found[n % len(found)]} ({n})" for n in range(number)]


def timed(work: Callable[[], Outcome]) -> tuple[Outcome, float]:
    """What the work returns, and its seconds."""
    started = time.perf_counter()
    return work(), time.perf_counter() - started


def most_megabytes(work: Callable[[], object]) -> float:
    """The memory that the work takes at the most, apart from memory in use before."""
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


if __name__ == "__main__":
    main()
