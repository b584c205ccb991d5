"""Pictures of agreement and its disagreements."""

from reviewer.study.design.leads import name_lead
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.tui.picturing import Compare, after, each_pictured

KEYS = {
    "map": (),
    "coefficients": ("v",),
    "bars": ("t",),
    "raters": ("v", "v", "v", "s"),
    "disagreements": ("enter",),
    "verdicts": ("enter", "enter"),
}


@each_pictured("keys", KEYS, wide_only=("disagreements",))
def test_agreement(
    pictured_store: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    name_lead(pictured_store, "pilot", "lead", "lead")  # its raters owe the same cases in another study
    app = ReviewerApp(pictured_store, "lead")
    assert snap_compare(app, terminal_size=size, run_before=after("down", "a", *keys))
