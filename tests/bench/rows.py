"""The import of a large file of rows by a declared protocol: seconds, processor seconds, peak memory.

Usage: python tests/bench/rows.py [--rows 30000] [--kilobytes 2] [--ending jsonl|csv|parquet] [--again]

The rows hold words of random lengths with the frequencies of a language. The command runs in a process of its
own; memory is the peak of the whole process. The wanted limits for 30,000 rows of 2 KB are 25 seconds and
400 MB. With ``--again`` the same file is imported a second time, which changes nothing.
"""

import argparse
import itertools
import os
import random
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.rows.row_files import content_of_rows  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402

DECLARATION = """
[protocol]
name = "large"
version = 1
title = "Large"
[fields]
question = "question"
first = "answers.a"
second = "answers.b"
[source]
key = "{id}"
group = "kind"
generator = { constant = "model-1" }
[published.score]
column = "score"
[pane.question]
fields = "question"
[pane.answers]
kind = "pair"
fields = ["first", "second"]
[question.better]
prompt = "Which is better?"
labels = ["first", "second"]
shows = ["question", "answers"]
"""
VOCABULARY = 20_000


def main() -> None:
    """Write the file, import it, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=30_000)
    options.add_argument("--kilobytes", type=float, default=2.0)
    options.add_argument("--ending", choices=["jsonl", "csv", "parquet"], default="jsonl")
    options.add_argument("--again", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = folder / f"rows.{chosen.ending}"
        declaration = DECLARATION
        rows = list(_rows(chosen.rows, int(chosen.kilobytes * 1000)))
        if chosen.ending == "csv":  # which has no nested columns
            rows = [{**row, **{f"answers.{side}": row["answers"][side] for side in "ab"}} for row in rows]
            rows = [{name: value for name, value in row.items() if name != "answers"} for row in rows]
        content = content_of_rows(rows, data.name)
        data.write_bytes(content if isinstance(content, bytes) else content.encode())
        (folder / "large.toml").write_text(declaration, encoding="utf-8")
        times = [("import", *_import(folder, data))]
        times += [("again", *_import(folder, data))] if chosen.again else []
        size = data.stat().st_size / 1e6
    head = (f"{chosen.rows:,} rows, {size:.0f} MB", "seconds", "of the processor", "peak MB")
    print(text_table(Table.of(head, times)))


def _rows(count: int, size: int) -> Iterator[dict[str, object]]:
    chance = random.Random(1)
    words = [
        "".join(chance.choices(string.ascii_lowercase, k=chance.randint(2, 10))) for _ in range(VOCABULARY)
    ]
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))

    def text(length: int) -> str:
        return " ".join(chance.choices(words, cum_weights=weights, k=length // 7))

    for number in range(count):
        yield {
            "id": f"row-{number}",
            "kind": chance.choice("abcde"),
            "question": text(size // 5),
            "answers": {"a": text(2 * size // 5), "b": text(2 * size // 5)},
            "score": round(chance.random(), 3),
        }


def _import(folder: Path, data: Path) -> tuple[float, float, float]:
    """Seconds on the clock and of the processor, and the peak memory in MB, of one import."""
    command = (sys.executable, "-m", "reviewer", "import", str(data), "--dataset", "large")
    named = ("--protocol", str(folder / "large.toml"), "--store", str(folder / "reviewer.db"))
    began = time.perf_counter()
    process = subprocess.Popen((*command, *named), cwd=ROOT)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the import failed: {status}")
    seconds = time.perf_counter() - began
    memory = used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1024)
    return round(seconds, 1), round(used.ru_utime + used.ru_stime, 1), round(memory)


if __name__ == "__main__":
    main()
