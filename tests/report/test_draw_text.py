"""The two sentences of a report on its draw, and the numbers of the dataset on its first page."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from reviewer.report.draw_text import draw_in_words
from reviewer.report.report_statistics import weights_hardly_differ
from reviewer.results.case_strata import StrataRequest, strata_of
from reviewer.study.design.closing import close_study
from reviewer.study.design.listed_cases import ListedCase
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import FrozenStratum
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.audited_dataset import CASES, fill_audited
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.studies import BIASES, open_store

GUESSES = ("none=.98,serious=.6,doubtful=.8,not tested=.9",)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    fill_audited(database)
    return database


def drawn(database: Database, request: StrataRequest | None = None, **choices: object) -> StudyBundle:
    strata = strata_of(database, ["one"], request, "tom") if request else None
    design = replace(Design(("one",), None, 3, strata=strata, raters=("anna",)), **choices)  # type: ignore[arg-type]
    create_study(database, "pilot", design)
    return load_study(database, "pilot")


def test_neyman_and_crossed_strata_are_described_with_their_numbers(database: Database) -> None:
    bundle = drawn(database, StrataRequest(("findings",), guesses=GUESSES), total=12)
    assert draw_in_words(bundle) == (
        "The 12 cases are a stratified random sample, without replacement, of the 20 cases of "
        "dataset “one” that could be drawn: "
        "serious 6 of 6, doubtful 3 of 4, not tested 1 of 1 and none 2 of 9, with strata by the "
        "worst finding of the audit, and Neyman's allocation assumed pass rates of .60, .80, .90 and "
        ".98. Each "
        "case was drawn with a known probability between .222 and 1.000. Weighted rows count "
        "each case by the inverse of its probability; all other numbers describe the sample, without "
        "weights."
    )


def test_allocations_without_guesses_name_themselves(database: Database) -> None:
    bundle = drawn(database, StrataRequest(("finding:both_derivable", "group"), "proportional"), total=12)
    said = draw_in_words(bundle)
    made = "with strata by findings of the check both_derivable and group, and numbers planned"
    assert f"{made} in proportion to the size of each." in said


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        (
            {"per_group": 4},
            "The 8 cases are a stratified random sample, without replacement, of the 20 cases of "
            "dataset “one” "
            "that could "
            f"be drawn: {BIASES[0]} 4 of 10 and {BIASES[1]} 4 of 10. Each case was drawn with the same "
            "probability, "
            ".400, so that the numbers of the sample also estimate those of all these cases.",
        ),
        (
            {},
            "The sample is all 20 cases of dataset “one” that could be drawn. The results "
            "describe these cases, "
            "and nothing "
            "was left to chance in choosing them.",
        ),
        (
            {"listed": (ListedCase("", None, f"{BIASES[0]}/0"),)},
            "With which probabilities the cases were drawn is not known: the cases were listed, not drawn. "
            "The results describe these cases only.",
        ),
        (
            {"only": frozenset(case.digest for case in CASES[:7]), "total": 4},
            f"of the 7 picked cases of dataset “one” that could be drawn: {BIASES[0]} 2 of 4 and "
            f"{BIASES[1]} 2 of "
            "3. Each case "
            "was drawn with a known probability between .500 and .667, but among picked cases only, so "
            "that the "
            "results do not describe other cases.",
        ),
        (
            {"total": 1},
            f"{BIASES[0]} 1 of 10 and {BIASES[1]} 0 of 10. No case of some strata was drawn, so that the "
            "results "
            "describe the sample only.",
        ),
    ],
    ids=["by group", "all", "listed", "picked", "too few"],
)
def test_draws_without_strata_say_what_is_known(
    database: Database, choices: dict[str, object], said: str
) -> None:
    assert said in draw_in_words(drawn(database, **choices))


def test_a_design_of_1_0_with_other_cases_says_that_probabilities_are_not_known(database: Database) -> None:
    picked = frozenset(case.digest for case in CASES[:6])
    bundle = drawn(database, only=picked, others=4)
    assert "picked / " in draw_in_words(bundle)
    design = {name: value for name, value in bundle.study.design.items() if name != "draw"}
    before = replace(bundle, study=bundle.study.model_copy(update={"design": design}))
    assert draw_in_words(before).startswith(
        "With which probabilities the cases were drawn is not known: the study does not record which of "
        "its cases were picked."
    )


def test_the_first_page_gives_the_pass_rate_of_sample_and_dataset(
    run: Run, database: Database, tmp_path: Path
) -> None:
    bundle = drawn(database, StrataRequest(("findings",)), total=12)
    session = ReviewSession(database, "pilot", "anna")
    serious = {case.digest for case in CASES[:6]}
    for _ in session.slots:
        session.answer("False" if session.case.digest in serious else "True")
    close_study(database, "pilot", "tom", "done")
    drawn_serious = len(serious & {place.case for place in bundle.sample})
    assert run("report", "pilot", "--no-figures", "--interval", "none", "-o", "out").code == 0
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert (
        "For all 20 cases that could be drawn, the pass rate is estimated as 70% by majority, each drawn "
        "case weighted by the inverse of its probability." in page
    ), "6 of 20 are serious, and all of these fail"
    first = page.partition("## Study design")[0]
    rows = [line.split(" | ") for line in first.splitlines() if line.startswith("| all ")]
    assert [(row[0], row[-1].partition(" ")[0]) for row in rows] == [
        ("| all", f".{round(100 * (12 - drawn_serious) / 12):.0f}")
    ]
    strata = page.partition("### Strata")[2].partition("\n## ")[0]
    assert [line.split(" | ")[:3] for line in strata.splitlines() if line.startswith("| serious")] == [
        ["| serious", "subgroup", f"{len(bundle.questions) * drawn_serious}"]
    ]
    assert draw_in_words(bundle) in page


@pytest.mark.parametrize(
    ("drawn_of", "hardly"), [([3, 3], True), ([30, 31], True), ([3, 4], False), ([], False)]
)
def test_rows_of_the_dataset_are_left_out_where_weights_hardly_differ(
    monkeypatch: pytest.MonkeyPatch, drawn_of: list[int], hardly: bool
) -> None:
    strata = [
        FrozenStratum(dataset="d", name=str(at), size=100 + at, cases=tuple(map(str, range(some))))
        for at, some in enumerate(drawn_of)
    ]
    monkeypatch.setattr("reviewer.report.report_statistics.weighted_strata", lambda _bundle: strata)
    assert weights_hardly_differ(cast("StudyBundle", None)) == hardly


def test_left_out_rows_of_the_dataset_are_named(
    monkeypatch: pytest.MonkeyPatch, run: Run, database: Database, tmp_path: Path
) -> None:
    drawn(database, StrataRequest(("findings",)), total=12)
    session = ReviewSession(database, "pilot", "anna")
    for _ in session.slots:
        session.answer("True")
    close_study(database, "pilot", "tom", "done")
    said = "Weighted rows by question are left out, because cases were drawn with nearly"
    for alike, told in ((1.1, False), (100, True)):
        monkeypatch.setattr("reviewer.report.report_statistics._ALIKE", alike)
        assert run("report", "pilot", "--no-figures", "--interval", "none", "-o", "out").code == 0
        page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
        assert (said in page) == told
        assert ("| same task | weighted |" in page) != told
        assert "| all | weighted |" in page
