"""The figures behind the manual's numbers for planning, measured again beside those that are kept.

Usage: python tests/bench/planning.py [--cases 200] [--texts 256] [--vectors 20000] [--only cluster]

Everything but storage is processor time, so it hardly depends on what else the machine does. That of calls is
processor time of one process at 256 calls at a time, against a server that takes 200 ms: its inverse is the
most calls a second that one process makes.
"""

import argparse
import base64
import json
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.cluster.job_kinds import TextsKind  # noqa: E402
from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.rows.dataset_import import import_path  # noqa: E402
from reviewer.oracle import pool  # noqa: E402
from reviewer.oracle.program_runner import local_runner  # noqa: E402
from reviewer.planning.estimates import MEASURED  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.runs.audit.dataset_audit import audit  # noqa: E402
from reviewer.similarity.encoder import open_encoder  # noqa: E402
from reviewer.similarity.index_search import indexed_collisions  # noqa: E402
from reviewer.similarity.near_texts import collisions_among  # noqa: E402
from reviewer.similarity.text_vectors import Embeddings, text_digest  # noqa: E402
from store.database import Database  # noqa: E402
from store.embeddings import StoredVectors  # noqa: E402
from store.findings import cases_in  # noqa: E402
from tests.bench import cluster as cluster_bench  # noqa: E402
from tests.bench.shared_evaluation import slow_server  # noqa: E402
from tests.bench.similarity import some_texts, vectors  # noqa: E402
from tests.bench.support.oracle_programs import PUBLISHED  # noqa: E402
from tests.bench.support.processor_time import family  # noqa: E402
from tests.runs.evaluating import evaluate, with_cases  # noqa: E402

THRESHOLD = 0.9
CONCURRENCY = 256
CALLS = 5_000


