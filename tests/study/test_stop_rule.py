"""Studies that may be stopped when their claim may be made."""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.core.errors import RequestError
from reviewer.report.document import Points
from reviewer.report.study_report import stop_blocks
from reviewer.results.labels.rater_work import NO_NOTES, lead_notes
from reviewer.results.labels.stopping import StopClaim, claim_in_short, claims, claims_in_words
from reviewer.study.design.asking_third_votes import ask_third_votes
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import REOPENED_MEANS, WantedRule, common_order
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.studies import a_case, fill, open_store

RULE = WantedRule.read("pass rate > .5")
DESIGN = Design(("pairs",), None, 7, raters=("anna", "ben"), questions=("same_task",), stop=RULE)


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    fill(database, "pairs", [a_case(number) for number in range(12)])
    return database


def answer(database: Database, rater: str, labels: str) -> list[str]:
    """Give these answers (T or F, "." goes on without one); the cases in their order."""
    session, cases = ReviewSession(database, "pilot", rater), []
    for position, label in enumerate(labels):
        session.go_to(position)
        cases.append(session.case.digest)
        if label != ".":
            session.answer({"T": "True", "F": "False"}[label])
    return cases


def claim(database: Database) -> StopClaim:
    (made,) = claims(*read_study(database, "pilot"))
    return made


def test_all_raters_see_one_random_order_and_its_beginning_counts(database: Database) -> None:
    create_study(database, "pilot", DESIGN, "tom")
    assert answer(database, "anna", "TTTTTT") == answer(database, "ben", "TTT.TT")
    bundle = load_study(database, "pilot")
    order = common_order(bundle.study.seed, (place.case for place in bundle.counted))
    made = claim(database)
    assert (made.sequence.size, made.sequence.seen, made.sequence.passed) == (12, 3, 3)
    assert made.held_up is not None
    assert made.held_up.case == order[3]
    assert (made.waits_for, made.beyond) == ("an answer of ben", 2)
    assert "held up by" in " ".join(claims_in_words([made]))
    answer(database, "ben", "...T")
    assert claim(database).sequence.seen == 6


def test_before_a_case_is_complete_nothing_is_said_of_a_share(database: Database) -> None:
    create_study(database, "pilot", DESIGN, "tom")
    answer(database, "anna", "TT")
    told = claims_in_words([claim(database)])[1]
    assert told.startswith(
        "same task: no case is complete yet at the beginning of the common order. The count is"
    )
    assert "0 of the first 0" not in told


def test_claim_may_be_made_and_ties_count_as_not_passed(database: Database) -> None:
    create_study(database, "pilot", DESIGN, "tom")
    answer(database, "anna", "TTTTTTTTTTT")
    answer(database, "ben", "FTTTTTTTTTT")
    made = claim(database)
    assert (made.sequence.seen, made.sequence.passed, made.undecided) == (11, 10, 1)
    assert made.may_be_made
    assert "may be made now" in claims_in_words([made])[0]
    assert claim_in_short([made]) == "> .50 ✓ may be claimed"


def test_a_disputed_case_waits_for_its_third_vote(database: Database) -> None:
    design = replace(DESIGN, raters=("anna", "ben", "cara"), raters_per_case=2, third="on-disagreement")
    create_study(database, "pilot", design, "tom")
    bundle = load_study(database, "pilot")
    first = common_order(bundle.study.seed, (place.case for place in bundle.counted))[0]
    against = bundle.design.panels[first][0]
    for rater in design.raters:
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer("False" if (session.case.digest, rater) == (first, against) else "True")
    assert (claim(database).sequence.seen, claim(database).waits_for) == (0, "a third vote")
    assert claim(database).beyond == 11
    ask_third_votes(database, "pilot", "tom")
    for rater in design.raters:
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer("True")
    assert (claim(database).sequence.seen, claim(database).sequence.passed) == (12, 12)


def test_raters_and_leads_who_rate_see_no_claim_before_the_end(database: Database) -> None:
    create_study(database, "pilot", DESIGN, "tom")
    answer(database, "anna", "T" * 12)
    read, progress = read_study(database, "pilot"), progress_of(database, "pilot")
    assert lead_notes(progress, "tom", *read).sentences
    assert lead_notes(progress, "anna", *read) == NO_NOTES
    close_study(database, "pilot", "tom", anyway=True)
    assert lead_notes(progress_of(database, "pilot"), "anna", *read_study(database, "pilot")).sentences


def test_reopening_says_what_it_means_for_a_claim(run: Run, database: Database) -> None:
    create_study(database, "pilot", DESIGN, "tom")
    create_study(database, "plain", replace(DESIGN, stop=None), "tom")
    told = {}
    for name in ("pilot", "plain"):
        close_study(database, name, "tom", anyway=True)
        again = run("study", "reopen", name, "--as", "tom", "--why", "one more")
        assert again.code == 0
        told[name] = again.err
    assert "a claim that was made before the study was closed stays valid" in told["pilot"]
    assert "stop rule" not in told["plain"]
    (claimed,) = [
        block for block in stop_blocks(*read_study(database, "pilot"), 2) if isinstance(block, Points)
    ]
    assert REOPENED_MEANS in str(claimed)


def test_a_total_is_a_simple_random_draw(database: Database) -> None:
    create_study(database, "pilot", replace(DESIGN, total=5), "tom")
    design = load_study(database, "pilot").design
    assert design.draw is not None
    assert [(stratum.name, stratum.size, stratum.drawn) for stratum in design.draw.strata] == [
        ("all cases", 12, 5)
    ]
    assert design.stop is not None
    assert design.stop.sizes == {"same_task": 12}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"per_group": 3}, "same probability of being drawn"),
        ({"raters": ()}, "name the raters with --rater"),
        (
            {"stop": WantedRule.read("axioms pass rate > .9")},
            "which the study does not ask; it asks same_task",
        ),
    ],
)
def test_a_rule_that_cannot_be_kept_is_refused(
    database: Database, change: dict[str, object], why: str
) -> None:
    with pytest.raises(RequestError, match=why):
        create_study(database, "pilot", replace(DESIGN, **change))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "pass rate", "pass rate > 2", "pass rate < .9", "pass rate > 0%"])
def test_a_text_that_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match="is not a rule"):
        WantedRule.read(text)


def test_rules_are_read() -> None:
    assert WantedRule.read("same_task pass rate > 90%") == WantedRule(above=0.9, question="same_task")
