"""Keys pressed in a terminal, and how long it takes until what they ask for is painted."""

import re
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.terminal import Terminal

BARE = ["tests/bench/support/bare_app.py"]
_QUIET = 0.1
_GIVE_UP = 120.0


@dataclass(frozen=True)
class Measured:
    """The seconds of each press."""

    what: str
    seconds: Sequence[float]

    @property
    def median(self) -> float:
        """Half took longer."""
        return statistics.median(self.seconds)

    @property
    def p95(self) -> float:
        """One in twenty took longer."""
        return sorted(self.seconds)[int(len(self.seconds) * 0.95)]


def press(terminal: Terminal, keys: str, *painted: str) -> float:
    """Seconds until the last byte of the answer: every pattern on the screen, then quiet."""
    return press_and_see(terminal, keys, *painted)[1]


def press_and_see(terminal: Terminal, keys: str, *painted: str) -> tuple[float, float]:
    """Seconds to the first byte of the answer, and to its last."""
    while terminal.read(_QUIET):
        pass
    started = time.perf_counter()
    terminal.press(keys)
    began, ended, unseen = started, started, b""
    while True:
        data = terminal.take(_QUIET)
        if data:
            now = time.perf_counter()
            began, ended = (began if ended > started else now), now
            unseen += data
            continue
        terminal.show(unseen)
        unseen = b""
        if ended > started and all(re.search(pattern, terminal.text) for pattern in painted):
            return began - started, ended - started
        if time.perf_counter() - started > _GIVE_UP:
            raise SystemExit(f"after {keys!r} nothing like {painted} came; on the screen:\n{terminal.text}")
