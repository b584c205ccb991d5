"""Texts of all scripts are whole on the screen, in terminals that count their cells differently."""

import ctypes
import ctypes.util
import locale
import shlex
import shutil
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pyte
import pytest
from rich.cells import cell_len, chop_cells, set_cell_size
from rich.segment import Segment

from reviewer.study.design.study_creation import Design, create_study
from reviewer.tui.cell_widths import count_cells_as_terminals_do
from reviewer.tui.drawn_cells import DrawnCells
from store.database import Database
from tests.studies import a_case, fill
from tests.terminal import PATIENCE, ROOT, Terminal
from tests.tui.test_driver import frame

COLUMNS, ROWS = 60, 4
TEXTS = {
    "Devanagari": "भारत की राजधानी क्या है? विकल्प ए चुनिए।",
    "Bengali": "বাংলাদেশের রাজধানী কোনটি? উত্তর লিখুন।",
    "Tamil": "தமிழ்நாட்டின் தலைநகரம் எது? சொல்லுங்கள்.",
    "Sinhala with joiners": "ශ්‍රී ලංකාවේ අගනුවර කුමක්ද?",
    "Telugu": "భారతదేశ రాజధాని ఏది? సమాధానం ఇవ్వండి.",
    "Thai": "ภาษาไทยทำงานได้ดีหรือไม่ น้ำ",
    "Khmer": "ភាសាខ្មែរ សួស្តី តើអ្នកសុខសប្បាយទេ",
    "Myanmar": "မြန်မာစာ ဘယ်လိုလဲ",
    "Arabic": "ما هي عاصمة الهند؟",
    "Hebrew with points": "מָה שְׁלוֹמְךָ",
    "Korean in parts": "\u1112\u1161\u11ab\u1100\u1173\u11af",
    "mixed": "Option क: deploy भारत now, then तमिल later",
}
EMOJI = ["👩\u200d👩\u200d👧 family", "🇩🇪 flag", "❤\ufe0f heart", "👍🏽 thumb", "1\ufe0f\u20e3 key"]
MOVE, FRAME_LINE = "\x1b[", "│"

Width = Callable[[str], int]


@pytest.fixture(autouse=True)
def terminal_widths() -> None:
    count_cells_as_terminals_do()


def width_of_c_library() -> Width:
    """``wcwidth`` of the C library, with which tmux and most terminals count."""
    library = ctypes.CDLL(ctypes.util.find_library("c"))
    locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    return lambda char: int(library.wcwidth(ord(char)))


def joining_width(char: str) -> int:
    """As terminals count that join all marks to the letter before."""
    return 0 if unicodedata.category(char)[0] == "M" or char in "\u200c\u200d" else cell_len(char)


@pytest.fixture(params=[width_of_c_library(), joining_width], ids=["C library", "joining"])
def emulator(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The emulator counts cells in this way, and joins every character without a cell to the one before."""
    monkeypatch.setattr("pyte.screens.wcwidth", request.param)
    joins_all = SimpleNamespace(combining=lambda char: 1, normalize=lambda form, text: text)
    monkeypatch.setattr("pyte.screens.unicodedata", joins_all)
    return str(request.node.callspec.id)


def line(screen: pyte.Screen, row: int) -> str:
    return "".join(screen.buffer[row][column].data for column in range(screen.columns))


def shown_after(*frames: str) -> tuple[pyte.Screen, str]:
    """The screen of a terminal that gets only the changes, and the last change."""
    drawn, screen = DrawnCells(), pyte.Screen(COLUMNS, ROWS)
    drawn.resize(COLUMNS, ROWS)
    sent = ""
    for each_frame in frames:
        sent = drawn.changes(each_frame)
        pyte.Stream(screen).feed(sent)
    return screen, sent


def in_frame(text: str) -> str:
    room = COLUMNS - 2
    return frame(1, 0, Segment(f"{FRAME_LINE}{set_cell_size(text, room)}{FRAME_LINE}"))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_of_any_script_is_drawn_whole(emulator: str, text: str) -> None:
    screen, _ = shown_after(in_frame(text))
    begin, shown, end = line(screen, 1).partition(FRAME_LINE)[2].rpartition(FRAME_LINE)
    assert (begin.rstrip(), shown, end) == (text, FRAME_LINE, "")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_that_replaces_another_is_drawn_whole(emulator: str, text: str) -> None:
    for other in TEXTS.values():
        screen, _ = shown_after(in_frame(other), in_frame(text))
        assert line(screen, 1).strip(f"{FRAME_LINE} ") == text


@pytest.mark.parametrize("text", EMOJI)
def test_what_follows_an_emoji_is_drawn_whole(emulator: str, text: str) -> None:
    screen, _ = shown_after(in_frame(text))
    assert line(screen, 1).rstrip(f" {FRAME_LINE}").endswith(text[-4:])
    assert line(screen, 1).endswith(FRAME_LINE)


def test_letters_that_terminals_count_differently_are_sent_in_one_piece() -> None:
    _, sent = shown_after(in_frame(TEXTS["Devanagari"]))
    assert TEXTS["Devanagari"] in sent


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_cells_are_counted_as_the_c_library_counts_them(text: str) -> None:
    width = width_of_c_library()
    assert cell_len(text) == sum(map(width, text))
    assert "".join(chop_cells(text, 7)) == text
    assert all(sum(map(width, part)) <= 7 for part in chop_cells(text, 7))


def hindi_study(database: Database) -> list[str]:
    """A study of one case; returns the words of its texts, which take several lines."""
    words = [f"{word}{number}" for number, word in enumerate(TEXTS["Devanagari"].split() * 3)]
    fill(database, "hindi", [a_case(1, unbiased=" ".join(words), biased=" ".join(words))])
    create_study(database, "pilot", Design(("hindi",), None, 1))
    return words


@pytest.mark.parametrize("columns", [80, 160])
def test_a_rater_sees_every_word_of_a_hindi_case(database: Database, emulator: str, columns: int) -> None:
    words = hindi_study(database)
    command = ["--store", database.location, "review", "pilot", "--rater", "anna"]
    with Terminal(command, columns, 48, forked=True) as terminal:
        terminal.begin()
        shown = terminal.wait_for(words[0], words[-1])
    assert [word for word in words if word not in shown] == []


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_tmux_shows_every_word_of_a_hindi_case(database: Database, tmp_path: Path) -> None:
    words = hindi_study(database)
    command = [sys.executable, "-m", "reviewer", "--store", database.location, "review", "pilot"]
    tmux = ["tmux", "-u", "-f", "/dev/null", "-S", str(tmp_path / "tmux")]
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    subprocess.run(
        [*tmux, "new-session", "-d", "-x", "160", "-y", "48", shlex.join([*command, "--rater", "anna"])],
        check=True,
        cwd=ROOT,
        env=environment,
    )

    def screen_with(expected: str, keys: str = "") -> str:
        until = time.monotonic() + PATIENCE
        shown = ""
        while expected not in shown and time.monotonic() < until:
            time.sleep(0.1)
            shown = subprocess.run(
                [*tmux, "capture-pane", "-p"], check=True, env=environment, capture_output=True, text=True
            ).stdout
        return shown

    try:
        screen_with("Welcome to study")
        subprocess.run([*tmux, "send-keys", "Enter"], check=True, env=environment)
        shown = screen_with(words[-1])
        assert [word for word in words if word not in shown] == []
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, env=environment)
