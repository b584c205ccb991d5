"""Facts that could make rows of a checklist false: with each, every row is true."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from reviewer.exchange.releases.release_content import FindingCases, ReleaseContent
from reviewer.exchange.releases.release_folder import ReleaseFile
from reviewer.report.checklist_answers import checklist_of_release, checklist_of_study
from reviewer.study.design.closing import close_study
from reviewer.study.design.left_out_raters import leave_out
from reviewer.study.design.listed_cases import ListedCase
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options, WantedRule
from reviewer.study.session.review_session import ReviewSession
from tests.exchange.test_card_words import TRUE, asked, audited, both, studied
from tests.exchange.test_card_words import content as content
from tests.rounds import mostly_slow
from tests.studies import BIASES, FREE, WITHOUT_GUIDELINE, a_case, fill, open_store, with_questions


class Released(NamedTuple):
    """A change to a release, and the resulting rows; None where a row has no answer."""

    change: Callable[[ReleaseContent], ReleaseContent]
    rows: dict[str, str | None]


def of_texts(content: ReleaseContent) -> ReleaseContent:
    (study,) = content.studies
    texts = tuple(question.model_copy(update={"kind": "text"}) for question in study.questions)
    return studied(questions=texts)(content)


def with_files(*names: str, **more: Any) -> Callable[[ReleaseContent], ReleaseContent]:
    return lambda content: content.model_copy(update={"files": dict.fromkeys(names, "0" * 64), **more})


RELEASES = {
    "nobody adjudicated": Released(
        studied(adjudicators=0),
        {"settled": "by labels that more than half of the raters gave; nobody adjudicated"},
    ),
    "two raters differed": Released(
        studied(adjudicators=0, raters=2, fewest=2, most=2),
        {"settled": "not at all: nobody adjudicated, and no label has more than half of two votes"},
    ),
    "one person adjudicated": Released(studied(adjudicators=1), {"settled": "1 person adjudicated"}),
    "two people adjudicated": Released(studied(adjudicators=2), {"settled": "2 people adjudicated"}),
    "one rater judged": Released(
        studied(raters=1, fewest=1, most=1),
        {"raters": "1 rater; 1 rater a case", "settled": None, "agreement": None},
    ),
    "answers are texts": Released(
        of_texts, {"open": "answers are free texts, which have no final label", "settled": None}
    ),
    "no item is open": Released(studied(open=0), {"open": "0 of 12 items have labels and no final one"}),
    "one item is open": Released(studied(open=1), {"open": "1 of 12 items has labels and no final one"}),
    "a case has no label": Released(
        studied(fewest=0, open=0),
        {
            "open": "0 of 12 items have labels and no final one; some cases have no label at all",
            "raters": "3 raters; 0 to 3 raters a case",
        },
    ),
    "the study has no label": Released(
        studied(labels=0, raters=0, fewest=0, most=0),
        dict.fromkeys(("raters", "agreement", "settled", "open", "careless", "platform"), None),
    ),
    "no rater was warned of": Released(
        studied(warned={}),
        {"careless": "no warning about any of 3 raters, where times or known answers tell"},
    ),
    "a rater was hasty": Released(
        studied(warned={"speed": 1}), {"careless": "warnings, with numbers of raters: speed 1"}
    ),
    "the cases are those of a list": Released(
        studied(listed=True), {"carry_over": "no: they are the cases of a list"}
    ),
    "the cases were picked": Released(
        studied(picked=True), {"carry_over": "no: they were picked for findings or repairs"}
    ),
    "numbers are weighted": Released(
        lambda content: studied(weighted=content.studies[0].questions, population=90)(content),
        {
            "population": "90 cases could be drawn",
            "carry_over": "only numbers of the dataset, which are weighted by strata, to the cases that "
            "could be drawn",
        },
    ),
    "numbers are not weighted": Released(
        studied(weighted=(), population=0), {"population": None, "carry_over": None}
    ),
    "nothing was audited": Released(audited(audited=0), {"audit": None}),
    "earlier checks audited all": Released(
        audited(audited=0, earlier=6), {"audit": "6 of 6 cases by earlier checks only"}
    ),
    "earlier checks audited some": Released(
        audited(audited=4, earlier=2),
        {"audit": "4 of 6 cases, and 2 by earlier checks only; findings that stand: 0"},
    ),
    "a check could not run": Released(
        audited(not_tested=1, findings=(FindingCases(check="hard_coded", severity="serious", cases=2),)),
        {"audit": "6 of 6 cases; findings that stand: 2; not tested by every check: 1 case"},
    ),
    "nothing was changed": Released(
        lambda content: content.model_copy(update={"changes": ()}), {"changes": "none is recorded"}
    ),
    "labels are included": Released(
        with_files(ReleaseFile.LABELS),
        {
            "labels": "yes, of the studies in data/studies.json",
            "guideline": "data/studies.json has each question with its guideline, if it has one",
        },
    ),
    "cases are held out": Released(
        with_files(ReleaseFile.LABELS, held_out=("0" * 64,)),
        {"labels": "yes, of the studies in data/studies.json, without cases that are held out"},
    ),
    "labels are not included": Released(with_files(ReleaseFile.ROWS), {"labels": None, "guideline": None}),
    "the benchmark has measures": Released(lambda content: content, {"baselines": "on the card: net effect"}),
    "the benchmark has no measures": Released(
        lambda content: content.model_copy(update={"guessing": ()}), {"baselines": None}
    ),
    "two studies were made": Released(
        lambda content: content.model_copy(
            update={"studies": (*content.studies, content.studies[0].model_copy(update={"name": "second"}))}
        ),
        {"raters": "study pilot: 3 raters; 3 raters a case; study second: 3 raters; 3 raters a case"},
    ),
    "a question decides nothing": Released(
        both(asked(TRUE, ()), studied(open=0)), {"open": "0 of 12 items have labels and no final one"}
    ),
}


@pytest.mark.parametrize("name", RELEASES)
def test_no_row_of_a_release_is_false_whatever_is_so(content: ReleaseContent, name: str) -> None:
    fact = RELEASES[name]
    answers = checklist_of_release(fact.change(content), "out").answers
    found = {key: answers.get(key) for key in fact.rows}
    begins = {key: text and (found[key] or "").startswith(text) for key, text in fact.rows.items()}
    assert {key: found[key] for key in found if found[key] != fact.rows[key] and not begins[key]} == {}


def test_row_that_a_release_answers_is_not_said_to_be_in_none(content: ReleaseContent) -> None:
    assert "baselines" not in checklist_of_release(content, "out").unsaid
    without = content.model_copy(update={"guessing": ()})
    assert "baselines" in checklist_of_release(without, "out").unsaid


class Drawn(NamedTuple):
    """A change to a study's design, and the resulting rows; None where a row has no answer."""

    change: dict[str, Any]
    rows: dict[str, str | None]
    excluded: str = ""
    question: Mapping[str, object] | None = None


