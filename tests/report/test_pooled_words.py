"""Facts that could make sentences on pooled studies, left out raters and drift false."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import study_document
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.rater_warnings import drift_remarks, rater_drift
from reviewer.results.labels.study_statistics import StudyStatistics
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import TOPICS, describe_study, invalid_rates_in_words
from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.left_out_raters import excluded_in_words, leave_out
from reviewer.study.design.listed_cases import ListedCase
from reviewer.study.design.pooled_studies import pooled_studies
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import WantedRule
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.rendering.agreement_grid import PASS_RATES, meaning_of
from store.database import Database
from tests.rounds import mostly_slow
from tests.studies import FREE, WITHOUT_GUIDELINE, a_case, fill, open_store, with_questions

RATERS = ("anna", "ben")
PLAIN = Design(("pairs",), None, 7, raters=RATERS, questions=("same_task",))
STOP = {"stop": WantedRule.read("pass rate > .1")}
GOLD = {"given": (GivenAnswer("gold", "a file", "others", "anchoring bias/0", "same_task", "True"),)}
INVALID = "The interval of the pass rate by majority is not valid: "


def keys(*numbers: int) -> tuple[ListedCase, ...]:
    return tuple(ListedCase("", "pairs", f"anchoring bias/{number}") for number in numbers)


class Pooled(NamedTuple):
    """What is so of two studies, words that the report of both then has, and words that would be false."""

    one: dict[str, Any]
    other: dict[str, Any]
    said: tuple[str, ...]
    unsaid: tuple[str, ...] = ()
    described: Mapping[str, tuple[str, ...]] = {}
    excluded: str = ""


ELSEWHERE: dict[str, Any] = {"datasets": ("others",), "seed": 8}
POOLED = {
    "each drew all cases of its own": Pooled(
        {},
        ELSEWHERE,
        (
            "No case is in two of the pooled studies.",
            "The 24 cases are those of the pooled studies; the report of each says how they were chosen.",
            "The lead of study “one” did not describe the recruitment, independence and consent of the",
            "The lead of study “two” did not describe the recruitment, independence and consent of the",
            "No case had a known answer by which raters could be checked.",
        ),
        ("All cases that could be drawn", INVALID, "The lead did not"),
    ),
    "the first has the cases of a list": Pooled(
        {"datasets": (), "listed": keys(0, 1, 2)},
        ELSEWHERE,
        ("The 15 cases are those of the pooled studies",),
        ("are those of a list",),
    ),
    "one case is in both": Pooled(
        {"datasets": (), "listed": keys(0, 1, 2)},
        {"datasets": (), "listed": keys(2, 3)},
        ("1 case is in more than one of the pooled studies; it counts once, with the raters of each study.",),
    ),
    "two cases are in both": Pooled(
        {"datasets": (), "listed": keys(0, 1, 2)},
        {"datasets": (), "listed": keys(1, 2)},
        ("2 cases are in more than one of the pooled studies; they count once",),
    ),
    "one could be stopped": Pooled(
        STOP,
        ELSEWHERE,
        (
            f"{INVALID}a pooled study (one) was stopped by looking, or could have been. The report of that "
            "study has the one that is valid.",
        ),
        (
            "The section on pass rates",
            "95% interval of the pass rate by majority",
        ),
    ),
    "all topics were described in one": Pooled(
        {},
        ELSEWHERE,
        ("The lead of study “two” did not describe the recruitment, independence and consent of the",),
        ("The lead of study “one”",),
        {"one": TOPICS},
    ),
    "one had a known answer": Pooled(
        {},
        ELSEWHERE | GOLD,
        ("so it is not known how often raters would give the same answer again.",),
        ("no case had a known answer",),
    ),
    "a rater was left out of one": Pooled(
        {},
        ELSEWHERE,
        ("ben (one) is left out since ", ", as tom decided: hasty."),
        ("left out of all numbers",),
        excluded="ben",
    ),
}


def answer_all(database: Database, study: str, raters: tuple[str, ...] = RATERS, label: str = "True") -> None:
    for rater in raters:
        session = ReviewSession(database, study, rater, stopwatch=lambda: 0.0)
        while not session.finished:
            session.answer(label)


def filled(folder: Path, cases: int = 12) -> Database:
    database = open_store(folder)
    fill(database, "pairs", [a_case(number) for number in range(cases)])
    fill(database, "others", [a_case(number) for number in range(20, 32)])
    return database


@mostly_slow(2)
@pytest.mark.parametrize("name", POOLED)
def test_no_sentence_on_pooled_studies_is_false_whatever_is_so(tmp_path: Path, name: str) -> None:
    fact = POOLED[name]
    with closing(filled(tmp_path)) as database:
        for study, change in (("one", fact.one), ("two", fact.other)):
            create_study(database, study, replace(PLAIN, **change), "tom")
            answer_all(database, study)
            if topics := fact.described.get(study):
                describe_study(database, study, "tom", dict.fromkeys(topics, "As usual."))
            close_study(database, study, "tom")
        if fact.excluded:
            leave_out(database, "one", fact.excluded, "tom", "hasty")
        pooled = pooled_studies([read_study(database, study) for study in ("one", "two")])
    page = repr(study_document(compute_statistics(*pooled, Method(interval="analytic"))).blocks)
    assert [words for words in fact.said if words not in page] == []
    assert [words for words in fact.unsaid if words in page] == []


def test_pass_rates_of_studies_that_could_be_stopped_say_so(tmp_path: Path) -> None:
    with closing(filled(tmp_path)) as database:
        for study, change in (("one", STOP), ("two", ELSEWHERE | STOP), ("plain", {})):
            create_study(database, study, replace(PLAIN, **change), "tom")
        one, two, plain = (read_study(database, study) for study in ("one", "two", "plain"))
    invalid = "The intervals of these pass rates are not valid: "
    could = "stopped by looking, or could have been. `reviewer report` has the interval that is valid"
    assert invalid_rates_in_words(plain[0]) == []
    assert invalid_rates_in_words(one[0]) == [f"{invalid}study one was {could}."]
    both, with_plain = (pooled_studies([one, other])[0] for other in (two, plain))
    assert invalid_rates_in_words(both) == [f"{invalid}studies one and two were {could} for each study."]
    assert invalid_rates_in_words(with_plain) == [f"{invalid}study one was {could} for each study."]


def test_the_screen_of_pass_rates_says_so_too(tmp_path: Path) -> None:
    with closing(filled(tmp_path)) as database:
        for study, change in (("one", STOP), ("plain", {})):
            create_study(database, study, replace(PLAIN, **change), "tom")
            close_study(database, study, "tom", anyway=True)
        one, plain = (StudyStatistics.read(database, study, "tom") for study in ("one", "plain"))
    invalid = "The intervals of these pass rates are not valid: study one was stopped by looking"
    assert meaning_of(PASS_RATES, one).startswith(invalid)
    assert invalid not in meaning_of("coefficients", one) + meaning_of(PASS_RATES, plain)


def test_figures_draw_no_interval_of_a_pass_rate_that_looking_made_invalid(tmp_path: Path) -> None:
    with closing(filled(tmp_path)) as database:
        for study, change in (("one", STOP), ("plain", {})):
            create_study(database, study, replace(PLAIN, **change), "tom")
            answer_all(database, study, label="True")
        charted = [
            compute_statistics(*read_study(database, study), Method(interval="analytic")).charted
            for study in ("one", "plain")
        ]
    intervals = [[bool(each.majority.shown_interval) for each in results] for results in charted]
    assert intervals == [[False], [True]]
    assert charted[0][0].majority.value == charted[1][0].majority.value


class Left(NamedTuple):
    """Whether labels are withdrawn for good, and the sentence on the rater."""

    withdraw: bool
    why: str
    sentence: str


LEFT = {
    "left out": Left(False, "ben wrote cases", "ben is left out since {}, as tom decided: ben wrote cases."),
    "the reason is a question": Left(
        False, "too fast?", "ben is left out since {}, as tom decided: too fast?"
    ),
    "labels were withdrawn": Left(
        True, "ben asked for it", "The labels of ben were withdrawn on {}, as tom recorded: ben asked for it."
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_no_sentence_on_a_rater_left_out_is_false_whatever_is_so(tmp_path: Path, name: str) -> None:
    fact = LEFT[name]
    with closing(filled(tmp_path)) as database:
        create_study(database, "pilot", PLAIN, "tom")
        answer_all(database, "pilot")
        act = leave_out(database, "pilot", "ben", "tom", fact.why, withdraw=fact.withdraw)
        bundle, _ = read_study(database, "pilot")
    assert excluded_in_words(bundle) == [fact.sentence.format(act.at[:10])]


def given_in(way: str, rows: list[LabelRow]) -> list[LabelRow]:
    """The rows as if they had been given in another way."""
    return [
        replace(row, verdict=replace(row.verdict, event=row.verdict.event.model_copy(update={"given": way})))
        for row in rows
        if row.verdict.event
    ]


class Quarters(NamedTuple):
    """The number of cases, who answers and how, and the remarks on their quarters."""

    cases: int
    raters: tuple[str, ...]
    remarks: tuple[str, ...]
    way: str = "app"
    question: Mapping[str, object] | None = None


NEEDS = "A rater needs 40 labels that count; no quarters of "
FILES = "came from a file, and stand in its order, so their quarters tell nothing about time."
DRIFT = {
    "everybody has quarters": Quarters(40, RATERS, ()),
    "nobody answered": Quarters(40, (), ()),
    "all have too few": Quarters(39, RATERS, (f"{NEEDS}anna (39 labels) and ben (39 labels).",)),
    "one label": Quarters(1, ("anna",), (f"{NEEDS}anna (1 label).",)),
    "answers are texts": Quarters(40, ("anna",), (f"{NEEDS}anna (0 labels).",), question=FREE),
    "labels were imported": Quarters(40, ("anna",), (f"Labels of anna {FILES}",), "import"),
    "labels came in sheets": Quarters(40, RATERS, (f"Labels of anna and ben {FILES}",), "spreadsheet"),
    "few labels were imported": Quarters(12, ("anna",), (f"{NEEDS}anna (12 labels).",), "import"),
}


@mostly_slow(2)
@pytest.mark.parametrize("name", DRIFT)
def test_no_remark_on_quarters_is_false_whatever_is_so(tmp_path: Path, name: str) -> None:
    fact = DRIFT[name]
    with closing(filled(tmp_path, fact.cases)) as database:
        create_study(database, "pilot", PLAIN, "tom")
        if fact.question is not None:
            with_questions(database, {"same_task": {**fact.question, **WITHOUT_GUIDELINE}})
        answer_all(database, "pilot", fact.raters, "as read" if fact.question else "True")
        bundle, events = read_study(database, "pilot")
    rows = given_in(fact.way, label_rows(bundle, events))
    assert drift_remarks(rows, rater_drift(bundle, rows)) == [*fact.remarks]
