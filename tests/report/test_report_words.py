"""Facts that could make sentences of a report false: with each, all its sentences are true."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from reviewer.report.document import Box, Facts, Paragraph, Points
from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import study_document
from reviewer.results.labels.agreement_results import Method
from reviewer.study.design.asking_third_votes import ask_third_votes
from reviewer.study.design.closing import close_study, reopen_study
from reviewer.study.design.listed_cases import ListedCase
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options, WantedRule
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.review_session import ReviewSession
from tests.rounds import mostly_slow
from tests.studies import a_case, fill, open_store

RATERS = ("anna", "ben", "cara")
PLAIN = Design(("pairs",), None, 7, raters=RATERS[:2], questions=("same_task",))
STOP = {"stop": WantedRule.read("pass rate > .1")}


class Fact(NamedTuple):
    """What is so of a study, words that its report then has, and words that would be false."""

    change: dict[str, Any]
    said: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    reopened: bool = False


FACTS = {
    "every case was drawn": Fact(
        {},
        (
            "12 cases of 12 that could be drawn from dataset “pairs”: all of them",
            "for the draw and the order of cases",
            "in a random order for each rater",
            "95% interval of the pass rate by majority",
            "12 items, 24 labels.",
            "2 items have no majority label and count as not passed.",
        ),
        ("those of a list", "in one random order", "for third votes", "sure, rather sure", "fixed vote"),
    ),
    "one item has no majority": Fact(
        {"total": 6}, ("1 item has no majority label and counts as not passed.",), ("and count as not",)
    ),
    "the cases are those of a list": Fact(
        {
            "datasets": (),
            "listed": tuple(ListedCase("", "pairs", f"anchoring bias/{number}") for number in range(12)),
        },
        (
            "12 cases from dataset “pairs”: exactly those of a list",
            "7, for the order of cases",
            "The cases were taken from a list, so the numbers of other cases were not recorded.",
        ),
        (": all of them", "the draw and the order", "when the sample was drawn"),
    ),
    "the study could be stopped": Fact(
        STOP,
        ("question by question, with the cases of each question in one random order for all raters",),
        (
            "in a random order for each rater",
            "95% interval of the pass rate by majority",
            "opened again",
        ),
    ),
    "it was asked case by case": Fact(
        STOP | {"options": Options(asking="case")}, ("case by case in one random order for all raters",)
    ),
    "it was opened again": Fact(
        STOP, ("a claim that was made before the study was closed stays valid",), reopened=True
    ),
    "two votes and a third": Fact(
        {"raters": RATERS, "raters_per_case": 2, "third": "on-disagreement"},
        (
            "12 items, 24 labels of fixed votes.",
            "Cases that a rater was asked about for third votes came after the others, in random order.",
        ),
        ("24 labels.",),
    ),
    "raters could say how sure they are": Fact(
        {"options": Options(confidence=True)},
        ("whether they were sure, rather sure, or guessed; they did for 1 of 24 labels",),
    ),
}


@mostly_slow(2)
@pytest.mark.parametrize("name", FACTS)
def test_no_sentence_on_the_design_is_false_whatever_is_so(tmp_path: Path, name: str) -> None:
    fact = FACTS[name]
    database = open_store(tmp_path)
    fill(database, "pairs", [a_case(number) for number in range(12)])
    create_study(database, "pilot", replace(PLAIN, **fact.change), "tom")
    number = 0
    for rater in replace(PLAIN, **fact.change).raters:
        session = ReviewSession(database, "pilot", rater, stopwatch=lambda: 0.0)
        disputed = sorted(place.case for place in session.bundle.sample)[: 1 if name.startswith("one") else 2]
        while not session.finished:
            against = rater == "anna" and session.case.digest in disputed
            session.answer("False" if against else "True")
            if session.bundle.design.confidence and not number:
                session.say_confidence("sure")
            number += 1
    if "third" in fact.change:
        ask_third_votes(database, "pilot", "tom")
    close_study(database, "pilot", "tom", "done", anyway=True)
    if fact.reopened:
        reopen_study(database, "pilot", "tom", "one more look")
    found = compute_statistics(*read_study(database, "pilot"), Method(interval="analytic"))
    page = repr(study_document(found).blocks)
    assert [words for words in fact.said if words not in page] == []
    assert [words for words in fact.unsaid if words in page] == []


def test_digests_stand_in_a_table_and_in_no_sentence(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    fill(database, "pairs", [a_case(number) for number in range(3)])
    create_study(database, "pilot", PLAIN, "tom")
    for rater in PLAIN.raters:
        ReviewSession(database, "pilot", rater).answer("True")
    bundle, events = read_study(database, "pilot")
    found = compute_statistics(replace(bundle, digest="f" * 64), events, Method(interval="analytic"))
    blocks = study_document(found).blocks
    sentences = [block for block in blocks if isinstance(block, Paragraph | Points | Box)]
    assert [text for text in map(repr, sentences) if re.search("[0-9a-f]{64}", text)] == []
    (digests,) = [block for block in blocks if isinstance(block, Facts) and "f" * 64 in repr(block)]
    assert [name for name, _ in digests.rows] == ["SHA-256 of the events", "Digest of the study"]
