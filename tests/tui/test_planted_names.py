"""A rater's browser window shows no model, run, judge or other rater, whatever key they press."""

import pytest

from reviewer.exchange.evaluations.judged_sample import study_sample
from reviewer.protocols.registry import protocols_of
from reviewer.results.outcomes.answer_cases import AnswersWanted, answers_for_study
from reviewer.results.outcomes.answer_draw import DrawSize
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.study.adjudication.adjudication_session import AdjudicationSession, admit_rater
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.filters import FilteredSlots
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from store.database import Database
from store.evaluations import Evaluations
from tests.answered_runs import an_answered_run
from tests.asked_judges import judged_by
from tests.new_stores import made_once
from tests.tui.conftest import WIDE, press, seen, settle

PLANTED = ("zetaplant", "omiplant", "runplant", "whyplant", "judgeplant", "verdictplant", "saidbyben")
MODELS = ("lab/zetaplant-7b", "omiplant-2")
KEYS = (*"iA/R", "ctrl+p")


@pytest.fixture
def planted(database: Database) -> Database:
    """Anna owes her answers, ben has given all with a comment, and a judge has too."""
    made_once(database, _plant, "planted")
    return database


def _plant(database: Database) -> None:
    an_answered_run(
        database,
        "runplant",
        models=MODELS,
        replying=lambda m, c, v, r: f"As {m}, I say {c} {v} {r} {m[:1]}: wait.\nDecision: Option A",
    )
    kept = Evaluations(database)
    kept.keep([one.model_copy(update={"why": "whyplant"}) for one in kept.outcomes("runplant")])
    evaluation = read_evaluation(database, protocols_of(database), "runplant")
    drawn = answers_for_study(database, evaluation, "why", AnswersWanted(size=DrawSize(per_group=1))).drawn
    design = Design((drawn.dataset,), None, 1, raters=("anna", "ben"), questions=("notices",), answers=drawn)
    create_study(database, "why", design, "tom")
    judged_by(database, "why", ("lab/judgeplant",), lambda *_: "Because of verdictplant.\nAnswer: 1")
    session = ReviewSession(database, "why", "ben")
    while not session.finished:
        session.comment("saidbyben")
        session.answer("yes")


async def test_no_planted_name_is_in_a_frame_of_a_window(planted: Database) -> None:
    assert study_sample(load_study(planted, "why")).places[0][0].generator, "the store knows who answered"
    app, shown = ReviewerApp(planted, "anna", "why", alone=True), list[str]()
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        shown.append(seen(pilot))
        await press(pilot, "space")
        for key in KEYS:
            await press(pilot, key)
            shown.append(seen(pilot))
            while len(app.screen_stack) > 1:
                await press(pilot, "escape")
            shown.append(seen(pilot))
    frames = "\n".join(shown).casefold()
    assert "[model]" in frames, "names were masked"
    assert len({*shown}) > len(KEYS) / 2
    assert [name for name in PLANTED if name in frames] == []


def test_a_rater_who_still_decides_cannot_filter_by_model(planted: Database) -> None:
    session = ReviewSession(planted, "why", "anna")
    while not session.finished:
        session.answer("no")
    assert {*FilteredSlots(session).counts()["generator"]} == {*MODELS}
    admit_rater(planted, "why", "tom", "anna")
    deciding = AdjudicationSession(planted, "why", "anna")
    again = ReviewSession(planted, "why", "anna")
    assert FilteredSlots(again).counts()["generator"] == {}
    for index in range(len(deciding.disputes)):
        deciding.go_to(index)
        deciding.decide("no", "it names no cue")
    assert {*FilteredSlots(again).counts()["generator"]} == {*MODELS}
