"""What comes next is typeset while the rater reads."""

import pytest

from reviewer.tui.rendering import comparison
from reviewer.tui.screens.review import ReviewScreen
from reviewer.tui.widgets.pane_grid import PaneGrid
from tests.tui.conftest import NARROW, WIDE, Opener, press, settle

pytestmark = pytest.mark.usefixtures("study")


@pytest.mark.parametrize("size", [WIDE, NARROW])
@pytest.mark.parametrize("key", ["n", "t"])
async def test_nothing_is_compared_on_the_key_after_a_pause(
    opened: Opener, size: tuple[int, int], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = comparison.unified_lines if size == NARROW else comparison.column_lines
    async with opened(size=size) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        lines.cache_clear()
        screen.prefetch.look_ahead()
        await settle(pilot)
        prepared = lines.cache_info().misses
        assert prepared > 0
        before = screen.session.slot
        monkeypatch.setattr(screen.prefetch, "look_ahead", lambda: None)  # what comes after the key
        await pilot.press(key)
        assert screen.session.slot != before
        assert lines.cache_info().misses == prepared


async def test_keys_without_a_pause_show_their_cases_too(opened: Opener) -> None:
    async with opened() as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, ReviewScreen)
        for _ in range(20):
            screen.prefetch.look_ahead()
            await pilot.press("n", "b")
        await press(pilot, "n")
        assert (
            f"release {_number(screen)}."
            in screen.query_one(PaneGrid).visible_panes()[0].lines[0].content.plain
        )


def _number(screen: ReviewScreen) -> str:
    return str(screen.session.case.payload["unbiased"]).split()[3].rstrip(".")
