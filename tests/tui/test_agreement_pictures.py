"""Pictures of agreement, its disagreements, and of disputes that are all decided."""

import pytest

from reviewer.core.settings import Settings
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.tui.app import ReviewerApp
from store.database import Database
from tests.tui.pictured_store import DONE
from tests.tui.picturing import Compare, after, pictured

KEYS = {
    "map": (),
    "undefined": ("down",),
    "coefficients": ("v",),
    "pass-rates": ("v", "v"),
    "raters": ("v", "v", "v", "s"),
    "disagreements": ("enter",),
    "verdicts": ("enter", "enter"),
}


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
@pictured
def test_agreement(
    pictured_store: Database, snap_compare: Compare, keys: tuple[str, ...], size: tuple[int, int], theme: str
) -> None:
    app = ReviewerApp(pictured_store, "anna", settings=Settings(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=after("down", "a", *keys))


@pictured
def test_all_disputes_decided(
    pictured_store: Database, snap_compare: Compare, size: tuple[int, int], theme: str
) -> None:
    session = AdjudicationSession(pictured_store, DONE, "zoe")
    while session.next_open():
        session.decide("True", "The cue is in the biased version only.")
    app = ReviewerApp(pictured_store, "zoe", DONE, Settings(theme=theme), adjudicating=True)
    assert snap_compare(app, terminal_size=size, run_before=after())
