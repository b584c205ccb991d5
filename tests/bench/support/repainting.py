"""Keys that repaint a review, pressed in turn in the app, in an earlier checkout of it, and in a bare app.

All of them run in a terminal of 160 by 48 with all colours, on the same cases. Of each key press, this counts
the bytes that the app sends, the seconds until the last of them, and the processor time until the app is
quiet, which depends less on what else the machine does.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from reviewer.core.table import Table
from reviewer.report.text_table import text_table
from store.cases import Filter, list_places
from store.database import Database
from tests.bench.support.processor_time import processor_time
from tests.terminal import Terminal

ROOT = Path(__file__).parents[3]
OURS, BARE = "ours", "bare app"
SEEDS = ROOT / "seeds" / "probe_swe"
_NAME = "measured"
_QUIET, _GIVE_UP = 0.25, 30.0
_VERDICT, _FOCUS, _ZOOM, _ALL = "verdict that changes the case", "focus", "zoom", "all panes again"
_ENVIRONMENT = {"COLORTERM": "truecolor", "REVIEWER_SETTINGS": "/dev/null"}
_PAYLOAD = ("unbiased", "biased", "axioms", "unbiased_prolog", "biased_prolog")
_BRIEFING, _FIRST = "Welcome to study", "case 1 of"
_QUESTION = (
    "Do both versions pose the same task, with the same logical structure? " * 3 + "\n\nt True   f False"
)


@dataclass(frozen=True)
class Presses:
    """What each press of a key sent, how long that took, and how much of it the processor worked."""

    sent: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)


Measured = Mapping[str, Mapping[str, Presses]]
"""By the key that was pressed, and by the app."""


def options(description: str | None) -> argparse.Namespace:
    """The command line of a bench that repaints."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--against",
        type=Path,
        nargs="+",
        default=[],
        help="other checkouts of this project, measured in turn",
    )
    parser.add_argument("--cases", type=Path, default=SEEDS, help="cases to import; the seeds by default")
    parser.add_argument("--presses", type=int, default=15, help="of each key in each round")
    parser.add_argument("--rounds", type=int, default=2, help="each with a rater who begins")
    return parser.parse_args()


def measure(chosen: argparse.Namespace, folder: Path) -> Measured:
    """Press each key in all apps in turn, so that other work of the machine affects all of them."""
    checkouts = {OURS: ROOT, **{checkout.resolve().name: checkout for checkout in chosen.against}}
    for name, checkout in checkouts.items():
        _make_study(checkout, chosen.cases, folder / f"{name}.db")
    cases = folder / "cases.json"
    cases.write_text(json.dumps(_texts(folder / f"{OURS}.db")), encoding="utf-8")
    measured: defaultdict[str, dict[str, Presses]] = defaultdict(lambda: defaultdict(Presses))
    for number in range(chosen.rounds):
        commands = {
            name: [
                "-m",
                "reviewer",
                "review",
                _NAME,
                "--rater",
                f"rater-{number}",
                "--store",
                str(folder / f"{name}.db"),
            ]
            for name in checkouts
        }
        commands[BARE] = [str(ROOT / "tests/bench/support/bare_panes.py"), str(cases)]
        with ExitStack() as stack:
            terminals = {
                name: stack.enter_context(Terminal(command, folder=checkouts.get(name, ROOT), **_ENVIRONMENT))
                for name, command in commands.items()
            }
            for terminal in terminals.values():
                _wait_until_quiet(terminal)
                if _BRIEFING in terminal.text:  # earlier checkouts have none
                    terminal.press("\r")
                    _wait_until_quiet(terminal)
            for turns, key in (((_VERDICT,), "t"), ((_FOCUS,), "\t"), ((_ZOOM, _ALL), "z")):
                for _, what in zip(range(chosen.presses), cycle(turns), strict=False):
                    for name, terminal in terminals.items():
                        _press(terminal, key, measured[what][name])
    return measured


def _make_study(checkout: Path, cases: Path, store: Path) -> None:
    """By the commands of that checkout: its store may be an older one."""
    for command in (
        ["import", str(cases), "--dataset", _NAME],
        ["study", "new", _NAME, "--dataset", _NAME, "--include-seeds"],
    ):
        subprocess.run(
            [sys.executable, "-m", "reviewer", *command, "--store", str(store)],
            cwd=checkout,
            check=True,
            capture_output=True,
        )


def _texts(store: Path) -> list[list[str]]:
    """Of each case, what its panes show."""
    with Database.open(str(store)).read() as session:
        places = list_places(session, Filter(datasets=(_NAME,)))
        return [[*(str(case.payload[name]) for name in _PAYLOAD), _QUESTION] for _, case in places]


def _wait_until_quiet(terminal: Terminal) -> None:
    until = time.monotonic() + _GIVE_UP
    seen = 0
    while (data := terminal.read(4 * _QUIET)) or not seen or _FIRST not in terminal.text:
        seen += len(data)
        if time.monotonic() > until:
            raise SystemExit(f"nothing came, or no end of it; on the screen:\n{terminal.text}")


def _press(terminal: Terminal, key: str, presses: Presses) -> None:
    while terminal.read(_QUIET):
        pass
    sent, before, started = b"", processor_time(terminal.process.pid), time.perf_counter()
    ended = started
    terminal.press(key)
    while (data := terminal.take(_QUIET)) or not sent:
        sent, ended = sent + data, time.perf_counter() if data else ended
        if time.perf_counter() - started > _GIVE_UP:
            raise SystemExit(f"after {key!r} nothing came; on the screen:\n{terminal.text}")
    terminal.show(sent)
    presses.sent.append(len(sent))
    presses.seconds.append(ended - started)
    presses.processor.append(processor_time(terminal.process.pid) - before)


def bytes_table(measured: Measured) -> str:
    """Bytes of each deed, with how many times those of the bare app."""
    return _table(measured, lambda presses: presses.sent, lambda value: f"{value:,.0f}", max, "largest")


def time_table(measured: Measured) -> str:
    """From the key to the last byte, with how many times that of the bare app."""
    return _table(
        measured, lambda presses: presses.seconds, lambda value: f"{value * 1000:.1f} ms", _p95, "p95"
    )


def processor_table(measured: Measured) -> str:
    """Processor time of each deed, the work after the last byte included, such as preparing the next case."""
    return _table(
        measured,
        lambda presses: presses.processor,
        lambda value: f"{value * 1000:.1f} ms",
        _p95,
        "p95",
        "processor",
    )


def _table(
    measured: Measured,
    values: Callable[[Presses], Sequence[float]],
    text: Callable[[float], str],
    upper: Callable[[Sequence[float]], float],
    upper_name: str,
    median_name: str = "median",
) -> str:
    rows = []
    for what, apps in measured.items():
        bare = values(apps[BARE])
        for name, presses in apps.items():
            middle, high = statistics.median(values(presses)), upper(values(presses))
            ratios = (middle / statistics.median(bare), high / upper(bare))
            rows.append((what, name, text(middle), text(high), *(f"{ratio:.2f}" for ratio in ratios)))
    header = ("key", "app", median_name, upper_name, "to the bare app", f"of {upper_name}")
    return text_table(Table.of(header, rows))


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]
