"""Closing, the disputes, and the final labels, through the keyboard."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.widgets import Input, TextArea

from reviewer.core.pane import Pair
from reviewer.results.labels.final_labels import FinalStatus, final_labels
from reviewer.results.labels.shared_labels import shared_labels
from reviewer.study.design.closing import close_study, reopen_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.rater_progress import study_progress
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.rendering.passages import Passage
from reviewer.tui.screens.adjudication import DisputeQueueScreen, DisputeScreen
from reviewer.tui.screens.disagreements_screen import VerdictsScreen
from reviewer.tui.screens.home import HomeScreen
from reviewer.tui.screens.own_labels import OwnLabelScreen, OwnLabelsScreen
from reviewer.tui.screens.review import ReviewScreen
from reviewer.tui.widgets.text_pane import TextPane
from store.database import Database
from store.ledger import Ledger
from tests.judged import judged_study
from tests.new_stores import made_once
from tests.studies import a_case, a_study, fill
from tests.tui.conftest import NARROW, WIDE, Opened, Opener, events, press, saved, seen, settle

HOSTILE = "x([red]) \x1b[31m [/a] \u202eevil"


@pytest.fixture
def split(database: Database) -> Database:
    """A closed study: ben says False with a hostile comment on two questions about all three cases."""
    made_once(database, _split)
    return database


def _split(database: Database) -> None:
    a_study(database)
    for rater in ("anna", "ben", "cara"):
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            if rater == "ben" and session.question.key in ("same_task", "axioms"):
                session.comment(HOSTILE)
                session.answer("False")
            else:
                session.answer("True")
    close_study(database, "pilot", "lead")


@asynccontextmanager
async def deciding(database: Database, size: tuple[int, int] = WIDE) -> AsyncIterator[Opened]:
    app = ReviewerApp(database, "zoe", "pilot", adjudicating=True)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


async def give_reason(pilot: Opened, text: str) -> None:
    pilot.app.screen.query_one(TextArea).text = text
    await press(pilot, "enter")


def decided(database: Database) -> list[tuple[str | None, str]]:
    found = final_labels(load_study(database, "pilot"), events(database))
    return [(each.label, each.reason) for each in found if each.status is FinalStatus.ADJUDICATED]


@pytest.mark.parametrize("swap", [False, True])
async def test_a_comment_on_a_passage_shows_the_passage_and_marks_it_in_the_case(
    database: Database, swap: bool
) -> None:
    a_study(database, cases=1, swap=swap)
    for rater in ("anna", "ben", "cara"):
        session = ReviewSession(database, "pilot", rater)
        texts = next(pane.body for pane in session.sheet() if pane.key == "texts")
        assert isinstance(texts, Pair)
        side = "left" if "Ten ship" in texts.left.text else "right"
        start = (texts.left if side == "left" else texts.right).text.index("Ten ship")
        if rater == "ben":
            session.comment(
                "Is [this] a cue?", Passage("texts", side, start, start + 9, "Ten ship.").as_json()
            )
        session.answer("False" if rater == "ben" else "True")
    close_study(database, "pilot", "lead", anyway=True)
    async with deciding(database) as pilot:
        await press(pilot, "enter")
        shown = seen(pilot)
        assert "in biased: “Ten ship.”" in shown
        assert "✎ Is [this] a cue?" in shown
        marked = [line for line in shown.splitlines() if "✎" in line and "Ten ship" in line]
        assert len(marked) == 1


async def test_a_passage_that_is_held_back_from_the_adjudicator_is_not_quoted(database: Database) -> None:
    a_study(database, cases=1)
    for rater in ("anna", "ben", "cara"):
        session = ReviewSession(database, "pilot", rater)
        if rater == "ben":
            session.comment("So?", Passage("audit", None, 0, 9, "A finding").as_json())
        session.answer("False" if rater == "ben" else "True")
    close_study(database, "pilot", "lead", anyway=True)
    async with deciding(database) as pilot:
        await press(pilot, "enter")
        assert "✎ So?" in seen(pilot)
        assert "A finding" not in seen(pilot)


async def test_the_queue_leads_to_a_dispute_and_back(split: Database) -> None:
    async with deciding(split, NARROW) as pilot:
        assert isinstance(pilot.app.screen, DisputeQueueScreen)
        shown = seen(pilot)
        assert "zoe decides · 6 disputes: ● 6 open" in shown
        assert "True 2  False 1   ✎ 1 with a comment" in shown
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DisputeScreen)
        shown = seen(pilot)
        for word in ("● open · dispute 1 of 6", "True · 2", "False · 1", "rater 1", "rater 2", "rater 3"):
            assert word in shown, word
        assert "x([red]) ␛[31m [/a]" in shown
        for name in ("anna", "ben", "cara"):
            assert name not in shown
        await press(pilot, "n", "n", "b")
        assert "dispute 2 of 6" in seen(pilot)
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, DisputeQueueScreen)


async def test_a_dispute_names_its_dataset_where_a_study_has_several(database: Database) -> None:
    fill(database, "one", [a_case(1)])
    fill(database, "two", [a_case(2)])
    create_study(database, "pilot", Design(("one", "two"), None, 7))
    for rater, label in (("anna", "True"), ("ben", "False")):
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer(label)
    close_study(database, "pilot", "lead")
    async with deciding(database) as opened:
        shown = seen(opened)
        assert shown.count("one:") == shown.count("two:") == 4


async def test_a_key_and_a_reason_decide_and_lead_on(split: Database) -> None:
    async with deciding(split) as pilot:
        await press(pilot, "enter", "f")
        assert "why False?" in seen(pilot)
        await press(pilot, "enter")
        assert "A reason is needed" in seen(pilot)
        await give_reason(pilot, HOSTILE)
        assert "✓ saved  dispute 1 = False" in seen(pilot)
        assert "dispute 2 of 6 · 5 open" in seen(pilot)
        assert decided(split) == [("False", HOSTILE)]
        await press(pilot, "b")
        shown = seen(pilot)
        assert "✓ False · zoe" in shown
        assert "\x1b" not in shown
        await press(pilot, "t")
        await give_reason(pilot, "after all")
        assert decided(split) == [("True", "after all")]
        await press(pilot, "u")
        assert decided(split) == [("False", HOSTILE)]
        await press(pilot, "u", "u")
        assert decided(split) == []
        assert "nothing of yours to take back" in seen(pilot)
        await press(pilot, "t", "escape")
        assert decided(split) == []


async def test_what_is_put_off_comes_last(split: Database) -> None:
    async with deciding(split) as pilot:
        await press(pilot, "enter", "s")
        assert "dispute 2 of 6" in seen(pilot)
        for _ in range(5):
            await press(pilot, "t")
            await give_reason(pilot, "so it is")
        assert "↷ put off · dispute 1 of 6 · 0 open" in seen(pilot)
        await press(pilot, "t")
        await give_reason(pilot, "so it is")
        assert "nothing else is open" in seen(pilot)
        await press(pilot, "q")
        assert "6 disputes: ✓ all decided" in seen(pilot)
        assert "“so it is” – zoe" in seen(pilot)
    assert len(decided(split)) == 6


async def test_other_panes_come_by_key_and_raters_numbers_stay_hidden(split: Database) -> None:
    async with deciding(split) as pilot:
        await press(pilot, "enter")
        assert "unbiased" in seen(pilot)
        first = seen(pilot)
        await press(pilot, "p")
        assert seen(pilot) != first
        await press(pilot, "question_mark")
        assert "Take your last decision back" in seen(pilot)


async def test_home_closes_after_saying_who_has_not_finished(opened: Opener, database: Database) -> None:
    a_study(database)
    ReviewSession(database, "pilot", "ben").answer("True")
    async with opened(None) as pilot:
        await press(pilot, "d")
        assert "ben has done 1 of 12" in seen(pilot)
        await press(pilot, "f")
        assert isinstance(pilot.app.screen, HomeScreen)
        assert "Raters judge alone" in seen(pilot)
        await press(pilot, "c")
        assert "Not finished: ben has done 1 of 12." in seen(pilot)
        assert "Not dealt with" not in seen(pilot), "what raters disagree about stays hidden"
        await press(pilot, "escape")
        assert load_study(database, "pilot").study.closed_at is None
        await press(pilot, "c")
        pilot.app.screen.query_one(Input).value = "[red]time is up"
        await press(pilot, "ctrl+s")
        (act,) = load_study(database, "pilot").acts
        assert (act.kind, act.who, act.why, act.unfinished) == (
            "close",
            "anna",
            "[red]time is up",
            {"ben": 11},
        )
        assert "■ closed" in seen(pilot)
        await press(pilot, "d")
        assert "nothing to decide" in seen(pilot)
        await press(pilot, "c", "ctrl+s")
        assert "needs a reason" in seen(pilot)
        pilot.app.screen.query_one(Input).value = "more time"
        await press(pilot, "ctrl+s")
        assert [act.kind for act in load_study(database, "pilot").acts] == ["close", "reopen"]


async def test_home_opens_the_disputes_to_those_who_may(opened: Opener, split: Database) -> None:
    async with opened(None, rater="anna") as pilot:
        await press(pilot, "d")
        assert isinstance(pilot.app.screen, HomeScreen)
        assert "only if the study's lead allows" in seen(pilot)
    async with opened(None, rater="zoe") as pilot:
        await press(pilot, "d", "enter", "f")
        await give_reason(pilot, "clear")
        await press(pilot, "q", "q")
        assert isinstance(pilot.app.screen, HomeScreen)
    assert decided(split) == [("False", "clear")]


async def test_a_rater_sees_where_he_differs(opened: Opener, split: Database) -> None:
    async with opened(None, NARROW, rater="ben") as pilot:
        await press(pilot, "f")
        assert isinstance(pilot.app.screen, OwnLabelsScreen)
        assert "other than the final label: 6 of 12 answers" in seen(pilot)
        assert "you: False · final: True (majority; votes True 2, False 1)" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, OwnLabelScreen)
        shown = seen(pilot)
        assert "you: False" in shown
        assert "final: True" in shown
        assert "x([red]) ␛[31m [/a]" in shown
    async with opened(None, NARROW, rater="anna") as pilot:
        await press(pilot, "f")
        assert "Wherever there is a final label, yours is the same" in seen(pilot)


async def test_who_did_not_rate_sees_all_final_labels(opened: Opener, split: Database) -> None:
    async with opened(None, rater="zoe") as pilot:
        await press(pilot, "f")
        assert isinstance(pilot.app.screen, OwnLabelsScreen)
        shown = seen(pilot)
        assert "pilot · final labels of 12 items" in shown
        assert "majority: True" in shown
        await press(pilot, "enter", "n")
        assert isinstance(pilot.app.screen, VerdictsScreen)
        assert "2 of 12" in seen(pilot)


async def test_who_closes_hears_of_disputes_and_remarks(opened: Opener, database: Database) -> None:
    judged_study(database, per_generator=2)
    async with opened(None, rater="ben") as pilot:
        await press(pilot, "c")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        told = " ".join(seen(pilot).replace("│", "").split())
        assert "Not dealt with yet: " in told
        assert re.search(r"\d+ disputes and \d+ comments, flags and notes", told)


async def test_a_closed_study_is_there_to_look_at(opened: Opener, split: Database) -> None:
    before = saved(split)
    async with opened("pilot", rater="ben") as pilot:
        assert isinstance(pilot.app.screen, ReviewScreen)
        assert "■ The study is closed" in seen(pilot)
        assert "where you differ from the final labels" in seen(pilot)
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, OwnLabelsScreen)
        await press(pilot, "q", "b", "t")
        assert "✗ not saved" in seen(pilot)
        assert "takes no more answers" in seen(pilot)
    assert saved(split) == before


async def test_final_labels_wait_for_answers_about_the_same_cases_in_another_study(
    opened: Opener, split: Database
) -> None:
    create_study(split, "second", Design(("pilot-data",), None, 1, raters=("ben",)))
    async with opened("pilot", rater="ben") as pilot:
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, OwnLabelsScreen)
        assert "cases of study pilot to answer in study second" in " ".join(seen(pilot).split())
        assert "votes" not in seen(pilot)
    progress = study_progress(split)
    cases = [place.case for place in load_study(split, "pilot").sample]
    assert shared_labels(split, progress, "zoe", ["pilot-data"], cases).by_case
    assert not shared_labels(split, progress, "ben", ["pilot-data"], cases).by_case


async def test_final_labels_are_hidden_again_in_a_study_that_was_opened_again(
    opened: Opener, database: Database
) -> None:
    a_study(database, raters=("anna", "ben"))
    ReviewSession(database, "pilot", "anna").answer("True")
    ReviewSession(database, "pilot", "ben").answer("False")
    close_study(database, "pilot", "lead", anyway=True)
    async with opened("pilot", rater="ben") as pilot:
        reopen_study(database, "pilot", "lead", "to go on")
        await press(pilot, "v")
        assert "Raters judge alone" in " ".join(seen(pilot).split())
        assert "votes" not in seen(pilot)


async def test_final_labels_wait_for_the_closing(opened: Opener, study: str) -> None:
    async with opened(study) as pilot:
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, ReviewScreen)


async def test_what_a_rater_saw_and_said_later_stands_beside_the_number(database: Database) -> None:
    a_study(database)
    for rater, label in (("anna", "True"), ("ben", "False")):
        ReviewSession(database, "pilot", rater).answer(label)
    both = {each.case for each in events(database)}
    like = next(each for each in events(database) if each.rater == "ben")
    content = like.model_dump(include={"case", "question", "question_digest", "kind", "given"})
    with Ledger(database).turn("pilot", "anna", "") as turn:
        for case in both:
            turn.add(**content | {"case": case}, value="True", swapped=True)
            turn.add(**content | {"case": case}, value="False", phase="after")
    async with deciding(database) as pilot:
        await press(pilot, "enter")
        assert "⇄ saw the sides exchanged  after the reveal: False" in seen(pilot)


async def test_the_halves_of_a_pair_scroll_as_one_and_what_was_said_does_not(
    database: Database,
) -> None:
    long = "\n".join(f"line {number}" for number in range(90))
    fill(database, "long", [a_case(unbiased=long, biased=f"{long}\nadded")])
    create_study(database, "pilot", Design(("long",), None, 1))
    for rater, label in (("anna", "True"), ("ben", "False")):
        session = ReviewSession(database, "pilot", rater)
        session.comment("\n".join(f"because {number}" for number in range(60)))
        session.answer(label)
    close_study(database, "pilot", "lead", anyway=True)
    async with deciding(database) as pilot:
        await press(pilot, "enter")
        (left, right), (one, other) = (
            [
                text_pane
                for text_pane in pilot.app.screen.query(f"#{place} TextPane").results(TextPane)
                if text_pane.display
            ][:2]
            for place in ("first", "said")
        )
        right.scroll_to(y=20, animate=False, immediate=True)
        one.scroll_to(y=5, animate=False, immediate=True)
        await settle(pilot)
        assert left.scroll_y == 20
        assert (one.scroll_y, other.scroll_y) == (5, 0)


async def test_the_queue_shows_some_disputes_only(split: Database) -> None:
    async with deciding(split) as pilot:
        assert "6 disputes" in seen(pilot)
        await press(pilot, "i")
        assert "votes 2 : 1" in seen(pilot)
        await press(pilot, "down", "enter")
        assert "only same task: 3" in seen(pilot)
        assert "axioms" not in seen(pilot).replace("axioms_", "")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DisputeScreen)
        assert "same task" in seen(pilot)
        await press(pilot, "n", "n", "n")
        assert "dispute 3 of 6" in seen(pilot)


async def test_a_dispute_shows_the_guideline_and_the_raters_other_answers(split: Database) -> None:
    async with deciding(split) as pilot:
        await press(pilot, "enter")
        assert "guideline" in seen(pilot)
        assert "elsewhere on this case: axioms: False, bias presence: True" in seen(pilot)
