"""The briefing, the card before a new question, and where both are shown again."""

import pytest

from reviewer.tui.dialogs.key_sheet import CardDialog
from store.database import Database
from tests.rounds import mostly_slow
from tests.studies import a_study
from tests.tui.conftest import NARROW, WIDE, Opener, press, saved, seen, settle


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_rater_who_begins_reads_a_briefing_and_answer_keys_wait_for_it(
    opened: Opener, database: Database, size: tuple[int, int]
) -> None:
    a_study(database, briefing="We [test] a dataset.")
    async with opened(size=size, begun=False) as pilot:
        assert "Welcome to study pilot" in seen(pilot)
        assert "We [test] a dataset." in seen(pilot)
        await pilot.press("t", "f", "s", "x")
        assert saved(database) == []
        await pilot.press("enter")
        await settle(pilot)
        assert "Welcome" not in seen(pilot)
        await press(pilot, "t")
    async with opened(size=size, begun=False) as pilot:
        assert "Welcome" not in seen(pilot)
    assert saved(database) == [("label", "True")]


@pytest.mark.draws
@mostly_slow(2)
@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_key_in_rhythm_does_not_answer_the_next_question(
    opened: Opener, database: Database, size: tuple[int, int]
) -> None:
    a_study(database)
    async with opened(size=size) as pilot:
        await pilot.press(*"tttft")
        await settle(pilot)
        assert saved(database) == [("label", "True")] * 3
        assert "Question 2 of 4: bias presence" in seen(pilot)
        assert size == NARROW or "next: bias presence" in seen(pilot)
        await pilot.press("space", "f")
        await settle(pilot)
        assert saved(database)[-1] == ("label", "False")
        assert not isinstance(pilot.app.screen, CardDialog)


async def test_the_list_of_keys_is_in_groups_and_tells_what_was_told_before(
    opened: Opener, database: Database
) -> None:
    a_study(database, briefing="We [test] a dataset.")
    async with opened(size=(120, 200)) as pilot:
        await press(pilot, "question_mark")
        lines = seen(pilot).splitlines()
        groups = ["Answer", "Go to a case", "Look at the case", "Find in the case", "In the pane"]
        assert [group for line in lines for group in groups if f"│  {group}   " in line] == groups
        told = seen(pilot)
        assert told.index("True") < told.index("Take the last answer or skip back")
        assert told.index("Everywhere") < told.index("Welcome to study pilot")
        assert "We [test] a dataset." in told
        assert told.index("Welcome to study pilot") < told.index("Question 1 of 4: same task")


async def test_the_guideline_is_shown_whole_by_its_key(opened: Opener, database: Database) -> None:
    a_study(database)
    async with opened(size=WIDE) as pilot:
        await pilot.press("g")
        await settle(pilot)
        assert isinstance(pilot.app.screen, CardDialog)
        assert "True if a reader of either version" in seen(pilot)
        await pilot.press("escape")
        assert not isinstance(pilot.app.screen, CardDialog)


async def test_a_card_goes_away_when_it_is_clicked(opened: Opener, database: Database) -> None:
    a_study(database)
    async with opened(size=WIDE, begun=False) as pilot:
        await pilot.click("#parts")
        await settle(pilot)
        assert not isinstance(pilot.app.screen, CardDialog)
