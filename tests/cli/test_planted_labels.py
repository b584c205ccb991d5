"""Simulated experts and a judge of known quality on transcripts: the tables contain what was planted.

Each transcript shows the bias or not, and everybody sees that with a sensitivity and a specificity of theirs,
independently of the others. So the agreement that raters would have on all such transcripts is known.
"""

import csv
import io
import random
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.asked_judges import judged_by
from tests.cli.conftest import Run
from tests.rounds import mostly_slow
from tests.staged_cases import a_transcript, fill

TRANSCRIPTS = 80
SHARE = 0.5


@dataclass(frozen=True)
class Observer:
    """Somebody who says "yes" with these probabilities."""

    sensitivity: float
    specificity: float

    def says_yes(self, shows: bool, chance: random.Random) -> bool:
        return chance.random() < (self.sensitivity if shows else 1 - self.specificity)


CAREFUL, HASTY = Observer(0.97, 0.97), Observer(0.75, 0.7)


def planted(observer: Observer) -> dict[str, float]:
    """Agreement, kappa and AC1 of two such observers over all transcripts."""
    both = observer.sensitivity, 1 - observer.specificity
    agree = sum(weight * (p * p + (1 - p) ** 2) for weight, p in zip((SHARE, 1 - SHARE), both, strict=True))
    yes = SHARE * both[0] + (1 - SHARE) * both[1]
    by_kappa = yes**2 + (1 - yes) ** 2
    by_ac1 = yes * (1 - yes)  # the sum of p (1 - p) over three labels, divided by two
    return {
        "po_pairwise": agree,
        "fleiss_kappa": (agree - by_kappa) / (1 - by_kappa),
        "gwet_ac1": (agree - by_ac1) / (1 - by_ac1),
    }


def judged(folder: Path, observers: Mapping[str, Observer]) -> tuple[Database, dict[str, bool]]:
    """A study that simulated experts have answered, and which transcripts show the bias, by digest."""
    chance = random.Random(11)
    database = Database.open(str(folder / "reviewer.db"))
    cases = [a_transcript(number) for number in range(TRANSCRIPTS)]
    shows = {case.digest: number < SHARE * TRANSCRIPTS for number, case in enumerate(cases)}
    fill(database, "staged", cases)
    create_study(database, "pilot", Design(("staged",), None, 1, questions=("shows_bias",)))
    for rater, observer in observers.items():
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            yes = observer.says_yes(shows[session.slot.case], chance)
            session.answer("yes" if yes else "no")
    return database, shows


def rows(told: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(told)))


@mostly_slow(2)
@pytest.mark.parametrize(("own", "other"), [(CAREFUL, HASTY), (HASTY, CAREFUL)])
def test_agreement_contains_what_was_planted_and_not_another_value(
    tmp_path: Path, run: Run, own: Observer, other: Observer
) -> None:
    database, _ = judged(tmp_path, {"anna": own, "ben": own})
    database.close()
    told = run("agreement", "pilot", "--by", "question", "--format", "csv")
    assert told.code == 0, told.err
    row = rows(told.out)[0]
    for name, value in planted(own).items():
        low, high = float(row[f"{name}_low"]), float(row[f"{name}_high"])
        assert low <= value <= high, (name, value, low, high)
        assert not low <= planted(other)[name] <= high, "the interval tells the two apart"


@pytest.mark.slow
def test_tables_of_a_judge_contain_its_planted_quality(tmp_path: Path, run: Run) -> None:
    database, shows = judged(tmp_path, {"anna": Observer(1, 1), "ben": Observer(1, 1)})
    chance = random.Random(5)
    with closing(database):
        judged_by(
            database,
            reply_of=lambda case, question, repeat: (
                f"Seen so.\nAnswer: {'yes' if HASTY.says_yes(shows[case.digest], chance) else 'no'}"
            ),
        )
    told = run("judges", "pilot", "--by-label", "--format", "csv")
    assert told.code == 0, told.err
    row = next(row for row in rows(told.out) if row["label"] == "yes")
    for name, value in (("sensitivity", HASTY.sensitivity), ("specificity", HASTY.specificity)):
        assert float(row[f"{name}_low"]) <= value <= float(row[f"{name}_high"])
        assert float(row[f"{name}_high"]) < CAREFUL.sensitivity
