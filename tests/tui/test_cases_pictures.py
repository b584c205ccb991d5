"""Pictures of looking cases up: all of them, and one that is read."""

from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.tui.picturing import Compare, after, each_pictured

KEYS = {
    "all": (),
    "read": ("down", "i", "end", "enter", "enter", "pagedown"),
}


@each_pictured("keys", KEYS)
def test_cases(
    pictured_store: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    app = ReviewerApp(pictured_store, "anna")
    assert snap_compare(app, terminal_size=size, run_before=after("l", *keys))
