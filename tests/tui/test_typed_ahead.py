"""Keys typed while the machine is busy: they arrive together, and are handled one after the other."""

from textual.events import Key, Paste
from textual.pilot import Pilot

from reviewer.study.design.closing import close_study
from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.app import ReviewerApp
from reviewer.tui.screens.review import ReviewScreen
from store.database import Database
from tests.studies import a_study
from tests.tui.conftest import WIDE, Opener, saved, settle, until

NAMES = {"\r": "enter", "/": "slash"}


def typed(pilot: Pilot[None], *keys: str) -> None:
    """Press keys while the event loop stands still: all of them wait when it goes on."""
    for key in keys:
        pilot.app.post_message(Key(NAMES.get(key, key), key if len(key) == 1 else None))


async def test_text_typed_ahead_reaches_the_dialog_that_its_key_opened(
    opened: Opener, study: str, database: Database
) -> None:
    async with opened(study) as pilot:
        typed(pilot, "c", *"not xtfs", "\r")
        await until(pilot, "✓ saved comment")
        assert saved(database) == [("comment", "not xtfs")]


async def test_pasted_text_keeps_its_place_among_the_keys(
    opened: Opener, study: str, database: Database
) -> None:
    async with opened(study) as pilot:
        typed(pilot, "c", "a")
        pilot.app.post_message(Paste("bc"))
        typed(pilot, "d", "\r")
        await until(pilot, "✓ saved comment")
        assert saved(database) == [("comment", "abcd")]


async def test_keys_that_move_are_all_followed(opened: Opener, study: str, database: Database) -> None:
    async with opened(study) as pilot:
        typed(pilot, "n", "x", "n", "x", "b", "x")
        await until(pilot, "case 2 of 3", "flag")
        while len(saved(database)) < 3:
            await settle(pilot)
        assert saved(database) == [("flag", "flagged"), ("flag", "flagged"), ("flag", None)]


async def test_a_decision_has_its_whole_reason(database: Database) -> None:
    a_study(database)
    for rater in ("anna", "ben", "cara"):
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer("False" if rater == "ben" and session.question.key == "axioms" else "True")
    close_study(database, "pilot", "lead")
    before = len(saved(database))
    async with ReviewerApp(database, "zoe", "pilot", adjudicating=True).run_test(size=WIDE) as pilot:
        await settle(pilot)
        typed(pilot, "\r")
        await until(pilot, "dispute 1 of 3")
        typed(pilot, "f", *"because", "\r")
        await until(pilot, "✓ saved dispute 1 = False")
    assert [kind for kind, _ in saved(database)[before:]] == ["adjudication"]
    assert "because" in str(saved(database)[before][1])


async def test_an_answer_to_a_case_that_was_not_in_sight_is_dropped_with_what_follows_it(
    opened: Opener, study: str, database: Database
) -> None:
    async with opened(study) as pilot:
        typed(pilot, "t", "f", "x", "c", "u", "\r")
        shown = await until(pilot, "“f” was pressed before this case was in sight", "nor did 4 keys after it")
        assert "case 2 of 3" in shown
        assert saved(database) == [("label", "True")]
        typed(pilot, "f")
        await until(pilot, "= False (case 2)")
        assert saved(database) == [("label", "True"), ("label", "False")]


async def test_an_answer_typed_before_the_study_was_open_is_not_saved(
    opened: Opener, study: str, database: Database
) -> None:
    ReviewSession(database, study, "anna").answer("True")
    async with opened(None) as pilot:
        typed(pilot, "\r", "t", "t", "x")
        await until(pilot, "“t” was pressed before this case was in sight", "nor did 2 keys after it")
        assert isinstance(pilot.app.screen, ReviewScreen)
        assert saved(database) == [("label", "True")]
        typed(pilot, "f")
        await until(pilot, "✓ saved same task = False (case 2)")
        assert saved(database) == [("label", "True"), ("label", "False")]