PLAIN = Design(("pairs",), None, 7, raters=("anna", "ben"), questions=("same_task",))
STUDIES = {
    "all cases were drawn": Drawn(
        {},
        {
            "carry_over": "to the cases that could be drawn",
            "order": "a random order of cases for each rater; sides were not exchanged",
            "left_out": "nobody's",
            "seed": "random seed 7",
        },
    ),
    "groups have other chances": Drawn(
        {"per_group": 2},
        {
            "carry_over": "only numbers of the dataset, which are weighted by strata, to the cases that "
            "could be drawn"
        },
    ),
    "the cases are those of a list": Drawn(
        {
            "datasets": (),
            "listed": tuple(ListedCase("", "pairs", f"{BIASES[0]}/{number}") for number in range(3)),
        },
        {"carry_over": "no: they are the cases of a list", "seed": "nothing was drawn", "population": None},
    ),
    "the study could be stopped": Drawn(
        {"stop": WantedRule.read("pass rate > .1")},
        {"order": "one random order of cases for all raters; sides were not exchanged"},
    ),
    "sides were exchanged": Drawn(
        {"options": Options(swap=True)},
        {
            "order": "a random order of cases for each rater; sides were exchanged at random where a "
            "question lets them"
        },
    ),
    "no question lets sides be exchanged": Drawn(
        {"options": Options(swap=True)},
        {"order": "a random order of cases for each rater; sides were not exchanged"},
        question={"sides": None},
    ),
    "a rater was left out": Drawn({}, {"left_out": "1 rater: hasty"}, excluded="ben"),
    "answers are texts": Drawn(
        {}, {"open": "answers are free texts, which have no final label", "settled": None}, question=FREE
    ),
}


@mostly_slow(2)
@pytest.mark.parametrize("name", STUDIES)
def test_no_row_of_a_study_is_false_whatever_is_so(tmp_path: Path, name: str) -> None:
    fact = STUDIES[name]
    with closing(open_store(tmp_path)) as database:
        cases = [a_case(number, BIASES[number > 3]) for number in range(12)]
        fill(database, "pairs", cases)
        design = replace(PLAIN, **fact.change)
        create_study(database, "pilot", design, "tom")
        if fact.question is not None:
            with_questions(database, {"same_task": {**fact.question, **WITHOUT_GUIDELINE}})
        for rater in design.raters:
            session = ReviewSession(database, "pilot", rater)
            while not session.finished:
                session.answer("as written" if fact.question is FREE else "True")
        if fact.excluded:
            leave_out(database, "pilot", fact.excluded, "tom", "hasty")
        close_study(database, "pilot", "tom")
        answers = checklist_of_study(database, "pilot").answers
    assert {key: answers.get(key) for key in fact.rows} == fact.rows
