"""Two studies with the same questions in one table and one report."""

from collections import Counter
from pathlib import Path

import pytest

from reviewer.agreement.coefficient import ORDERED_COEFFICIENTS
from reviewer.agreement.ratings import Ratings
from reviewer.core.errors import RequestError
from reviewer.study.design.pooled_studies import pooled_studies
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.integrity.quarantine import read_study
from store.database import Database
from tests.cli.conftest import Run
from tests.second_protocol.material import a_dialogue, fill_tiny
from tests.second_protocol.test_scales import FITS, GRADED, answer, database, graded, rows
from tests.studies import with_questions
from tests.tiny_protocol.protocol import FIT

__all__ = ["database", "graded"]
NEW = {"anna": "7654", "dora": "7744"}
"""Labels of the second study; its first case is the last but one of the first study."""


@pytest.fixture
def two(database: Database) -> Database:
    """A second study of four cases, one of which is also in the first."""
    fill_tiny(database, "more", [a_dialogue(2), *(a_dialogue(number) for number in (7, 8, 9))])
    create_study(database, "second", Design(("more",), None, 5))
    for rater, fits in NEW.items():
        answer(database, rater, {"fit": fits, "preference": ["tie"] * 4}, "second")
    return database


def fit_of(found: list[dict[str, object]]) -> dict[str, object]:
    return next(row for row in found if row["question"] == "fit")


def test_cases_of_both_count_once_with_the_raters_of_each(two: Database, run: Run) -> None:
    by = ("--by", "question", "--interval", "none")
    fit = fit_of(rows(run, "agreement", "pilot", "--pool", "second", *by))
    assert (fit["items"], fit["cases"], fit["raters"], fit["labels"], fit["missing"]) == (9, 9, 5, 26, 0)
    shared = [place.case for place in read_study(two, "pilot")[0].sample].index(a_dialogue(2).digest)
    second = read_study(two, "second")[0]
    table: list[list[str | None]] = [[*labels, None, None] for labels in zip(*FITS.values(), strict=True)]
    for place, labels in zip(second.sample, zip(*NEW.values(), strict=True), strict=True):
        if place.case == a_dialogue(2).digest:
            table[shared][3:] = labels
        else:
            table.append([None, None, None, *labels])
    ratings = Ratings.from_labels(table, FIT.labels)
    for key in ("fleiss_kappa_quadratic", "krippendorff_alpha_ordinal"):
        assert fit[key] == pytest.approx(ORDERED_COEFFICIENTS[key](ratings).value, abs=1e-12)
    said = run("agreement", "pilot", "--pool", "second", protocols=GRADED).err
    assert "1 case is in more than one of the pooled studies; it counts once, with the raters of each" in said


def test_raters_are_named_by_their_study(two: Database, run: Run) -> None:
    found = rows(run, "agreement", "pilot", "--pool", "second", "--raters")
    labels: Counter[str] = Counter()
    for row in found:  # a row for each question, since their labels are unlike
        labels[row["rater"]] += row["labels"]
    assert labels["anna (pilot)"] == 12
    assert labels["anna (second)"] == 8
    assert len(labels) == 5
    run("study", "exclude", "second", "anna", "--as", "lead", "--why", "ill", protocols=GRADED)
    left = rows(run, "agreement", "pilot", "--pool", "second", "--raters")
    assert {row["rater"] for row in left} == {*labels} - {"anna (second)"}


def test_a_report_pools_them_without_names_too(two: Database, run: Run, tmp_path: Path) -> None:
    for words in ((), ("--anonymous",)):
        done = run(
            "report", "pilot", "--pool", "second", "-o", tmp_path, "--no-figures", *words, protocols=GRADED
        )
        assert done.code == 0, done.err
        text = (tmp_path / "report.md").read_text()
        assert "This report pools 2 studies with the same questions." in text
        assert "reviewer report pilot --pool second" in text
        assert ("dora (second)" in text) == (not words)
    assert run("store", "check", protocols=GRADED).code == 0


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"prompt": "Do they fit?"}, "ask question 'fit' differently (its prompt)"),
        ({"scale": "nominal"}, "ask question 'fit' differently (its scale)"),
        ({"passing": ["7"]}, "ask question 'fit' differently (its passing)"),
    ],
)
def test_questions_that_differ_are_refused(
    two: Database, run: Run, changed: dict[str, object], sentence: str
) -> None:
    with_questions(two, {"fit": changed}, "second")
    refused = run("agreement", "pilot", "--pool", "second", protocols=GRADED)
    assert (refused.code, refused.out) == (2, "")
    assert sentence in refused.err


def test_other_studies_are_refused(two: Database) -> None:
    pilot = read_study(two, "pilot")
    with pytest.raises(RequestError, match="study 'pilot' is named twice"):
        pooled_studies([pilot, pilot])
    create_study(two, "half", Design(("more",), None, 5, questions=("fit",)))
    with pytest.raises(RequestError, match="do not ask the same questions"):
        pooled_studies([pilot, read_study(two, "half")])
