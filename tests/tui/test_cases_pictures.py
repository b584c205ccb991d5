"""Pictures of looking cases up: all, some of them, one that is read, none."""

import pytest

from reviewer.core.settings import Settings
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.tui.picturing import Compare, after, pictured

_SEEDS_ONLY = ("down", "i", "end", "enter")
KEYS = {
    "all": (),
    "found": (*"ticket", "enter"),
    "read": (*_SEEDS_ONLY, "enter", "pagedown"),
    "none": (*_SEEDS_ONLY, "slash", *"zebra"),
    "choose": ("down", "i"),
}


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
@pictured
def test_cases(
    pictured_store: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int], theme: str
) -> None:
    app = ReviewerApp(pictured_store, "anna", settings=Settings(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=after("l", *keys))
