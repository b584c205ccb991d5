"""Terminals that show ASCII only get it, in the same cells."""

import ast
import ctypes
import struct
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.binding import Binding

import reviewer
from reviewer.tui.ascii_signs import console_font, in_ascii, shows_only_ascii
from reviewer.tui.driver import TerminalApp
from store.database import Database
from tests.rounds import mostly_slow
from tests.studies import a_study
from tests.terminal import Terminal


@pytest.mark.parametrize(
    ("environment", "utf8_mode", "only"),
    [
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, False, False),
        ({"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, True, True),
        ({"LANG": "de_DE.ISO-8859-1@euro"}, True, True),
        ({"LANG": "C", "PYTHONUTF8": "1"}, True, False),
        ({"LANG": "C.utf8"}, False, False),
        ({"LANG": "en_US"}, False, False),
        ({}, True, False),
        ({"TERM": "vt100", "LANG": "en_US.UTF-8"}, False, True),
        ({"TERM": "vt220", "LANG": "C.UTF-8"}, True, True),
        ({"TERM": "vt100", "PYTHONUTF8": "1"}, True, False),
        ({"TERM": "xterm-256color", "LANG": "C.UTF-8"}, True, False),
    ],
)
def test_the_chosen_locale_says_what_a_terminal_shows(
    environment: dict[str, str], utf8_mode: bool, only: bool
) -> None:
    assert shows_only_ascii(environment, utf8_mode=utf8_mode) == only


@pytest.mark.parametrize(
    ("signs", "only"),
    [(None, True), (frozenset(map(ord, "│─█░")), True), (frozenset(range(0x20, 0x2800)), False)],
)
def test_a_console_gets_lines_only_if_its_font_has_them(signs: frozenset[int] | None, only: bool) -> None:
    environment = {"TERM": "linux", "LANG": "en_US.UTF-8"}
    assert shows_only_ascii(environment, utf8_mode=False, font=lambda: signs) == only


def test_what_is_no_console_has_no_known_font(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "file").open("w") as file:
        assert console_font(file.fileno()) is None

    def two_pairs(_descriptor: int, _request: int, described: bytes) -> bytes:
        size, place = struct.unpack("HP", described)
        ctypes.memmove(place, struct.pack("4H", ord("│"), 7, ord("─"), 9), 8)
        return struct.pack("HP", min(size, 2), place)

    monkeypatch.setattr("fcntl.ioctl", two_pairs)
    assert console_font(0) == {ord("│"), ord("─")}


def test_every_sign_keeps_its_cells() -> None:
    assert in_ascii("╭─ biased ─╮│▌") == "+- biased -+|#"
    for text in ("✓ saved · 1–3 “é”", "漢字", "▁▄█ ░", "e\u0301"):
        assert in_ascii(text).isascii()
        assert cell_len(in_ascii(text)) == cell_len(text)
    assert in_ascii("\x1b[1m✓\x1b[0m") == "\x1b[1m*\x1b[0m"


@mostly_slow(3)
@pytest.mark.parametrize(
    ("lang", "term", "plain"),
    [("C", "xterm", True), ("C.UTF-8", "xterm", False), ("C.UTF-8", "vt100", True)],
)
def test_an_app_in_a_plain_terminal_draws_in_ascii(
    database: Database, lang: str, term: str, plain: bool
) -> None:
    a_study(database)
    arguments = ["-m", "reviewer", "--store", database.location, "review", "pilot", "--rater", "anna"]
    with Terminal(arguments, REVIEWER_SETTINGS="/dev/null", LANG=lang, TERM=term) as terminal:
        terminal.wait_for("your question")
        assert terminal.text.isascii() == plain


@pytest.mark.parametrize(("locale", "shown"), [("C", "enter"), ("C.UTF-8", "⏎")])
def test_a_key_is_named_where_its_sign_cannot_be_shown(
    monkeypatch: pytest.MonkeyPatch, locale: str, shown: str
) -> None:
    monkeypatch.delenv("PYTHONUTF8", raising=False)
    monkeypatch.setenv("LC_ALL", locale)
    assert TerminalApp().get_key_display(Binding("enter", "")) == shown


def test_what_is_done_of_a_progress_bar_differs_in_ascii() -> None:
    assert in_ascii("━━━─────") == "===-----"


def test_every_sign_that_screens_draw_has_one_in_ascii() -> None:
    about_text = ("ascii_signs", "cell_widths", "drawn_cells", "line")  # these name ranges of characters
    root = Path(reviewer.__file__).parent
    files = [*(root / "tui").rglob("*.py"), root / "core/number_text.py", root / "agreement/coefficient.py"]
    lacking = {
        (char, file.name)
        for file in files
        if file.stem not in about_text
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for char in node.value
        if char > "\x7f" and "?" in in_ascii(char)
    }
    assert not lacking
