"""Slow work of a screen in a thread, and the handling of its result."""

from collections.abc import Callable
from typing import Any, TypeVar

from textual.screen import Screen

from reviewer.core.errors import ReviewerError

Result = TypeVar("Result")


def in_background(
    screen: Screen[Any],
    group: str,
    work: Callable[[], Result],
    then: Callable[[Result], object],
    failed: Callable[[ReviewerError], object],
    *,
    exclusive: bool = True,
) -> None:
    """Do ``work`` in a thread; then the screen handles its result, or hears that it failed.

    Newer work of a ``group`` takes the place of work that waits, unless all of it counts (not ``exclusive``).
    The screen handles results like messages: in their order, and no longer once it is closed.
    """

    def do() -> None:
        try:
            result = work()
        except ReviewerError as error:
            screen.call_later(failed, error)
        else:
            screen.call_later(then, result)

    screen.run_worker(do, thread=True, exclusive=exclusive, group=group)
