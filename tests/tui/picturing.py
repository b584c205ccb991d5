"""What tests with pictures share: both own themes at both sizes, and keys pressed until all is still."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import pytest

from reviewer.tui.app import ReviewerApp
from tests.tui.conftest import Opened, settle

SIZES = {"wide": (160, 48), "small": (80, 24)}
THEMES = {"dark": "reviewer-dark", "light": "reviewer-light"}
Before = Callable[[Opened], Awaitable[None]]


class Compare(Protocol):
    """The fixture of pytest-textual-snapshot."""

    def __call__(self, app: ReviewerApp, *, terminal_size: tuple[int, int], run_before: Before) -> bool: ...


def after(*keys: str) -> Before:
    """Presses keys, each once what the one before began has ended."""

    async def run(pilot: Opened) -> None:
        await pilot.pause()
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
            await settle(pilot)  # what a worker posts may start another
        assert pilot.app.return_code is None, "the app has ended with an error"

    return run


def pictured(test: Callable[..., None]) -> Callable[..., None]:
    """Takes the picture at both sizes in both themes (arguments ``size`` and ``theme``)."""
    at_sizes = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
    in_themes = pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
    return in_themes(at_sizes(test))
