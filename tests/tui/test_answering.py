"""Effects of keys of the review screen on the ledger, and the resulting notices."""

import pytest
from textual.widgets import TextArea

from reviewer.study.session.review_session import ReviewSession
from reviewer.tui.screens.review import ReviewScreen
from reviewer.tui.widgets.text_pane import TextPane
from store.database import Database
from tests.studies import a_study
from tests.tui.conftest import (
    NARROW,
    WIDE,
    Opened,
    Opener,
    answer_before,
    events,
    press,
    saved,
    seen,
    settle,
)

pytestmark = pytest.mark.usefixtures("study")


def session_of(pilot: Opened) -> ReviewSession:
    screen = pilot.app.screen
    assert isinstance(screen, ReviewScreen)
    return screen.session


async def test_one_key_saves_says_so_and_moves_on(opened: Opener, database: Database) -> None:
    async with opened(size=NARROW) as pilot:
        first = session_of(pilot).slot
        await press(pilot, "t")
        assert saved(database) == [("label", "True")]
        assert events(database)[0].case == first.case
        assert session_of(pilot).position == 1
        assert "✓ saved  same task = True (case 1)   u takes it back" in seen(pilot)


async def test_letters_and_digits_answer_and_a_burst_is_saved_in_order(
    opened: Opener, database: Database
) -> None:
    async with opened() as pilot:
        for key, label in (("t", "True"), ("1", "True"), ("f", "False"), ("0", "False")):
            await press(pilot, key)
            assert saved(database)[-1] == ("label", label), key
        assert len(saved(database)) == 4
        await press(pilot, *"tfttfftt")
        assert [value for _, value in saved(database)[4:]] == [
            {"t": "True", "f": "False"}[key] for key in "tfttfftt"
        ]
        assert len({(event.case, event.question) for event in events(database)}) == 12


async def test_keys_answer_in_any_pane_and_a_new_question_is_announced(
    opened: Opener, database: Database
) -> None:
    async with opened() as pilot:
        for _ in range(5):
            await press(pilot, "tab")
            assert isinstance(pilot.app.focused, TextPane)
        await press(pilot, "t", "tab", "f")
        assert [value for _, value in saved(database)] == ["True", "False"]
        await press(pilot, "t")
        assert "u takes it back · next: bias presence" in seen(pilot)
        assert "Question 2 of 4" in seen(pilot)


async def test_undo_takes_back_and_shows_the_case_again(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "t", "u")
        assert saved(database) == [("label", "True"), ("undo", None)]
        assert session_of(pilot).position == 0
        assert "✓ taken back  same task (case 1) is open again" in seen(pilot)
        assert "● open" in seen(pilot)
        assert "z zoom" in seen(pilot), "a long notice leaves room for some keys, and they stay"
        assert "? keys" in seen(pilot)
        await press(pilot, "u")
        assert "There is nothing to take back." in seen(pilot)
        assert len(saved(database)) == 2


async def test_going_back_and_answering_anew_replaces_the_answer(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "t", "b")
        assert "✓ True" in seen(pilot)
        await press(pilot, "f")
        assert "same task = False (case 1, was True)" in seen(pilot)
        first, second = events(database)
        assert second.supersedes == [first.id]
        assert session_of(pilot).position == 1


async def test_a_skipped_case_comes_again_at_the_end_of_the_question(
    opened: Opener, database: Database
) -> None:
    async with opened() as pilot:
        await press(pilot, "s")
        assert saved(database) == [("skip", None)]
        assert "case 1) skipped" in seen(pilot)
        await press(pilot, "t", "t")
        assert session_of(pilot).position == 0
        assert "↷ skipped" in seen(pilot)


async def test_a_flag_is_set_and_taken_away(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "x")
        assert "⚑ flagged" in seen(pilot)
        assert "✓ saved  case 1 flagged" in seen(pilot)
        await press(pilot, "x")
        assert "⚑ flagged" not in seen(pilot)
        assert saved(database) == [("flag", "flagged"), ("flag", None)]
        assert session_of(pilot).position == 0


async def test_a_comment_of_two_lines_is_saved_and_prefilled(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "c", *"two", "ctrl+j", *"lines")
        assert saved(database) == []
        await press(pilot, "enter")
        assert saved(database) == [("comment", "two\nlines")]
        assert "✎ comment" in seen(pilot)
        assert "two lines”" in seen(pilot)
        await press(pilot, "c")
        assert pilot.app.screen.query_one(TextArea).text == "two\nlines"
        await press(pilot, *"!!", "escape")
        assert len(saved(database)) == 1
        await press(pilot, "c")
        pilot.app.screen.query_one(TextArea).text = ""
        await press(pilot, "enter")
        assert saved(database)[-1] == ("comment", None)
        assert "✎ comment" not in seen(pilot)


