"""Judges of pairs: how soon their verdicts are in the store and measured.

1. The import of a judge's file of 350 pairs (4 MB), beside reading it and writing its labels alone.
2. All measures of 2,370 pairs that a judge saw in both orders, with 10,000 resamples of questions, beside a
   plain loop over pairs.
3. What a coin and the constant answerers get in every measure of that table.
4. All measures of 100,000 outcomes by model and group, with intervals by formula, beside a plain loop that
   counts them without any.
"""

import json
import random
import sqlite3
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.evaluations.outcome_import import OutcomeSource, import_outcomes  # noqa: E402
from reviewer.exchange.rows.dataset_import import import_path  # noqa: E402
from reviewer.protocols.registry import PROTOCOLS  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.results.outcomes.comparisons import Comparisons  # noqa: E402
from reviewer.results.outcomes.effect_estimates import effect_table  # noqa: E402
from reviewer.results.outcomes.effect_rows import ErrorMethod  # noqa: E402
from reviewer.results.outcomes.evaluated import Evaluation, read_evaluation  # noqa: E402
from store.database import Database  # noqa: E402
from tests.answer_pairs import a_row, write_lines  # noqa: E402

RUN_PAIRS, JUDGED_PAIRS, RESAMPLES, LOOPED = 350, 2_370, 10_000, 10
REPLY = "I work the question out myself and compare both answers with what I find. " * 40
OUTCOMES, GROUPS = 100_000, 4
SHARED_BY = 5
"""Every so many pairs repeat the question before."""
FLIPPED = {"A>B": "B>A", "B>A": "A>B", "A=B": "A=B", None: None}
Rows = list[dict[str, object]]


