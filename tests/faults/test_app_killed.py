"""The real app in a real terminal, killed, hung up and resized: what it said was saved is saved."""

import random
import re
import signal
from pathlib import Path

import pytest

from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from tests.faults.test_nothing_lost import check_ledger
from tests.rounds import rounds, some_always
from tests.studies import a_study, open_store
from tests.terminal import Terminal

CASES = 12


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = open_store(tmp_path)
    a_study(database, cases=CASES)
    return database


def review(store: Path, columns: int = 160, rows: int = 40) -> Terminal:
    command = ["review", "pilot", "--rater", "anna", "--store", str(store / "reviewer.db")]
    return Terminal(command, columns, rows, forked=True)


def done_on(screen: str) -> int:
    """How many verdicts the screen says are done."""
    found = re.search(r"(\d+) of \d+ done", screen)
    return int(found[1]) if found else 0


BURST = (
    ("t", "same task = True", ("label", "True")),
    ("f", "same task = False", ("label", "False")),
    ("u", "taken back", ("undo", None)),
    ("x", "flagged", ("flag", "flagged")),
    ("s", "skipped", ("skip", None)),
)
"""Keys, the words of the notice, and the event in the ledger."""


@pytest.mark.parametrize("presses", rounds(2, [len(BURST)]))
def test_killed_right_after_each_key_of_a_burst(database: Database, tmp_path: Path, presses: int) -> None:
    for number, (key, notice, _) in enumerate(BURST[:presses], start=1):
        with review(tmp_path) as terminal:
            if number == 1:
                terminal.begin()
            terminal.wait_for("case ", f" of {CASES}", "I plan release")
            terminal.press(key)
            terminal.wait_for("✓ taken" if key == "u" else "✓ saved", notice)
            terminal.process.kill()
            terminal.wait_for_end()
        kept = [(event.kind, event.value) for event in check_ledger(database, [])]
        assert kept == [event for _, _, event in BURST[:number]]
    with review(tmp_path) as terminal:
        done = 1 if presses == len(BURST) else 2  # one answer of the whole burst is taken back
        terminal.wait_for(f"case 3 of {CASES}", f"{done} of {4 * CASES} done")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_killed_at_a_random_moment_of_a_burst(database: Database, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with review(tmp_path) as terminal:
        terminal.begin()
        terminal.wait_for("case 1 of")
        terminal.press("".join(chance.choices("tfusxnb", weights=[8, 4, 2, 1, 1, 1, 1], k=60)))
        for _ in range(chance.randrange(1, 25)):
            terminal.read(0.02)
        shown = done_on(terminal.text)
        terminal.process.kill()
        terminal.wait_for_end()
    check_ledger(database, [])
    kept = ReviewSession(database, "pilot", "anna")
    labels = sum(event.kind == "label" for event in kept.history.events.values())
    assert labels >= shown


@pytest.mark.parametrize("stop", some_always([signal.SIGHUP, signal.SIGTERM], 2))
def test_a_closed_terminal_loses_nothing(database: Database, tmp_path: Path, stop: signal.Signals) -> None:
    with review(tmp_path) as terminal:
        terminal.begin()
        terminal.wait_for("case 1 of")
        for number, key in enumerate("tf", start=1):
            terminal.press(key)
            terminal.wait_for(f"{number} of {4 * CASES} done")
        terminal.process.send_signal(stop)
        terminal.wait_for_end()
    assert [event.value for event in check_ledger(database, [])] == ["True", "False"]


def test_quit_at_once_after_a_key(database: Database, tmp_path: Path) -> None:
    with review(tmp_path) as terminal:
        terminal.begin()
        terminal.wait_for("case 1 of")
        terminal.press("t\x11")
        assert terminal.wait_for_end() == 0
    assert len(Ledger(database).events("pilot")) == 1


def test_resizing_in_the_middle_of_a_save_loses_nothing_and_shows_the_next_case(
    database: Database, tmp_path: Path
) -> None:
    with review(tmp_path) as terminal:
        terminal.begin()
        terminal.wait_for("case 1 of")
        for number, (columns, rows) in enumerate(((80, 24), (200, 60), (60, 20), (160, 40)), start=2):
            terminal.press("t")
            terminal.resize(columns, rows)
            terminal.wait_for(f"case {number}")
        terminal.wait_for(f"case 5 of {CASES}", f"4 of {4 * CASES} done")
    assert len(check_ledger(database, [])) == 4


def test_two_windows_of_one_rater(database: Database, tmp_path: Path) -> None:
    with review(tmp_path) as left, review(tmp_path) as right:
        for terminal in (left, right):
            terminal.begin()
            terminal.wait_for("case 1 of")
        left.press("t")
        left.wait_for("✓ saved")
        right.press("f")
        right.wait_for("✓ saved")
        left.press("b")
        left.wait_for("case 1 of", "False")
    assert [event.value for event in check_ledger(database, [])] == ["True", "False"]
    assert ReviewSession(database, "pilot", "anna").done_count == 1
