"""The agreement screen's view of judges: who may see it, and the way from a cell to both reasons."""

import pytest

from reviewer.tui.screens.agreement_screen import AgreementScreen
from reviewer.tui.screens.disagreements_screen import DisagreementsScreen, VerdictsScreen
from reviewer.tui.widgets.number_grid import NumberGrid
from store.database import Database
from store.records import SampledCase
from tests.asked_judges import judged_by
from tests.judged import judged_study
from tests.tui.conftest import Opener, press, press_in_turn, seen

REASON = "The second text adds a deadline, [red]so the task is another one."


def doubts(case: SampledCase, question: str, repeat: int) -> str:
    if question == "same_task" and repeat < 2 and case.place % 2:
        return f"{REASON}\nAnswer: 2"
    return "It holds.\nAnswer: 1"


@pytest.fixture
def judged(database: Database) -> Database:
    judged_study(database, per_generator=2, comment="an expert's reason")
    judged_by(database, models=("planted-judge",), reply_of=doubts, repeats=3)
    return database


async def test_a_cell_of_a_judge_leads_to_both_reasons_side_by_side(opened: Opener, judged: Database) -> None:
    async with opened(None, (160, 48)) as pilot:
        await press_in_turn(pilot, "a", "j")
        assert isinstance(pilot.app.screen, AgreementScreen)
        assert "judges against experts" in seen(pilot)
        assert "judge planted-judge" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DisagreementsScreen)
        assert "judge planted-judge" in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, VerdictsScreen)
        shown = " ".join(seen(pilot).split())
        for part in ("experts, final label", "2 of 3", "deadline,", "[red]so"):
            assert part in shown, part


async def test_opinions_that_never_vary_are_left_out_with_a_line_that_says_so(
    opened: Opener, judged: Database
) -> None:
    async with opened(None, (160, 48)) as pilot:
        await press(pilot, "a")
        await press_in_turn(pilot, *["v"] * 4)
        shown = " ".join(seen(pilot).split())
        assert "“judge planted-judge” on “bias presence” is True for all 6 items" in shown
        assert "The table leaves it out" in shown
        grid = pilot.app.screen.query_one(NumberGrid).grid
        assert grid is not None
        assert {row[1].lines[0] for row in grid.rows} == {"same task"}


async def test_the_view_is_not_there_while_a_rater_owes_answers(
    opened: Opener, judged: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewer.results.labels.study_statistics.why_not_judges", lambda *a, **k: "Not yet.")
    async with opened(None) as pilot:
        await press(pilot, "a")
        for _ in range(6):
            await press(pilot, "v")
            assert "planted-judge" not in seen(pilot)
        assert "published labels" not in seen(pilot)
        await press(pilot, "j")
        assert "This study shows you neither published labels nor judges." in seen(pilot)
        assert "planted-judge" not in seen(pilot)
