"""Shares of a run from judged answers: weights, equal answers, thin strata, and what is left out."""

from pathlib import Path

import pytest

from reviewer.exchange.exports.study_export import export_study
from reviewer.exchange.exports.study_source import open_study_source
from reviewer.protocols.registry import protocols_of
from reviewer.results.labels.answer_origins import drawn_outcomes, origins_of, places_of_answers
from reviewer.results.labels.answer_shares import AnswerShare, answer_shares
from reviewer.results.labels.answer_studies import answer_studies
from reviewer.results.labels.final_labels import final_labels
from reviewer.results.outcomes.answer_cases import AnswersWanted, answers_for_study
from reviewer.results.outcomes.answer_draw import DrawSize
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from tests.answered_runs import MODELS, an_answered_run

NAME = "why"


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database.open(str(tmp_path / "reviewer.db"))


def a_study(database: Database, size: DrawSize) -> None:
    """Every answer is judged: the cue is noticed if the reply says so."""
    evaluation = read_evaluation(database, protocols_of(database), "first")
    drawn = answers_for_study(database, evaluation, NAME, AnswersWanted(size=size)).drawn
    design = Design(
        (drawn.dataset,), size.per_group, 1, raters=("anna",), questions=("notices",), answers=drawn
    )
    create_study(database, NAME, design, "tom")
    session = ReviewSession(database, NAME, "anna")
    while not session.finished:
        case = session.bundle.cases[session.slots[session.position].case]
        session.answer("yes" if "noticed" in str(case.payload["reply"]) else "no")


def shares(database: Database, *by: str) -> dict[tuple[str, str], AnswerShare]:
    bundle, events = read_study(database, NAME)
    origins = origins_of(bundle, places_of_answers(database, bundle))
    rows = answer_shares(bundle, final_labels(bundle, events), origins, by)
    return {(row.model, row.group): row for row in rows if row.label == "yes"}


def test_equal_answers_count_as_often_as_they_were_given(database: Database) -> None:
    """Three of four repeats have the same words, which notice the cue: the share is .75, not a half."""

    def reply(model: str, case: int, version: str, repeat: int) -> str:
        said = "seen" if repeat else "noticed"
        said = "noticed" if repeat < 3 else "seen"
        return f"Explanation: {model[:1]} {said} in {version}.\nDecision: Option A"

    an_answered_run(database, repeats=4, replying=reply)
    a_study(database, DrawSize(per_case=9))
    found = shares(database, "model")
    assert {model: row.share.value for (model, _), row in found.items()} == pytest.approx(
        {MODELS[0]: 0.75, MODELS[1]: 0.75, "all": 0.75}
    )
    assert found["all", "all"].drawn == found["all", "all"].judged == 64
    bundle = load_study(database, NAME)
    drawn = [*drawn_outcomes(bundle, places_of_answers(database, bundle))]
    assert len(drawn) == 128
    assert sum({row.place.key: row.weight for row in drawn}.values()) == pytest.approx(128)


def test_an_answer_with_a_small_chance_counts_for_more(database: Database) -> None:
    """A quarter of answers, drawn twice as often as others, stays a quarter."""

    def reply(model: str, case: int, version: str, repeat: int) -> str:
        left_out = model == MODELS[1] and case % 4 == 0
        said = "noticed" if case % 4 == 0 else "seen"
        return "" if left_out else f"{model[0]} {said} {case} {version} {repeat}. Decision: Option A"

    an_answered_run(database, replying=reply)
    a_study(database, DrawSize())
    found = shares(database, "model")[MODELS[0], "all"]
    assert (found.judged, found.share.value) == (5, pytest.approx(0.25))


def test_an_answer_that_two_models_gave_counts_for_both(database: Database) -> None:
    an_answered_run(database, repeats=1, replying=lambda m, c, v, r: f"noticed {c} {v}. Decision: Option A")
    a_study(database, DrawSize())
    found = shares(database, "model", "group")
    assert {row.share.value for row in found.values()} == {1.0}
    assert found[MODELS[0], "all"].drawn == found[MODELS[1], "all"].drawn == found["all", "all"].drawn
    interval = found["all", "all"].share.interval
    assert interval is not None
    assert interval.low < 1


def test_the_files_and_the_page_of_the_run_have_the_shares(database: Database, tmp_path: Path) -> None:
    an_answered_run(database)
    a_study(database, DrawSize(per_group=2))
    assert list(answer_studies(database, "first", 0.95)) == []
    with open_study_source(database, NAME, "tom") as source:
        export_study(source, tmp_path / "open")
    assert not (tmp_path / "open" / "answers.csv").exists()
    close_study(database, NAME, "tom", "done")
    with open_study_source(database, NAME, "tom") as source:
        export_study(source, tmp_path / "closed")
    assert MODELS[0] in (tmp_path / "closed" / "answers.csv").read_text()
    assert "answer_shares.csv" in (tmp_path / "closed" / "codebook.csv").read_text()
    assert "inclusion_probability" in (tmp_path / "closed" / "labels.csv").read_text()
    (study,) = answer_studies(database, "first", 0.95)
    assert {row.model for row in study.by_model} == {*MODELS, "all"}
    assert study.agreement
