"""Shared parts of targets: cases decided by a seed, failures kept as files, and the table of targets run."""

import shutil
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event, current_thread, main_thread

SLICE_SECONDS = 2.0
"""How long a target runs before the next one has its turn."""
MOST_FAILURES = 100
"""A target that failed so often has said enough."""


class Wrong(AssertionError):  # noqa: N818  # it names the result of a case
    """A case had a result that may never come of any; the message names it."""


def check_sentence(sentence: str) -> None:
    """Raise Wrong for a message that is not one visible line."""
    if "\n" in sentence or not sentence.isprintable():
        raise Wrong(f"a sentence that is no line of text: {sentence!r}")


@dataclass
class Case:
    """One case: its own random numbers, an empty folder, and the files that are kept if it fails."""

    random: Random
    folder: Path
    kept: dict[str, str | bytes] = field(default_factory=dict)

    def keep(self, name: str, content: str | bytes) -> None:
        """Keep a part of the input as a file of this name, should the case fail."""
        self.kept[name] = content


Attempt = Callable[[Case], None]
"""Runs one case; whatever it raises is a failure."""


@dataclass(frozen=True)
class Target:
    """What is fuzzed. ``opened`` makes what all cases share in a folder, and gives what runs a case."""

    name: str
    told: str
    opened: Callable[[Path], AbstractContextManager[Attempt]]


@dataclass
class Tally:
    """How far a target came; ``reason`` says why it did not run at all."""

    target: Target
    cases: int = 0
    seconds: float = 0.0
    failures: list[Path] = field(default_factory=list)
    reason: str = ""


class Unavailable(Exception):  # noqa: N818  # no error: the target needs what this machine lacks
    """A target cannot run here; the message names the missing part."""


@dataclass(frozen=True)
class Plan:
    """What to run: by cases of each target, or by seconds of all; ``first`` is the first case's number."""

    seed: int
    failures: Path
    cases: int | None = None
    seconds: float | None = None
    first: int = 0


def run(targets: Sequence[Target], plan: Plan, scratch: Path, tell: Callable[[str], None]) -> list[Tally]:
    """Run the targets in turns; Ctrl+C ends it early, after the case under way, with the results so far."""
    tallies = [Tally(target) for target in targets]
    with ExitStack() as stack:
        stopped = stack.enter_context(_stopped_by_ctrl_c())
        turns = [_Turns(tally, plan, scratch, stack, tell, stopped) for tally in tallies]
        deadline = None if plan.seconds is None else time.monotonic() + plan.seconds
        while turns and not stopped.is_set():
            turns = [turn for turn in turns if turn.take(deadline)]
        if stopped.is_set():
            tell("Interrupted; this is what ran:")
    return tallies


@contextmanager
def _stopped_by_ctrl_c() -> Iterator[Event]:
    """Set by Ctrl+C. A KeyboardInterrupt may come within a callback, which swallows it."""
    stopped = Event()
    if current_thread() is not main_thread():
        yield stopped
        return
    before = signal.signal(signal.SIGINT, lambda _number, _frame: stopped.set())
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)


class _Turns:
    """The turns of one target."""

    def __init__(
        self,
        tally: Tally,
        plan: Plan,
        scratch: Path,
        stack: ExitStack,
        tell: Callable[[str], None],
        stopped: Event,
    ) -> None:
        self._tally, self._plan, self._scratch, self._tell = tally, plan, scratch, tell
        self._stopped = stopped
        shared = scratch / tally.target.name
        shared.mkdir(parents=True)
        try:
            self._attempt = stack.enter_context(tally.target.opened(shared))
        except Unavailable as missing:
            tally.reason = str(missing)

    def take(self, deadline: float | None) -> bool:
        """Run cases for a slice of time; whether more are left."""
        if self._tally.reason or len(self._tally.failures) >= MOST_FAILURES:
            return False
        began = time.monotonic()
        for _ in self._left(deadline):
            self._case()
            if time.monotonic() - began > SLICE_SECONDS or len(self._tally.failures) >= MOST_FAILURES:
                break
        else:
            self._tally.seconds += time.monotonic() - began
            return False
        self._tally.seconds += time.monotonic() - began
        return True

    def _left(self, deadline: float | None) -> Iterator[None]:
        while (
            not self._stopped.is_set()
            and (deadline is None or time.monotonic() < deadline)
            and (self._plan.cases is None or self._tally.cases < self._plan.cases)
        ):
            yield

    def _case(self) -> None:
        name, number = self._tally.target.name, self._plan.first + self._tally.cases
        folder = self._scratch / f"{name}-{number}"
        folder.mkdir()
        # Not S311: the numbers decide input for tests, and a seed has to give the same ones again.
        case = Case(Random(f"{self._plan.seed}:{name}:{number}"), folder)
        self._tally.cases += 1
        try:
            self._attempt(case)
        except Exception as error:
            self._fail(case, number, error)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _fail(self, case: Case, number: int, error: Exception) -> None:
        name = self._tally.target.name
        kept = self._plan.failures / f"{name}-{self._plan.seed}-{number}"
        kept.mkdir(parents=True, exist_ok=True)
        said = str(error) if isinstance(error, Wrong) else traceback.format_exc()
        again = f"python -m tests.fuzz --only {name} --seed {self._plan.seed} --first {number} --cases 1"
        for file, content in {**case.kept, "failure.txt": f"{said}\n\nAgain: {again}\n"}.items():
            (kept / file).write_bytes(
                content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
            )
        self._tally.failures.append(kept)
        self._tell(f"{name} {number}: {said.strip().splitlines()[-1][:200]} ({kept})")
