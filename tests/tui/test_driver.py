"""The terminal shows the drawing of the app, although it gets only the changes."""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.drivers.linux_driver import LinuxDriver
from textual.strip import Strip

from reviewer.study.design.study_creation import Design, create_study
from reviewer.tui import drawn_cells
from reviewer.tui.drawn_cells import DrawnCells
from reviewer.tui.driver import ChangesDriver
from store.database import Database
from tests.rounds import rounds
from tests.studies import a_case, fill
from tests.terminal import Terminal

SIZES = [(160, 48), (80, 24), (120, 36), (60, 20), (101, 31)]
KEYS = [*"tfusnbdzpcxe123?", "\t", "\t", "\x1b", "\x10", "\r", "\x1b[A", "\x1b[B", "\x1b[6~", "word 漢"]
ROUNDS, TRIES = 6, 40
"""Rounds of keys by chance, of which the slow tests have more, and of frames."""
MANY_ROUNDS = 16
WIDE_TEXT = "漢字の見本 – e\u0301tude, 한국어, ｆｕｌｌ"
COLUMNS, ROWS = 24, 6
CONSOLE = Console(color_system="truecolor", force_terminal=True)

Cell = tuple[object, ...]


def cells(screen: pyte.Screen) -> list[list[Cell]]:
    """Every cell as a person sees it: of a space, only what shows on one."""
    return [
        [_seen(screen.buffer[row][column]) for column in range(screen.columns)] for row in range(screen.lines)
    ]


def _seen(char: pyte.screens.Char) -> Cell:
    blank = char.data == " " and not (char.underscore or char.strikethrough or char.reverse or char.blink)
    return (char.data, char.bg) if blank else tuple(char)


# In a terminal.


@contextmanager
def drawing(database: Database, folder: Path) -> Iterator["Drawing"]:
    """The app on a study with wide characters, in a terminal."""
    texts = {"unbiased": f"{WIDE_TEXT}\n" * 9, "axioms_description": WIDE_TEXT}
    fill(database, "wide", [a_case(number, **texts) for number in range(30)])
    create_study(database, "pilot", Design(("wide",), None, 1))
    file = folder / "screen"
    program = ["tests/tui/drawing_app.py", database.location, str(file)]
    with Terminal(program, REVIEWER_SETTINGS="/dev/null", COLORTERM="truecolor") as terminal:
        terminal.wait_for("case 1")
        yield Drawing(terminal, file)


class Drawing:
    """A terminal, and the file in which its app writes what it has drawn."""

    def __init__(self, terminal: Terminal, file: Path) -> None:
        self.terminal, self._file = terminal, file

    def check(self, what: str) -> None:
        """Fail unless the terminal comes to show the drawing of the app."""
        for _ in range(TRIES):
            drawn = self._drawn()
            if drawn == cells(self.terminal.screen):
                return
        shown = cells(self.terminal.screen)
        differ = [
            (row, column, drawn[row][column], shown[row][column])
            for row in range(len(shown))
            for column in range(len(shown[row]))
            if drawn[row][column] != shown[row][column]
        ]
        raise AssertionError(f"after {what}: {len(differ)} cells differ, {differ[:5]}\n{self.terminal.text}")

    def _drawn(self) -> list[list[Cell]]:
        self._file.unlink(missing_ok=True)
        while not self._file.exists():
            self.terminal.press("\x1b[24~")  # again, for it is dropped behind an answer that came too early
            until = time.monotonic() + 1
            while not self._file.exists() and time.monotonic() < until:
                self.terminal.read(0.05)
            assert self.terminal.process.poll() is None, self.terminal.text
        while self.terminal.read(0.05):
            pass
        screen = pyte.Screen(self.terminal.screen.columns, self.terminal.screen.lines)
        pyte.Stream(screen).feed(self._file.read_text(encoding="utf-8").replace("\n", ""))
        return cells(screen)


@pytest.mark.parametrize("number", rounds(ROUNDS, [MANY_ROUNDS]))
def test_the_terminal_shows_what_the_app_has_drawn(database: Database, tmp_path: Path, number: int) -> None:
    """Also over what something else has written, and after keys and sizes by chance."""
    with drawing(database, tmp_path) as app:
        app.check("opening")
        _write_something_else(app)
        _press_by_chance(app, random.Random(7), number)