def main() -> None:
    """Print one table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs, run = files(folder, "run", RUN_PAIRS, REPLY)
        with closing(stored(folder / "run.db", pairs)) as database:
            imported = seconds(lambda: bring(database, run))
        megabytes = run.stat().st_size / 1e6
        alone = seconds(lambda: labels_alone(run, folder / "alone.db"))
        pairs, judged = files(folder, "judged", JUDGED_PAIRS, "Both are read.")
        with closing(stored(folder / "judged.db", pairs)) as database:
            bring(database, judged)
            evaluation = read_evaluation(database, PROTOCOLS, "judges")
        rows = [json.loads(line) for line in judged.read_text(encoding="utf-8").splitlines()]
        method = ErrorMethod(resamples=RESAMPLES)
        measured = seconds(lambda: effect_table(evaluation, method=method))
        looped = seconds(lambda: plain_loop(rows)) * RESAMPLES / LOOPED
        nulls = seconds(lambda: [Comparisons(evaluation, each).nulls for each in evaluation.plan.measures])
        enumerated = seconds(lambda: plain_nulls(evaluation))
        many = by_many_judges(evaluation)
        method, by = ErrorMethod("linearised"), ("model", "group")
        divided = seconds(lambda: effect_table(many, by=by, method=method))
        summed = seconds(lambda: plain_counts(rows, many.models))
        outcomes = sum(labels.size for labels in many.labels.values())
    size = f"{RUN_PAIRS} pairs ({megabytes:.1f} MB)"
    print(
        text_table(
            Table.of(
                ("what", "seconds", "plainly"),
                [
                    (f"import of {size}", f"{imported:.2f}", f"{alone:.2f} (labels alone)"),
                    (f"measures of {JUDGED_PAIRS:,} pairs", f"{measured:.2f}", f"{looped:.0f} (a loop)"),
                    ("nulls of the table", f"{nulls:.3f}", f"{enumerated:.3f} (pair by pair)"),
                    (f"{outcomes:,} outcomes by model and group", f"{divided:.2f}", f"{summed:.2f} (a loop)"),
                ],
            )
        )
    )


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def files(folder: Path, name: str, number: int, reply: str) -> tuple[Path, Path]:
    """A file of pairs and one of a judge who is right in two of three verdicts."""
    coin = random.Random(7)
    rows: list[dict[str, object]] = []
    for place in range(number):
        row = a_row(
            place,
            response_A="A" * coin.randrange(1_000, 3_000),
            response_B=f"{place} " + "B" * 2_000,
            domain=f"domain {place % GROUPS}",
        )
        if place % SHARED_BY == 0 and rows:
            row["question"] = rows[-1]["question"]  # type: ignore[assignment]
        rows.append(row)  # type: ignore[arg-type]
    judged = [{**row, "judgments": [verdict(coin, row, turn, reply) for turn in range(2)]} for row in rows]
    pairs = write_lines(folder / f"{name}-pairs.jsonl", rows)  # type: ignore[arg-type]
    return pairs, write_lines(folder / f"{name}.jsonl", judged)  # type: ignore[arg-type]


def verdict(coin: random.Random, row: dict[str, object], turn: int, reply: str) -> dict[str, object]:
    said = coin.choices([row["label"], FLIPPED[str(row["label"])], "A=B", None], [12, 4, 2, 1])[0]
    decision = FLIPPED[said] if turn else said  # type: ignore[index]
    judged = {"judge_model": "judge-1", "prompt": "Which one?", "response": f"{reply}\n{decision}"}
    return {"judgment": judged, "decision": decision}


def stored(path: Path, pairs: Path) -> Database:
    database = Database.open(str(path))
    import_path(database, pairs, "pairs", protocol="judge-pairs")
    return database


def bring(database: Database, run: Path) -> None:
    import_outcomes(database, "judges", OutcomeSource(run, "judge-bench", ("pairs",)), "bench")


def labels_alone(run: Path, target: Path) -> None:
    """Two labels a row, unchecked, without replies."""
    with closing(sqlite3.connect(target)) as database, database:
        database.execute("CREATE TABLE labels (pair TEXT, number INTEGER, decision TEXT)")
        rows = (json.loads(line) for line in run.read_text(encoding="utf-8").splitlines())
        labels = (
            (row["pair_id"], number, said["decision"])
            for row in rows
            for number, said in enumerate(row["judgments"])
        )
        database.executemany("INSERT INTO labels VALUES (?, ?, ?)", labels)


def plain_loop(rows: Rows) -> list[list[float]]:
    """A few resamples of questions, each measure counted pair by pair."""
    coin, by_question = random.Random(0), defaultdict(list)
    for row in rows:
        by_question[row["question"]].append(row)
    questions = list(by_question.values())
    return [
        [sum(values) / len(values) for values in zip(*map(counted, drawn), strict=True)]
        for drawn in (
            [row for _ in questions for row in questions[coin.randrange(len(questions))]]
            for _ in range(LOOPED)
        )
    ]


def counted(row: dict[str, object]) -> Iterator[float]:
    """What one pair brings to eight measures."""
    judged: list[dict[str, object]] = row["judgments"]  # type: ignore[assignment]
    one, other = judged[0]["decision"], FLIPPED[judged[1]["decision"]]  # type: ignore[index]
    right = row["label"]
    total = sum((said == right) - (said == FLIPPED[right]) for said in (one, other))  # type: ignore[index]
    longer = "A>B" if len(str(row["response_A"])) > len(str(row["response_B"])) else "B>A"
    yield from (total > 0, total < 0, total == 0, one != other)
    yield (one == "A>B" and other == "B>A") - (one == "B>A" and other == "A>B")
    yield from ((one == right) + (other == right), (one == longer) + (other == longer))
    yield (one is None) + (other is None)


def by_many_judges(evaluation: Evaluation) -> Evaluation:
    """The same verdicts, given by as many judges as make the number of outcomes."""
    (labels,) = evaluation.labels.values()
    models = tuple(f"judge-{number}" for number in range(-(-OUTCOMES // labels.size)))
    return replace(evaluation, models=models, labels=dict.fromkeys(models, labels))


def plain_counts(rows: Rows, models: tuple[str, ...]) -> dict[tuple[str, object], list[float]]:
    """The sums of each measure by model and group, pair by pair."""
    sums: dict[tuple[str, object], list[float]] = {}
    for model in models:
        for row in rows:
            brought = [*counted(row)]
            held = sums.setdefault((model, row["domain"]), [0.0] * len(brought))
            for place, value in enumerate(brought):
                held[place] += value
    return sums


def plain_nulls(evaluation: Evaluation) -> list[float]:
    """A coin's value of each measure, every throw of every pair judged by itself."""
    values = []
    for measure in evaluation.plan.measures:
        compared = Comparisons(evaluation, measure).compared
        sums, weights = 0.0, 0.0
        for case in evaluation.cases:
            for rest, named in compared.items():
                throws = [{}]
                for value in named:
                    throws = [{**throw, value: label} for throw in throws for label in case.guesses]
                for throw in throws:
                    brought = measure.value(case.facts, rest, throw)
                    sums, weights = sums + brought.value * brought.weight, weights + brought.weight
        values.append(sums / weights if weights else 0.0)
    return values


if __name__ == "__main__":
    main()
