"""All tables of a judge on 10,000 answers × 5 questions with 10,000 resamples, beside plain loops.

Everything is counted in processor time. The loop resamples one question 200 times item by item, and its time
is scaled to 10,000 resamples of five questions.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from reviewer.agreement.bootstrap import bootstrap
from reviewer.agreement.coefficient import COEFFICIENTS, COHEN
from reviewer.agreement.judge_labels import confirmed_by_votes, judge_on_label
from reviewer.agreement.judge_replacement import replacement_test
from reviewer.agreement.judge_shares import JudgedDataset
from reviewer.agreement.rating_patterns import Ints
from reviewer.agreement.ratings import Ratings
from reviewer.core.table import Table
from reviewer.report.text_table import text_table

ANSWERS, QUESTIONS, RESAMPLES, VOTES, STRATA, LOOPED = 10_000, 5, 10_000, 5, 8, 200
LIMIT = 3.0
"""Seconds for all tables."""


class Question:
    """Votes of a judge, labels of three raters and of the experts, on as many answers."""

    def __init__(self, seed: int) -> None:
        generator = np.random.default_rng(seed)
        truth = generator.random(ANSWERS) < 0.7
        self.votes = generator.binomial(VOTES, np.where(truth, 0.85, 0.25))
        self.judge = (2 * self.votes > VOTES).astype(np.int64)
        right = generator.random((ANSWERS, 3)) < 0.9
        self.raters = np.where(right, truth[:, None], ~truth[:, None]).astype(np.int64)
        self.experts = (self.raters.sum(axis=1) > 1).astype(np.int64)
        self.strata = np.arange(ANSWERS) % STRATA
        self.drawn = generator.random(ANSWERS) < 0.05


def tables(question: Question) -> None:
    """Every table of ``reviewer judges`` for one question; all answers have labels of experts."""
    both = Ratings.from_labels(np.column_stack([question.judge, question.experts]).tolist(), (0, 1))
    bootstrap(both, COHEN, seed=1, resamples=RESAMPLES)
    COEFFICIENTS["gwet_ac1"](both)
    judge_on_label(question.judge == 1, question.experts == 1)
    confirmed_by_votes(question.votes, np.full(ANSWERS, VOTES), question.experts == 1)
    replacement_test(question.judge, question.raters, "abc")
    drawn = np.where(question.drawn, question.experts, -1)
    dataset = JudgedDataset.of_cases(question.strata, question.judge, question.drawn, drawn)
    dataset.shares(seed=1, resamples=RESAMPLES)


def loop(judge: Ints, experts: Ints) -> None:
    """Cohen's kappa and the share of labels saved in each resample, item by item."""
    pairs, generator = list(zip(judge.tolist(), experts.tolist(), strict=True)), np.random.default_rng(1)
    for _ in range(LOOPED):
        counts = {(a, b): 0 for a in (0, 1) for b in (0, 1)}
        for place in generator.integers(0, len(pairs), len(pairs)).tolist():
            counts[pairs[place]] += 1


def seconds(started: float) -> float:
    return time.process_time() - started


def main() -> None:
    """Print the times of both, and whether the tables stay within the limit."""
    questions = [Question(seed) for seed in range(QUESTIONS)]
    tables(questions[0])  # what loads late is loaded
    started = time.process_time()
    for question in questions:
        tables(question)
    whole = seconds(started)
    started = time.process_time()
    loop(questions[0].judge, questions[0].experts)
    looped = seconds(started) * QUESTIONS * RESAMPLES / LOOPED
    rows = [
        ("all tables", f"{whole:.2f}", f"under {LIMIT:g}: {'yes' if whole < LIMIT else 'NO'}"),
        ("resampling in a plain loop", f"{looped:.0f}", f"{looped / whole:.0f} times as long"),
    ]
    print(f"{ANSWERS:,} answers × {QUESTIONS} questions, {RESAMPLES:,} resamples")
    print(text_table(Table.of(("what", "seconds", ""), rows)))


if __name__ == "__main__":
    main()
