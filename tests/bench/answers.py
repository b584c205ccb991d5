"""Answers of models as cases: drawing 1,000 of 140,160, and opening such a study, compared with one of cases.

The run has 2,336 cases, 6 models, 2 versions and 5 repeats. Its replies have 350 characters; about every
fifth of them is equal to another one. Opening a study covers the work of
``reviewer review`` before its first case. Garbage is collected as seldom as in a command
(``reviewer/cli/main.py``).
"""

import gc
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.protocols.registry import protocols_of  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.results.outcomes.answer_cases import AnswersWanted, answers_for_study  # noqa: E402
from reviewer.results.outcomes.answer_draw import DrawSize  # noqa: E402
from reviewer.results.outcomes.evaluated import read_evaluation  # noqa: E402
from reviewer.study.design.study_creation import Design, create_study  # noqa: E402
from reviewer.study.session.review_session import ReviewSession  # noqa: E402
from store.database import Database  # noqa: E402
from tests.answered_runs import PAIRS, an_answered_run  # noqa: E402
from tests.studies import BIASES  # noqa: E402

CASES, MODELS, REPEATS, DRAWN = 2_336, 6, 5, 1_000
_WORDS = "It was tested before, and whoever maintains it will be glad of that. " * 5


def reply(model: str, case: int, version: str, repeat: int) -> str:
    """Every fifth reply is that of the repeat before; to one case in 50 models name themselves."""
    by = model if case % 50 == 0 else int(model[-1])
    return f"Explanation: {case % 97} {by} {repeat - (repeat == 4)}. {_WORDS}\nDecision: Option A"


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """How long it takes, or how much processor time."""
    started = clock()
    work()
    return clock() - started


def main() -> None:
    """Print the table."""
    gc.set_threshold(50_000, 20, 20)
    with tempfile.TemporaryDirectory() as folder, closing(Database.open(f"{folder}/one.db")) as database:
        models = [f"model-{number}" for number in range(MODELS)]
        an_answered_run(
            database, cases=CASES, repeats=REPEATS, models=models, replying=reply, groups=BIASES, read=False
        )
        evaluation = read_evaluation(database, protocols_of(database), "first")
        wanted = AnswersWanted(size=DrawSize(total=DRAWN))
        drawn = [answers_for_study(database, evaluation, "why", wanted).drawn]
        drawing = min(
            seconds(lambda: drawn.append(answers_for_study(database, evaluation, "why", wanted).drawn))
            for _ in range(3)
        )
        working = seconds(lambda: answers_for_study(database, evaluation, "why", wanted), time.process_time)
        design = Design((drawn[-1].dataset,), None, 1, raters=("anna",), answers=drawn[-1])
        create_study(database, "why", design)
        create_study(database, "pairs", Design((PAIRS,), None, 1, raters=("anna",), total=DRAWN))
        opening = {
            name: min(seconds(lambda name=name: ReviewSession(database, name, "anna")) for _ in range(3))  # type: ignore[misc]
            for name in ("why", "pairs")
        }
    outcomes = CASES * MODELS * REPEATS * 2
    rows = [
        (f"drawing {DRAWN:,} answers of {outcomes:,}, s (at most 2)", f"{drawing:.2f}"),
        ("processor time of it, s", f"{working:.2f}"),
        ("opening a study of them, s", f"{opening['why']:.3f}"),
        (f"opening a study of {DRAWN:,} cases, s", f"{opening['pairs']:.3f}"),
        ("ratio (at most 1)", f"{opening['why'] / opening['pairs']:.2f}"),
    ]
    print(text_table(Table.of(("answers as cases", ""), rows)))


if __name__ == "__main__":
    main()