def _write_something_else(app: Drawing) -> None:
    terminal = app.terminal
    terminal.screen.reset()
    terminal.press("\x0c")
    app.check("the key for drawing again")
    terminal.screen.reset()
    terminal.process.send_signal(signal.SIGWINCH)
    app.check("a moment of another size")
    terminal.process.send_signal(signal.SIGTSTP)
    while _state(terminal.process.pid) != "T":
        terminal.read(0.05)
    terminal.screen.reset()
    terminal.process.send_signal(signal.SIGCONT)
    app.check("a pause")


def _press_by_chance(app: Drawing, chance: random.Random, many: int) -> None:
    for number in range(many):
        if number % 5 == 4:
            size = chance.choice(SIZES)
            app.terminal.resize(*size)
            app.check(f"a size of {size}")
        keys = [chance.choice(KEYS) for _ in range(chance.randrange(1, 6))]
        for key in keys:
            app.terminal.press(key)
        app.check(f"{keys}, round {number}")


def _state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


# Frame by frame.


def frame(row: int, column: int, *segments: Segment) -> str:
    """As Textual draws a strip, with the cursor at the end."""
    return f"\x1b[{row + 1};{column + 1}H{Strip(segments).render(CONSOLE)}\x1b[1;1H"


class Pair:
    """Two terminals: one gets frames as they are, the other only what they change."""

    def __init__(self) -> None:
        self._drawn = DrawnCells()
        self._drawn.resize(COLUMNS, ROWS)
        self.plain, self.ours = (pyte.Screen(COLUMNS, ROWS) for _ in range(2))
        self.sent = ""

    def draw(self, frame: str) -> None:
        pyte.Stream(self.plain).feed(frame)
        self.sent = self._drawn.changes(frame)
        pyte.Stream(self.ours).feed(self.sent)


