"""What tests with pictures share: two sizes, and keys pressed until nothing is under way."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Protocol

import pytest

from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.key_sheet import CardDialog
from tests.tui.conftest import Opened, put_card_away, settle

SIZES = {"wide": (160, 48), "small": (80, 24)}
Before = Callable[[Opened], Awaitable[None]]


class Compare(Protocol):
    """The fixture of pytest-textual-snapshot."""

    def __call__(self, app: ReviewerApp, *, terminal_size: tuple[int, int], run_before: Before) -> bool: ...


def after(*keys: str) -> Before:
    """Presses keys, each once what the one before began has ended."""

    async def run(pilot: Opened) -> None:
        await pilot.pause()
        await settle(pilot)
        await put_card_away(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
            await put_card_away(pilot)
            await settle(pilot)  # what a worker posts may start another
        assert pilot.app.return_code is None, "the app has ended with an error"

    return run


async def with_a_card(pilot: Opened) -> None:
    """Leaves the card there with which a study begins."""
    await settle(pilot)
    assert isinstance(pilot.app.screen, CardDialog)


def pictured(test: Callable[..., None]) -> Callable[..., None]:
    """Takes the picture at both sizes (argument ``size``) in the dark theme; colours: ``test_themes``."""
    return pytest.mark.parametrize("size", SIZES.values(), ids=[f"{name}-dark" for name in SIZES])(test)


def each_pictured(
    argument: str,
    named: Mapping[str, object],
    *,
    wide_only: Collection[str] = (),
    small_only: Collection[str] = (),
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Takes a picture of each, at both sizes unless one of them shows all there is to see.

    Of those at both sizes, every second small one is slow.
    """
    assert {*wide_only, *small_only} <= {*named}, "a picture that there is not"
    left_out = {"wide": small_only, "small": wide_only}
    taken = [(name, size) for size in SIZES for name in named if name not in left_out[size]]
    at_both = [name for name in named if (name, "wide") in taken and (name, "small") in taken]
    slow = [(name, "small") for name in at_both[1::2]]
    return pytest.mark.parametrize(
        (argument, "size"),
        [
            pytest.param(
                named[name],
                SIZES[size],
                id=f"{size}-dark-{name}",
                marks=pytest.mark.slow if (name, size) in slow else (),
            )
            for name, size in taken
        ],
    )
