"""A progress bar on stderr for a person who waits; nothing where nobody looks."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import click

Advance = Callable[[str, int, int], None]
"""Called with (what is being done, done, total)."""


@contextmanager
def progress_bars() -> Iterator[Advance | None]:
    """One bar for each thing that is being done, opened at its first step."""
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        bars: dict[str, Any] = {}

        def advance(label: str, done: int, total: int) -> None:
            if label not in bars:
                stack.close()
                bars[label] = stack.enter_context(
                    click.progressbar(length=total, label=label, file=sys.stderr)
                )
            bars[label].update(done - bars[label].pos)

        yield advance