def main() -> None:
    """Measure one group of figures after the other and print them all."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=200)
    options.add_argument("--texts", type=int, default=256)
    options.add_argument("--vectors", type=int, default=20_000)
    options.add_argument("--only", choices=("audit", "cluster", "texts", "searches", "calls"))
    chosen = options.parse_args()
    if not PUBLISHED.exists():
        print("The published pairs are not here.")
        return
    found: dict[str, float] = {}
    measures: dict[str, Callable[[], dict[str, float]]] = {
        "audit": partial(of_audit, chosen.cases),
        "cluster": partial(of_cluster, chosen.cases),
        "texts": partial(of_texts, chosen.texts),
        "searches": partial(of_searches, chosen.vectors),
        "calls": of_calls,
    }
    for measure in [measures[chosen.only]] if chosen.only else measures.values():
        found |= measure()
        print(found, file=sys.stderr)
    kept = {name: getattr(MEASURED, name) for name in found}
    rows = [
        (name, f"{now:.4g}", f"{kept[name]:.4g}", f"{now / kept[name]:.2f}") for name, now in found.items()
    ]
    print(text_table(Table.of(("figure", "now", "kept", "ratio"), rows)))


def of_audit(number: int) -> dict[str, float]:
    """An audit by two processes of this machine, and its size in the store."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "reviewer.db"
        Database.open(str(store)).close()
        empty = store.stat().st_size
        with closing(Database.open(str(store))) as database:
            taken = processor(lambda: import_path(database, PUBLISHED, "pairs"))
            with database.read() as session:
                cases = cases_in(session, "pairs")
        imported = store.stat().st_size
        number = min(number, len(cases) - cluster_bench.WARM)
        some = cases[:: len(cases) // (number + cluster_bench.WARM)][: number + cluster_bench.WARM]
        with closing(Database.open(str(store))) as database, local_runner(2) as runner:
            audit(database, [some[: cluster_bench.WARM]], runner)
            before = family()
            audit(database, [some[cluster_bench.WARM :]], runner)
            after = family()
        pool.close()
        audited = store.stat().st_size
    return {
        "import_seconds": taken / len(cases),
        "program_seconds": (after[1] - before[1]) / number,
        "client_seconds": (after[0] - before[0]) / number,
        "bytes_a_case": (imported - empty) / len(cases),
        "bytes_an_audit": (audited - imported) / len(some),
    }


def of_cluster(number: int) -> dict[str, float]:
    """The same on a cluster of two workers."""
    local = cluster_bench.measured("local", 2, None, number)
    one = cluster_bench.measured("cluster", 2, 2, number)
    overhead = one.cpu - one.client - one.scheduler - (local.cpu - local.client)
    return {
        "cluster_client_seconds": one.client / number,
        "scheduler_seconds": one.scheduler / number,
        "worker_seconds": max(0.0, overhead) / number,
        "bytes_sent": one.sent / number,
    }


def of_texts(number: int) -> dict[str, float]:
    """Encoding, with the vectors kept in a store."""
    encoder, texts = open_encoder(), some_texts(number + 1)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "reviewer.db"
        Database.open(str(store)).close()
        empty = store.stat().st_size
        with closing(Database.open(str(store))) as database:
            embeddings = Embeddings(encoder, StoredVectors(database))
            embeddings.of(texts[:1])  # loads the model
            taken = processor(lambda: embeddings.of(texts[1:]))
        return {
            "text_seconds": taken / number,
            "vector_seconds": seconds_of_reading(min(number, 512)),
            "bytes_a_vector": (store.stat().st_size - empty) / (number + 1),
        }


def seconds_of_reading(number: int) -> float:
    """What the client does with a vector that a worker sent: read, check, store."""
    kind, texts, rows = TextsKind("model", "model@digest"), some_texts(number), vectors(number)
    form = {"size": rows.shape[1], "data": base64.b64encode(rows.tobytes()).decode()}
    line = json.dumps(form).encode()
    with tempfile.TemporaryDirectory() as folder, closing(Database.open(f"{folder}/reviewer.db")) as database:
        cache = StoredVectors(database)

        def read() -> None:
            kind.write(texts)
            checked = kind.read(texts, line)
            assert not isinstance(checked, str)
            cache.put(
                "model", {text_digest(text): row.tobytes() for text, row in zip(texts, checked, strict=True)}
            )

        return own_processor(read) / number


def of_searches(number: int) -> dict[str, float]:
    """Comparing every two vectors, and an index, whose time is a n + b n √n: from two sizes."""
    many = vectors(number)
    pair = processor(lambda: collisions_among(many, THRESHOLD)) / (number * (number - 1) / 2)
    sizes = (number, 4 * number)
    small, large = (processor(partial(indexed_collisions, vectors(size), THRESHOLD)) / size for size in sizes)
    growing = (large - small) / (sizes[1] ** 0.5 - sizes[0] ** 0.5)
    return {
        "pair_seconds": pair,
        "index_text_seconds": max(0.0, small - growing * number**0.5),
        "index_root_seconds": growing,
    }


def of_calls() -> dict[str, float]:
    """Calls of one process that keeps them in a file."""
    with tempfile.TemporaryDirectory() as folder, slow_server() as url:
        store = Path(folder) / "reviewer.db"
        with closing(with_cases(Database.open(str(store)), CALLS // 10)) as database:
            limits = {"concurrency": CONCURRENCY}
            evaluate(database, url, ("warm",), repeats=1, client_limits=limits, name="warm")
        before = store.stat().st_size
        with closing(Database.open(str(store))) as database:
            taken = own_processor(lambda: evaluate(database, url, ("m1",), repeats=5, client_limits=limits))
        return {
            "call_seconds": taken / CALLS,
            "bytes_a_call": (store.stat().st_size - before) / CALLS,
        }


def processor(work: Callable[[], object]) -> float:
    """Seconds of the processor of this process and those below it."""
    before = family()
    work()
    return sum(family()) - sum(before)


def own_processor(work: Callable[[], object]) -> float:
    """Seconds of the processor of this process alone."""
    before, _ = family()
    work()
    return family()[0] - before


if __name__ == "__main__":
    main()