styles = st.builds(
    Style,
    color=st.sampled_from([None, "red", "#102030", "bright_blue", "color(99)"]),
    bgcolor=st.sampled_from([None, "blue", "#f0f0f0", "color(17)"]),
    bold=st.booleans(),
    dim=st.booleans(),
    italic=st.booleans(),
    underline=st.booleans(),
    strike=st.booleans(),
    reverse=st.booleans(),
    link=st.sampled_from([None, "https://example.org"]),
)
pairs = st.lists(st.sampled_from(["ab", "│ ", "漢", "─✓", "  ", " é"]), min_size=1, max_size=5)
"""Two cells each, so that no frame replaces half of a wide character: emulators differ there."""
segments = st.builds(Segment, pairs.map("".join), styles)
even_columns = st.integers(0, (COLUMNS - 20) // 2).map(lambda half: 2 * half)
frames = st.builds(frame, st.integers(0, ROWS - 1), even_columns, segments, segments)


@settings(max_examples=60, deadline=None)
@given(st.lists(frames, max_size=12))
def test_any_frames_show_the_same(drawn: list[str]) -> None:
    pair = Pair()
    for sequence in drawn:
        pair.draw(sequence)
    assert cells(pair.ours) == cells(pair.plain)


def test_what_a_blank_does_not_show_ends_after_it() -> None:
    pair = Pair()
    pair.draw(frame(0, 0, Segment("a ", Style(bold=True)), Segment("b")))
    assert pair.sent == "\x1b[1m\x1b[1Ha \x1b[m\x1b[1;3Hb\x1b[1;1H"
    assert cells(pair.ours) == cells(pair.plain)


def test_an_unsure_character_at_the_end_of_a_line_stays_there() -> None:
    pair = Pair()
    pair.draw(frame(0, 0, Segment("x" * (COLUMNS - 1) + "✓")))
    assert cells(pair.ours) == cells(pair.plain)


def test_half_a_wide_character_leaves_a_blank() -> None:
    pair = Pair()
    pair.draw(frame(0, 0, Segment("漢字")))
    pair.draw(frame(0, 1, Segment("ab")))
    assert "".join(pair.ours.buffer[0][column].data for column in range(4)) == " ab "


def test_what_is_shown_already_is_not_sent() -> None:
    pair = Pair()
    red, blue = Style(color="#ff0000", bold=True), Style(color="#0000ff")
    pair.draw(frame(2, 0, Segment("one two three", red)))
    pair.draw(frame(2, 0, Segment("one two three", red)))
    assert pair.sent == ""
    pair.draw(frame(2, 0, Segment("one too three", red)))
    assert pair.sent == "\x1b[1;38;2;255;0;0m\x1b[3;6Ho\x1b[m\x1b[1;1H"
    pair.draw(frame(2, 0, Segment("one", blue), Segment(" too three", red)))
    assert pair.sent == "\x1b[38;2;0;0;255m\x1b[3Hone\x1b[m\x1b[1;1H"


def test_colours_that_alternate_are_each_set_once() -> None:
    pair = Pair()
    red, blue = Segment("one two", Style(color="#ff0000")), Segment(" three", Style(color="#0000ff"))
    pair.draw("\n".join(frame(row, 0, red, blue, red) for row in range(3)))
    assert (pair.sent.count("38;2;255;0;0"), pair.sent.count("38;2;0;0;255")) == (1, 1)
    assert cells(pair.ours) == cells(pair.plain)


def test_a_character_that_a_terminal_takes_for_wider_does_not_shift_its_line() -> None:
    pair = Pair()
    pair.draw(frame(1, 0, Segment("before 👩\u200d💻 after it")))
    # The emulator draws two characters of two cells each; the app counts two cells in all.
    assert [pair.ours.buffer[1][column].data for column in range(9, 18)] == [*" after it"]


def test_only_rows_with_unsure_characters_are_searched_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    searched, pieces = list[object](), drawn_cells._unsure_pieces

    def noted(row: drawn_cells.ScreenRow) -> Iterator[tuple[int, int]]:
        searched.append(row)
        return pieces(row)

    monkeypatch.setattr(drawn_cells, "_unsure_pieces", noted)
    pair = Pair()

    def searches(*texts: str) -> list[int]:
        counts = []
        for text in texts:
            searched.clear()
            pair.draw(frame(1, 0, Segment(text)))
            counts.append(len(searched))
        return counts

    assert searches("plain ─ text") == [0]
    assert searches("✓ saved", "it goes", "is gone", "for good") == [2, 2, 2, 0], "drawn and shown"
    assert cells(pair.ours) == cells(pair.plain)


def test_what_cannot_be_told_is_sent_as_it_is() -> None:
    pair = Pair()
    pair.draw(frame(0, 0, Segment("known")))
    pair.draw("\x1b[1;1Ha\tb")
    assert pair.sent == "\x1b[1;1Ha\tb"
    pair.draw(frame(0, 0, Segment("known")))
    assert "known" in pair.sent


@pytest.mark.parametrize(
    "sequence", ["\x1b[?25l", "\x1b[?2026h", "\x1b[>25u", "\x1b]52;c;YQ==\a", "\x1b]22;text\x07", "\x07"]
)
def test_modes_clipboard_and_bell_pass_and_change_no_cell(
    sequence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    monkeypatch.setattr(LinuxDriver, "write", lambda _, data: sent.append(data))
    driver = ChangesDriver.__new__(ChangesDriver)
    driver._cells = DrawnCells()
    driver._cells.resize(COLUMNS, ROWS)
    for data in (frame(0, 0, Segment("a")), sequence, frame(0, 0, Segment("ab"))):
        driver.write(data)
    assert sent == ["\x1b[1Ha\x1b[1;1H", sequence, "\x1b[1;2Hb\x1b[1;1H"]


def test_the_alternate_screen_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Pair()
    pair.draw(frame(0, 0, Segment("a")))
    pair.draw("\x1b[?1049h")
    pair.draw(frame(0, 0, Segment("a")))
    assert "a" in pair.sent


def test_a_terminal_that_is_gone_ends_an_app_that_ignores_hangups(monkeypatch: pytest.MonkeyPatch) -> None:
    controller, terminal = os.openpty()
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda process, number: sent.append((process, number)))
    driver = ChangesDriver.__new__(ChangesDriver)
    driver.fileno = terminal
    driver.leave_if_gone()
    assert not sent
    os.close(controller)
    driver.leave_if_gone()
    os.close(terminal)
    assert sent == [(os.getpid(), signal.SIGTERM)]