async def test_a_comment_is_not_closed_unless_it_can_be_kept_and_is_not_stale(
    opened: Opener, database: Database
) -> None:
    async with opened() as pilot:
        await press(pilot, "c")
        pilot.app.screen.query_one(TextArea).text = "a\0b"
        await press(pilot, "enter")
        assert "holds a NUL character" in seen(pilot)
        assert saved(database) == []
        pilot.app.screen.query_one(TextArea).text = "old"
        await press(pilot, "enter", "c")
        ReviewSession(database, "pilot", "anna").comment("newer")
        await press(pilot, *"er", "enter")
        assert saved(database)[-1] == ("comment", "newer")
        assert "has changed it to 'newer'" in " ".join(seen(pilot).split())
        assert pilot.app.screen.query_one(TextArea).text == "older"
        await press(pilot, "enter")
        assert saved(database)[-1] == ("comment", "older")


async def test_next_back_and_next_open_save_nothing(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "b")
        assert "This is the first case." in seen(pilot)
        await press(pilot, "right", "n", "left")
        assert session_of(pilot).position == 1
        await press(pilot, "t", "b", "b", "o")
        assert session_of(pilot).position == 2
        assert saved(database) == [("label", "True")]


async def test_a_new_app_resumes_where_the_rater_stopped(opened: Opener, database: Database) -> None:
    async with opened() as pilot:
        await press(pilot, "t", "t", "q")
    async with opened() as pilot:
        assert session_of(pilot).position == 2
        assert "case 3 of 3" in seen(pilot)
        assert "2 of 12 done" in seen(pilot)


async def test_the_end_says_what_to_do_next_and_takes_no_answers(opened: Opener, database: Database) -> None:
    answer_before(database, 11)
    async with opened(size=NARROW) as pilot:
        await press(pilot, "t")
        assert "✓ Everything is labelled" in seen(pilot)
        assert "reviewer agreement pilot" in seen(pilot)
        await press(pilot, "f", "s", "x", "c", "n", "o", "d", "z")
        assert len(saved(database)) == 12
        assert "✓ Everything is labelled" in seen(pilot)
        await press(pilot, "b")
        assert "Everything is labelled" not in seen(pilot)
        assert session_of(pilot).position == 11
        await press(pilot, "f")
        assert saved(database)[-1] == ("label", "False")
    async with opened() as pilot:
        assert "✓ Everything is labelled" in seen(pilot)
        for word in ("next difference", "zoom", "other panes"):
            assert word not in seen(pilot), "a key that does nothing here is not offered"
        await press(pilot, "u")
        assert "is True again" in seen(pilot)


async def test_stale_cases_say_so(opened: Opener, database: Database) -> None:
    from tests.studies import a_case, fill

    fill(database, "pilot-data", [a_case(number, axioms="best(X) :- liked(X).") for number in range(3)])
    async with opened() as pilot:
        assert "⌛ stale" in seen(pilot)
        await press(pilot, "t")
        assert saved(database) == [("label", "True")]


async def test_paper_view_shows_nothing_beside_before_the_answer(opened: Opener, database: Database) -> None:
    a_study(database, "paper", view="paper")
    async with opened("paper") as pilot:
        assert "unbiased" in seen(pilot)
        assert "program" not in seen(pilot)
        assert "inference steps" not in seen(pilot)
        await press(pilot, "t", "b", "R", "R")
        assert "program · unbiased" in seen(pilot)
        assert "inference steps" in seen(pilot)


def place_of(pilot: Opened, words: str) -> tuple[int, int]:
    lines = seen(pilot).splitlines()
    row = next(y for y, line in enumerate(lines) if words in line)
    return lines[row].index(words) + 1, row


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_answers_other_keys_and_undo_can_be_clicked(
    opened: Opener, database: Database, size: tuple[int, int]
) -> None:
    async with opened(size=size) as pilot:
        for words in ("f  False", "x flag", "u takes it back"):
            await pilot.click(offset=place_of(pilot, words))
            await settle(pilot)
            if words == "x flag":
                await press(pilot, "t")
        assert saved(database) == [
            ("label", "False"),
            ("flag", "flagged"),
            ("label", "True"),
            ("undo", None),
        ]


async def test_case_by_case_the_notice_offers_undo_and_names_what_comes(
    opened: Opener, database: Database
) -> None:
    a_study(database, "by-case", asking="case")
    async with opened("by-case", size=NARROW) as pilot:
        await press(pilot, "t")
        assert "✓ saved  same task = True (case 1)   u takes it back · next: bias presence" in seen(pilot)
        await press(pilot, "o")
        assert "bias presence (case 1) is still open." in seen(pilot)


async def test_one_key_after_an_answer_says_how_sure_and_moves_nowhere(
    opened: Opener, database: Database
) -> None:
    a_study(database, "asked", confidence=True)
    async with opened("asked", size=NARROW) as pilot:
        await press(pilot, "t")
        assert "u takes it back · S/H/G how sure" in seen(pilot)
        await press(pilot, "H")
        assert "✓ saved  same task (case 1): rather sure" in seen(pilot)
        session = session_of(pilot)
        assert session.position == 1
        assert session.verdict_at(0).confidence == "rather sure"
        await press(pilot, "s", "G")
        assert "✗ not saved – answer first" in seen(pilot)
    async with opened("pilot") as pilot:
        await press(pilot, "t")
        held = saved(database)
        await press(pilot, "S", "H", "G")
        assert saved(database) == held, "a study that does not ask has no such keys"
