"""A transcript of 200 turns against a pair of texts of equal length, from key to painted.

Usage: python tests/bench/transcripts.py [--cases 20] [--turns 200] [--rounds 3]

Both are reviewed in a terminal of 160 by 48, and keys are pressed in turn: the study is opened from the list
of studies, the next case comes right after the one before, or after it was read for a while. Rounds begin
with a new rater. A median is over all rounds.
"""

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.protocols.staged_dialogues.transcripts_protocol import Transcript  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from reviewer.study.design.study_creation import Design, create_study  # noqa: E402
from store.database import Database  # noqa: E402
from store.records import Case  # noqa: E402
from tests.bench.support.pressing import press  # noqa: E402
from tests.staged_cases import a_transcript, fill  # noqa: E402
from tests.studies import a_case  # noqa: E402
from tests.terminal import Terminal  # noqa: E402

TRANSCRIPT, PAIR = "transcript", "pair"
STUDIES = (TRANSCRIPT, PAIR)
READING = 1.0
_DOWN, _CASE = "\x1b[B", r"case \d+ of"

Seconds = Mapping[str, Sequence[float]]
"""By the kind of case that is reviewed."""


def main() -> None:
    """Make both studies, measure, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=20)
    options.add_argument("--turns", type=int, default=200)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    measured: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reviewer.db"
        characters = make_studies(path, chosen.cases, chosen.turns)
        for number in range(chosen.rounds):
            for what, name, seconds in presses(path, f"rater {number}", chosen.cases):
                measured[what][name].append(seconds)
    print(f"{chosen.turns} turns, {characters:,} characters each, terminal of 160 x 48")
    rows = [row_of(what, seconds) for what, seconds in measured.items()]
    print(text_table(Table.of(("from key to painted", TRANSCRIPT, PAIR, "ratio"), rows)))


def make_studies(path: Path, cases: int, turns: int) -> int:
    """A study of transcripts and one of pairs that are as long; returns the length."""
    transcripts = [a_transcript(number, turns=turns) for number in range(cases)]
    characters = len(Transcript.model_validate(transcripts[0].payload).dialogue.text)
    filled = {TRANSCRIPT: transcripts, PAIR: [a_long_pair(number, characters) for number in range(cases)]}
    with closing(Database.open(str(path))) as database:
        for name, some in filled.items():
            fill(database, name, some)
            create_study(database, name, Design((name,), None, 1))
    return characters


def a_long_pair(number: int, characters: int) -> Case:
    """A pair whose two texts have so many characters together, and differ as usual pairs do."""
    shared = f"We release what was tested, and the team of house {number} has tested both.\n"
    texts = {"unbiased": "", "biased": "Several other teams have picked A.\n"}
    lengths = {name: characters // 2 - len(text) for name, text in texts.items()}
    long = {name: text + (shared * characters)[: lengths[name]] for name, text in texts.items()}
    return a_case(number, **long)


def presses(path: Path, rater: str, cases: int) -> list[tuple[str, str, float]]:
    """What was done, in which study, and how long it took; the studies take turns."""
    found = []
    command = ["-m", "reviewer", "--store", str(path)]
    with ExitStack() as stack:
        terminals = {name: stack.enter_context(Terminal(command, LOGNAME=rater)) for name in STUDIES}
        for name, terminal in terminals.items():
            for shown in ("Studies", *STUDIES):
                terminal.wait_for(shown)
            press(terminal, _DOWN * _row_of(terminal, name))
        for name, terminal in terminals.items():
            found.append(("study opened", name, press(terminal, "\r", _CASE)))
            terminal.begin()
        for number in range(2, cases + 1):
            what = "next case" if number % 2 else f"next case, after {READING:g} s of reading"
            for name, terminal in terminals.items():
                time.sleep(0 if number % 2 else READING)
                found.append((what, name, press(terminal, "n", rf"case {number} of")))
    return found


def _row_of(terminal: Terminal, name: str) -> int:
    """Where a study stands in the list."""
    order = sorted(STUDIES, key=terminal.text.index)
    return order.index(name)


def row_of(what: str, seconds: Seconds) -> tuple[str, ...]:
    """The medians of both and their ratio."""
    ours, theirs = (median(seconds[name]) for name in STUDIES)
    return what, f"{ours * 1000:.1f} ms", f"{theirs * 1000:.1f} ms", f"{ours / theirs:.2f}"


if __name__ == "__main__":
    main()
