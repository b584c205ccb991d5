"""Dialogue scripts: reading and checking them, and learning the weights of a debate, in processor time.

Usage: python tests/bench/scripts.py [--scripts mindscope/scripts.csv] [--debates 10000] [--rounds 5]

The published scripts, a file of the shared data, are read beside the plain rows of their table, and checked
beside a search for the words of the bias in the same texts. Weights are learnt with cross-validation beside
one fit to all debates. A figure is the median over all rounds.
"""

import argparse
import csv
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from reviewer.agreement.choice_weights import choice_weights  # noqa: E402
from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.rows.row_files import open_rows  # noqa: E402
from reviewer.protocols.formats import ReadCase, Source  # noqa: E402
from reviewer.protocols.staged_dialogues.debate_weights import learnt_weights  # noqa: E402
from reviewer.protocols.staged_dialogues.script import Script  # noqa: E402
from reviewer.protocols.staged_dialogues.script_checks import judge_script  # noqa: E402
from reviewer.protocols.staged_dialogues.script_files import PublishedScripts  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from tests.protocols.staged_dialogues.test_debate_weights import debates  # noqa: E402
from tests.shared_data import FOLDER  # noqa: E402
from tests.staged_cases import SCRIPTS  # noqa: E402


def main() -> None:
    """Measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--scripts", default="mindscope/scripts.csv")
    options.add_argument("--debates", type=int, default=10_000)
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    rows = [*of_scripts(FOLDER / chosen.scripts, chosen.rounds), of_weights(chosen.debates, chosen.rounds)]
    print(text_table(Table.of(("work", "seconds", "baseline", "seconds of it", "ratio"), rows)))


Row = tuple[str, str, str, str, str]


def of_scripts(path: Path, rounds: int) -> list[Row]:
    """Reading and checking the published scripts; no rows without the shared data."""
    if not path.exists():
        print(f"{path} is not there, so no scripts are read", file=sys.stderr)
        return []
    cases = read(path)
    scripts = [(Script.model_validate(case.case.payload), case.case.group) for case in cases]
    return [
        row(
            f"read {len(cases)} scripts",
            lambda: read(path),
            "rows of their table",
            lambda: plain_rows(path),
            rounds,
        ),
        row(
            f"check {len(cases)} scripts",
            lambda: [judge_script(script, bias) for script, bias in scripts],
            "search for the bias",
            lambda: [re.search(bias, str(script), re.IGNORECASE) for script, bias in scripts],
            rounds,
        ),
    ]


def of_weights(number: int, rounds: int) -> Row:
    """Weights with their held-out accuracy, of debates in which one criterion tells a little."""
    made = debates(number, {"logic": 0.5})
    differences = np.array([debate.difference for debate in made])
    won = np.array([debate.first_is_right for debate in made], dtype=np.float64)
    return row(
        f"learn weights of {number:,} debates",
        lambda: learnt_weights(made),
        "one fit to all",
        lambda: choice_weights(differences, won),
        rounds,
    )


def row(name: str, work: Callable[[], object], base: str, baseline: Callable[[], object], rounds: int) -> Row:
    """A row of the table: work and baseline in turn."""
    pairs = [(seconds(work), seconds(baseline)) for _ in range(rounds)]
    ours, theirs = (median(column) for column in zip(*pairs, strict=True))
    return name, f"{ours:.3f}", base, f"{theirs:.4f}", f"{ours / theirs:.1f}" if theirs else "–"


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def read(path: Path) -> list[ReadCase]:
    """The cases of a file of scripts."""
    source = Source(path.name, path.name, str(path))
    cases = (case for _, case in PublishedScripts().read(open_rows(path), SCRIPTS, source))
    return [case for case in cases if isinstance(case, ReadCase)]


def plain_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


if __name__ == "__main__":
    main()
