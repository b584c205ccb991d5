"""What third votes do to numbers, in studies with the margins of PROBE-SWE's published agreement."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from reviewer.agreement import COEFFICIENTS, Ratings
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.session.vote_rules import counting_votes

PATTERNS = {3: 0.877, 2: 0.077, 1: 0.036, 0: 0.010}
"""Number of True votes of three → share of items: majority .954, unanimity .877, all agree .887."""
RATERS = ("anna", "ben", "cara")
Votes = dict[str, str | None]


def studies(number: int, cases: int, seed: int) -> Iterator[list[tuple[str, Votes]]]:
    """Studies with all three votes on each case, by the case's digest."""
    random = np.random.default_rng(seed)
    for _ in range(number):
        trues = random.choice([*PATTERNS], cases, p=[*PATTERNS.values()])
        votes = [random.permutation(["True"] * n + ["False"] * (3 - n)).tolist() for n in trues]
        yield [(str(at), dict(zip(RATERS, row, strict=True))) for at, row in enumerate(votes)]


def lean_design(cases: int) -> StudyDesign:
    """Panels of two in turn, and the third rater of each case asked."""
    left_out = {str(at): RATERS[at % 3] for at in range(cases)}
    lists = {rater: (tuple(case for case, third in left_out.items() if third == rater),) for rater in RATERS}
    return StudyDesign(
        cases=cases,
        asked={"q": cases},
        third="on-disagreement",
        panels={case: tuple(r for r in RATERS if r != third) for case, third in left_out.items()},
        third_lists=lists,
    )


def kappa(rows: Sequence[Votes]) -> float | None:
    """Fleiss' kappa of the labels that there are."""
    labels = [[row.get(rater) for rater in RATERS] for row in rows]
    ratings = Ratings.from_labels(labels, ("True", "False"), RATERS)
    return COEFFICIENTS["fleiss_kappa"](ratings).value


def fixed(design: StudyDesign, case: str, votes: Votes) -> Votes:
    return {rater: votes[rater] for rater in design.panels[case]}


def counting(design: StudyDesign, case: str, votes: Votes) -> Votes:
    return dict(counting_votes(design, case, [*votes.items()], lambda vote: (vote[0], vote[1] or "")))


def mean(values: Sequence[float | None]) -> float:
    return float(np.mean([value for value in values if value is not None]))


def test_majorities_are_those_of_three_votes() -> None:
    design = lean_design(90)
    labels = 0
    for study in studies(5, 90, 1):
        for case, votes in study:
            given = counting(design, case, votes)
            labels += len(given)
            assert ([*given.values()].count("True") * 2 > len(given)) == ([*votes.values()].count("True") > 1)
    assert labels / (5 * 90 * 3) == pytest.approx(1 - 0.308, abs=0.03)


@pytest.mark.slow
def test_kappa_of_fixed_votes_is_that_of_studies_without_third_votes() -> None:
    """1,000 studies of 120 cases: fixed votes, all three votes of each case, and votes as they were given."""
    cases = 120
    design = lean_design(cases)
    lean, given, without = [], [], []
    for study in studies(1_000, cases, 2):
        lean.append(kappa([fixed(design, case, votes) for case, votes in study]))
        given.append(kappa([counting(design, case, votes) for case, votes in study]))
        without.append(kappa([votes for _, votes in study]))
    assert mean(lean) == pytest.approx(mean(without), abs=0.01)
    assert mean(given) > mean(without) + 0.1
