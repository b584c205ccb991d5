"""Files of outcomes in every layout, with values exchanged and texts cut: outcomes that fit, or a sentence.

What is stored is read again, and importing the same file again changes nothing.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from reviewer.core.errors import ReviewerError
from reviewer.exchange.evaluations.outcome_import import OutcomeSource, import_outcomes
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.exchange.rows.shipped import example_files
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.evaluated import read_evaluation
from store.database import Database
from tests.builders import GROUP, a_record, write_groups
from tests.exchange.raw_outputs import row_of
from tests.fuzz.harness import Attempt, Case, Wrong, check_sentence
from tests.fuzz.mutations import changed_value, mutated_text

EXAMPLES = {
    "judge-pairs": "judge-bench",
    "treatment-tests": "treatment-decisions",
    "detail-levels": "outcomes.toml",
}
PIECES = (",", ";", "\n", '"', "\0", "\ufeff", "A", "=", "model", "{", "[]", "Option A")
Row = Mapping[str, Any]


@dataclass(frozen=True)
class _Layout:
    """A layout by its name or its file, the dataset with the cases of its outcomes, and rows that fit."""

    name: str
    dataset: str
    rows: Sequence[Row]


@contextmanager
def opened(folder: Path) -> Iterator[Attempt]:
    """One store with cases for every layout, which takes what fits."""
    with closing(Database.open(str(folder / "reviewer.db"))) as database:
        layouts = [*_of_examples(database, folder), _of_pairs(database, folder)]
        yield lambda case: _attempt(case, database, case.random.choice(layouts))


def _of_examples(database: Database, folder: Path) -> Iterator[_Layout]:
    for name, layout in EXAMPLES.items():
        files = example_files(name, protocols_of(database))
        (folder / name).mkdir()
        for file, text in files.items():
            (folder / name / file).write_text(text, encoding="utf-8")
        import_path(database, folder / name / "cases.jsonl", name, None, protocol=name)
        rows = [json.loads(line) for line in files["outcomes.jsonl"].splitlines()]
        yield _Layout(str(folder / name / layout) if layout in files else layout, name, rows)


def _of_pairs(database: Database, folder: Path) -> _Layout:
    records = [a_record(number) for number in (1, 2, 3)]
    import_path(database, write_groups(folder / "pairs.json", {GROUP: records}), "pairs", "g1")
    rows = [row_of(GROUP, record, repeat, "A", "B") for record in records for repeat in (0, 1)]
    return _Layout("probe-swe", "pairs", rows)


def _attempt(case: Case, database: Database, layout: _Layout) -> None:
    path, run = _written(case, layout), case.folder.name
    source = OutcomeSource(path, layout.name, (layout.dataset,), case.random.choice((None, "m", "m", "m")))
    skip = case.random.random() < 0.5
    case.keep("layout.txt", f"{layout.name}, run {run}, {source.model}, skip invalid: {skip}")
    try:
        done = import_outcomes(database, run, source, "me", skip_invalid=skip)
    except ReviewerError as error:
        for line in str(error).split("\n"):
            check_sentence(line)
        return
    for sentence in (*map(str, done.problems), *done.notices, done.sentence):
        check_sentence(sentence)
    read_evaluation(database, protocols_of(database), run)
    if import_outcomes(database, run, source, "me", skip_invalid=skip).added:
        raise Wrong("the same file changed something when it was imported again")


def _written(case: Case, layout: _Layout) -> Path:
    random = case.random
    rows = [random.choice(layout.rows) for _ in range(random.choice((1, 1, 2, 4, 8)))]
    if random.random() < 0.9:
        rows = [_changed(random, row) for row in rows]
    is_table = layout.name == "probe-swe" or random.random() < 0.2
    path = case.folder / ("2_llm_outputs_model=m.csv" if is_table else "a.jsonl")
    if is_table:
        _write_table(path, [row for row in rows if isinstance(row, Mapping)])
    else:
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    text = path.read_bytes().decode()
    if random.random() < 0.1:
        text = mutated_text(random, text, [text], PIECES)
        path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    case.keep(path.name, text)
    return path


def _changed(random: Random, row: Row) -> Any:
    return changed_value(random, row, list(row)) if random.random() < 0.7 else row


def _write_table(path: Path, rows: Sequence[Row]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row)) or ["key"]
    with path.open("w", newline="", encoding="utf-8", errors="replace") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
