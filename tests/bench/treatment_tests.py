"""Tests with a control and a treatment: speed of rules, scores and import, and the scores of coins.

1. The rules for one fill and for the whole test that it completes.
2. The exact nulls of thirty templates.
3. The import of 30,000 cases.
4. A hundred coins that are asked through a server: how many intervals of the score hold the coin's null.
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.cli.main import reviewer  # noqa: E402
from reviewer.core.estimate import Estimate  # noqa: E402
from reviewer.core.table import Table  # noqa: E402
from reviewer.exchange.rows.dataset_import import import_path  # noqa: E402
from reviewer.protocols.registry import PROTOCOLS  # noqa: E402
from reviewer.protocols.templates.template_toml import templates_from_toml  # noqa: E402
from reviewer.protocols.treatment_tests import treatment_test as score  # noqa: E402
from reviewer.protocols.treatment_tests.filling import fill_faults, whole_faults  # noqa: E402
from reviewer.protocols.treatment_tests.generation import TreatmentSettings, templates_in  # noqa: E402
from reviewer.protocols.treatment_tests.treatment_test import TreatmentTest  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.results.outcomes.effect_estimates import effect_table  # noqa: E402
from reviewer.results.outcomes.effect_rows import ErrorMethod  # noqa: E402
from reviewer.results.outcomes.evaluated import read_evaluation  # noqa: E402
from store.database import Database  # noqa: E402
from tests.llm.server import Answer, Asked, serving  # noqa: E402
from tests.treatment_cases import TEMPLATES, a_test  # noqa: E402

FILLS, BIASES, IMPORTED, COINS, CASES = 500, 30, 30_000, 100, 30


def main() -> None:
    """Print one table."""
    gates = seconds(gated) / FILLS * 1_000
    nulls = seconds(nulls_of_all)
    with tempfile.TemporaryDirectory() as name:
        imported = imported_in(Path(name), IMPORTED)
        held, asked = coins_held(Path(name))
    rows = [
        ("rules for a fill and its test", f"{gates:.2f} ms"),
        (f"nulls of {BIASES} templates", f"{nulls:.3f} s"),
        (f"import of {IMPORTED:,} cases", f"{imported:.1f} s"),
        (f"{COINS} coins on {CASES} cases through a server", f"{asked:.0f} s"),
        ("intervals of the score that hold the coin's null", f"{held} of {COINS}"),
    ]
    print(text_table(Table.of(("what", "result"), rows)))


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def gated() -> None:
    """A fill that holds a value, and a test with fifty known ones."""
    (template,) = templates_in(TreatmentSettings.model_validate(TEMPLATES))
    gap = template.variants[0].treatment.situations[2][1]
    test = TreatmentTest.model_validate(a_test(0).payload)
    values = {"share": "70", "others": "roses"}
    for number in range(FILLS):
        fill = (
            f"70% of people prefer roses, as asked in year of number {number} " + "and told at length " * 20
        )
        list(fill_faults(template, gap, fill, values))
        list(whole_faults(template, test, values, frozenset()))


def nulls_of_all() -> None:
    """The shipped templates, each several times with other numbers of options."""
    text = (ROOT / "seeds" / "treatment_tests" / "templates.toml").read_text(encoding="utf-8")
    templates = templates_from_toml(text, "templates").templates
    for number in range(BIASES):
        template = templates[number % len(templates)]
        score.null_scores(7 + number % 5, score.template_weights(replace(template, group=str(number))))


def imported_in(folder: Path, number: int) -> float:
    """How long the import of so many cases takes."""
    file = folder / "cases.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for place in range(number):
            case = a_test(place)
            lines.write(json.dumps({"group": case.group, "payload": case.payload}) + "\n")
    with closing(Database.open(str(folder / "imported.db"))) as database:
        return seconds(lambda: import_path(database, file, "data", "model-1", protocol="treatment-tests"))


def coin(asked: Asked) -> Answer:
    """A free answer; then an option by chance, another one for each model and text."""
    messages = asked.body["messages"]
    if len(messages) == 1:
        return Answer("I toss a coin.")
    chance = random.Random(f"{asked.body['model']} {messages[0]['content']}")
    return Answer(f"Option {chance.randint(1, messages[0]['content'].count('Option '))}")


def coins_held(folder: Path) -> tuple[int, float]:
    """How many coins' intervals hold their null, and how long asking took."""
    store, file = folder / "coins.db", folder / "coins.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for place in range(CASES):
            shifted = {"x1": -1 - place % 4, "x2": -3} if place % 2 else {}
            case = a_test(place, scenario=f"Garden {place}.", k=1 if place % 3 else -1, **shifted)
            lines.write(json.dumps({"group": case.group, "payload": case.payload}) + "\n")
    with closing(Database.open(str(store))) as database:
        import_path(database, file, "data", "model-1", protocol="treatment-tests")
    models = [part for number in range(COINS) for part in ("--model", f"coin-{number}")]
    with serving(coin) as server:
        given = ["evaluate", "coins", "data", *models, "--base-url", server.url, "--store", str(store)]
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            asked = seconds(lambda: reviewer.main(given, standalone_mode=False))
    with closing(Database.open(str(store))) as database:
        evaluation = read_evaluation(database, PROTOCOLS, "coins")
    table = effect_table(evaluation, by=("model",), measures=("score",), method=ErrorMethod(resamples=2_000))
    effects = [row.effects["score"] for row in table.rows]
    return sum(holds(each.estimate, each.nulls["coin"]) for each in effects), asked


def holds(estimate: Estimate, null: float | None) -> bool:
    """Whether an interval holds a value."""
    within = estimate.interval
    return null is not None and within is not None and within.low <= null <= within.high


if __name__ == "__main__":
    main()
