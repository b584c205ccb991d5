"""How far a run of any procedure is, as plain values and in the words of commands and screens."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from reviewer.core.number_text import fixed, whole
from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.llm.usage import Usage


@dataclass(frozen=True, slots=True)
class PartProgress:
    """How far a part of a run is, such as a group or a model, with its other counts.

    ``state`` says in a word or two whether it makes further requests, and ``why`` names the obstacle.
    """

    name: str
    done: int
    wanted: int
    counts: Mapping[str, int] = field(default_factory=dict)
    state: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is, in a sentence and by part.

    ``kept`` counts the cases that it made, the answers that were read, or the cases that got values.
    ``missing`` is the number of those left to do until the end, None if nobody knows. ``discarded`` counts by
    step the candidates that were not kept. A command prints ``table`` at the end. ``ended`` says why a run
    came to its end, and ``failed`` lists requests that have to be repeated, a sentence each.
    """

    sentence: str
    kept: int = 0
    missing: int | None = None
    table: Table = field(default_factory=lambda: Table.of((), []))
    parts: tuple[PartProgress, ...] = ()
    discarded: Mapping[str, int] = field(default_factory=dict)
    rounds: int = 0
    ended: str = ""
    failed: tuple[str, ...] = ()

    @property
    def done(self) -> int:
        """What is done of all parts."""
        return sum(part.done for part in self.parts)

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do, as far as that is known."""
        return self.missing == 0


ProgressCallback = Callable[[RunProgress], None]


def not_shown(progress: RunProgress) -> None:
    """Nobody wants to see the progress."""


def discarded_in_words(progress: RunProgress) -> str:
    """The number of candidates discarded at each step so far."""
    counts = (f"{step.replace('_', ' ')} {count}" for step, count in progress.discarded.items())
    return f"discarded: {', '.join(counts) or 'none'}"


def spent_in_words(spent: Usage) -> str:
    """Calls, tokens, cost and rate."""
    without_price = f" and {counted(spent.unpriced, 'call')} without a price" if spent.unpriced else ""
    guessed = f" (estimated from the text for {counted(spent.estimated, 'call')})" if spent.estimated else ""
    parts = [
        f"{counted(spent.sent, 'call')} ({spent.in_flight} under way, {spent.from_rows:,} answered from the "
        "store)",
        f"{spent.prompt_tokens + spent.completion_tokens:,} tokens{guessed}",
        f"cost {fixed(spent.cost, 4)}{without_price}",
    ]
    if spent.calls_a_minute is not None:
        parts.append(f"{whole(spent.calls_a_minute)} calls a minute")
    return ", ".join(parts)


def time_left(first: RunProgress, now: RunProgress, seconds: float) -> str:
    """The time left if as much is gained as in these seconds; "" if nobody knows how much is missing."""
    if first.missing is None or now.missing is None:
        return ""
    gained = now.done - first.done
    if gained <= 0:
        return "time left: not known yet"
    minutes = seconds / gained * now.missing / 60
    return f"time left: about {whole(minutes)} min" if minutes >= 1 else "time left: under a minute"
