"""Facts that could make sentences on agreement false: with each, every sentence of the report is true."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import study_document
from reviewer.results.labels.agreement_results import IntervalKind, Method
from reviewer.study.design.asking_third_votes import ask_third_votes
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.review_session import ReviewSession
from tests.rounds import mostly_slow
from tests.studies import FREE, SEVERAL, WITHOUT_GUIDELINE, a_case, fill, open_store, with_questions

RATERS = ("anna", "ben", "cara")
PLAIN = Design(("pairs",), None, 7, raters=RATERS[:2], questions=("same_task",))
THIRD = replace(PLAIN, raters=RATERS, raters_per_case=2, third="on-disagreement")
NOTHING_COMPARED = "No item has labels of two raters that can be compared"
WITHOUT_RATES = "No question of the study has a label that counts as a pass, so there are no pass rates."


def alike(rater: str, place: int) -> str:
    return "True"


def differing(rater: str, place: int) -> str:
    return "False" if rater == "anna" and place < 2 else "True"


def in_own_words(rater: str, place: int) -> str:
    return f"as {rater} writes"


def in_sets(rater: str, place: int) -> str:
    return '["anger"]' if rater == "anna" or place % 2 else '["fear"]'


def in_order(rater: str, place: int) -> str:
    return ("bad", "fair", "good")[place % 3]


class AgreementFact(NamedTuple):
    """What is so of a study, words that its report then has, and words that would be false."""

    said: tuple[str, ...]
    unsaid: tuple[str, ...] = ()
    answers: Callable[[str, int], str] = alike
    answering: tuple[str, ...] = RATERS
    question: Mapping[str, object] | None = None
    interval: IntervalKind = "analytic"
    design: Design = PLAIN


FACTS = {
    "nobody answered": AgreementFact(
        (
            NOTHING_COMPARED,
            "majority, unanimity at same task",
            "No item has labels of two raters, so there is no agreement to compute.",
        ),
        ("all labels of every item are the same", "with their intervals"),
        answering=(),
    ),
    "one rater answered": AgreementFact(
        (NOTHING_COMPARED, "No item has labels of two raters, so there is no agreement to compute."),
        ("0 of 12 items have two or more", "computed from these", "agreement with intervals", "| – | – |"),
        answering=("anna",),
    ),
    "all labels are the same": AgreementFact(
        (
            "Raters disagree on none of the 12 items with two or more labels.",
            "Chance-corrected agreement with intervals.",
        ),
        (NOTHING_COMPARED, "With a star: ", "In columns with a star"),
    ),
    "no intervals were wanted": AgreementFact(
        ("Chance-corrected agreement.", "items that pass by majority."),
        ("with intervals", "with their intervals"),
        differing,
        interval="none",
    ),
    "a third votes where two differ": AgreementFact(
        (
            "nobody knows what the third would have said. Undefined: unanimity at same",
            "items that pass by majority, with their intervals.",
        ),
        ("majority at same task",),
        differing,
        design=THIRD,
    ),
    "no label passes": AgreementFact(
        (WITHOUT_RATES, "majority, unanimity at same task"),
        ("An item passes by majority",),
        differing,
        question={"passing": ()},
    ),
    "answers are free texts": AgreementFact(
        (NOTHING_COMPARED, WITHOUT_RATES),
        ("Raters disagree on", "adjudicated the"),
        in_own_words,
        question=FREE | WITHOUT_GUIDELINE,
    ),
    "answers are sets": AgreementFact(
        ("Raters disagree on 6 items", "Share of each label by question and group."),
        ("the median is grey", "labels in their order"),
        in_sets,
        question=SEVERAL | WITHOUT_GUIDELINE,
    ),
    "labels have an order and every median is a label": AgreementFact(
        (
            "where labels have an order, the median is grey.",
            "the median of the votes gives 12 of 12 items a label. The",
        ),
        ("falls between two labels.", "on the others"),
        in_order,
        question={"labels": ("bad", "fair", "good"), "passing": ("good",), "scale": "ordinal", "sides": None},
    ),
}


@mostly_slow(2)
@pytest.mark.parametrize("name", FACTS)
def test_no_sentence_on_agreement_is_false_whatever_is_so(tmp_path: Path, name: str) -> None:
    fact = FACTS[name]
    database = open_store(tmp_path)
    fill(database, "pairs", [a_case(number) for number in range(12)])
    create_study(database, "pilot", fact.design, "tom")
    if fact.question is not None:
        with_questions(database, {"same_task": fact.question})
    for rater in (rater for rater in fact.design.raters if rater in fact.answering):
        session = ReviewSession(database, "pilot", rater, stopwatch=lambda: 0.0)
        cases = sorted(place.case for place in session.bundle.sample)
        while not session.finished:
            session.answer(fact.answers(rater, cases.index(session.case.digest)))
    if fact.design.third:
        ask_third_votes(database, "pilot", "tom")
    close_study(database, "pilot", "tom", "done", anyway=True)
    statistics = compute_statistics(*read_study(database, "pilot"), Method(interval=fact.interval))
    page = repr(study_document(statistics).blocks)
    assert [words for words in fact.said if words not in page] == []
    assert [words for words in fact.unsaid if words in page] == []
