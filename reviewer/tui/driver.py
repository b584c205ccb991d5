"""What is sent to a terminal: the cells that changed, instead of all that the app has drawn again."""

import os
import re
import select
import signal
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from rich.cells import cell_len
from textual import constants
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Event, Resize

from reviewer.tui.rendering.terminal_style import PLAIN, TerminalStyle, blank_style, pen_change, style_of

ScreenCell = tuple[str, TerminalStyle, int]
"""A character with all that combines with it, its style, and how far it moves the cursor in every terminal: 0
where terminals disagree. In the right half of a wide character, the text is empty."""
ScreenRow = list[ScreenCell | None]
"""None where nothing was drawn, or where it is not known what the terminal shows."""

_TEXT = r"[^\x00-\x1f\x7f-\x9f]+"
_PIECE = re.compile(
    rf"\x1b\[([\d;]+)m((?:{_TEXT})?)\x1b\[0m|({_TEXT})"
    r"|\x1b\[(\d+);(\d+)H|\x1b\]8;([^\x07\x1b]*)\x1b\\|([\s\S])"
)
"""Styled text, plain text, a place, the begin or end of a link; and last, what is none of these."""
_CHANGES_NO_CELL = re.compile(
    r"(?:\x1b\[\?(?!47|104[79])\d+(?:[hl]|\$p)|\x1b\[[<>]\d*u|\x1b\](?!8;)[^\x07\x1b]*(?:\x07|\x1b\\)|\x07)*"
)
"""Modes, questions to the terminal, the clipboard, the pointer's shape, the bell."""
_SINGLE = re.compile("[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2190-\u22ff\u2500-\u25fc]*")
_WIDE = re.compile("[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60]")
"""Characters of one cell, and of two, in every terminal. Terminals disagree about others, such as emoji."""
_JOINER = "\u200d"
_NOTHING: ScreenCell = (" ", PLAIN, 1)
_LINES_REMEMBERED, _TEXTS_REMEMBERED = 512, 8192
_LOOK_AT_TERMINAL_SECONDS = 2.0


class _Run(NamedTuple):
    """Cells that were drawn side by side."""

    row: int
    column: int
    cells: list[ScreenCell]


class _NotCellsError(ValueError):
    """Something was drawn that its sequence does not identify."""


class DrawnCells:
    """What the app has drawn and what the terminal shows, cell by cell."""

    def __init__(self) -> None:
        self._width = self._height = 0
        self._drawn: list[ScreenRow] = []
        self._shown: list[ScreenRow] = []
        self._cursor = (0, 0)

    def resize(self, width: int, height: int) -> None:
        """Take the size of the terminal; it may show anything now."""
        kept = [_cut(row + [None] * width, width) for row in self._drawn[:height]]
        self._drawn = kept + [[None] * width for _ in range(height - len(kept))]
        self._width, self._height = width, height
        self.forget()

    def forget(self) -> None:
        """The terminal may show anything: send everything with the next frame."""
        self._shown = [[None] * self._width for _ in range(self._height)]

    def changes(self, frame: str) -> str:
        """What to send for what the app has drawn: the frame itself if nobody knows what it shows."""
        try:
            runs = [run for line in frame.split("\n") for run in _runs(line)]
        except _NotCellsError:
            runs = []
        if not runs or not self._height:
            self._drawn = [[None] * self._width for _ in range(self._height)]
            self.forget()
            return frame
        for run in runs:
            self._draw(run)
        sent = "".join(self._sent())
        # The last run is empty: it puts the cursor where the app has it.
        cursor = (runs[-1].row, runs[-1].column)
        if not sent and cursor == self._cursor:
            return ""
        self._cursor = cursor
        return f"{sent}\x1b[{cursor[0] + 1};{cursor[1] + 1}H"

    def _draw(self, run: _Run) -> None:
        if not run.cells or run.row >= self._height:
            return
        row, end = self._drawn[run.row], run.column + len(run.cells)
        _split(row, run.column)
        _split(row, end)
        row[run.column : end] = run.cells
        _cut(row, self._width)

    def _sent(self) -> Iterator[str]:
        pen = PLAIN
        for number, (row, shown) in enumerate(zip(self._drawn, self._shown, strict=True)):
            if row != shown:
                sent, pen = _row_changes(number, row, shown, pen)
                yield sent
                self._shown[number] = row.copy()
        yield pen_change(pen, PLAIN, blank=False)[0]


def _cut(row: ScreenRow, width: int) -> ScreenRow:
    """Leave the first cells of a row."""
    _split(row, width)
    del row[width:]
    return row


def _split(row: ScreenRow, column: int) -> None:
    """Blank a wide character that is to lose its half before or after this column, as terminals do."""
    cell = row[column] if 0 < column < len(row) else None
    if cell and not cell[0]:
        row[column - 1 : column + 1] = [(" ", blank_style(cell[1]), 1)] * 2


@lru_cache(_LINES_REMEMBERED)
def _runs(line: str) -> tuple[_Run, ...]:
    """What a line of a frame draws, and where; raises _NotCellsError."""
    runs: list[_Run] = []
    link = ""
    for codes, styled, plain, row, column, beginning, other in _PIECE.findall(line):
        if row:
            runs.append(_Run(int(row) - 1, int(column) - 1, []))
        elif other or not runs:
            raise _NotCellsError
        elif beginning:
            link = "" if beginning == ";" else beginning
        else:
            runs[-1].cells.extend(_cells(styled or plain, codes, link))
    if link:
        raise _NotCellsError
    return tuple(runs)


@lru_cache(_TEXTS_REMEMBERED)
def _cells(text: str, codes: str, link: str) -> tuple[ScreenCell, ...]:
    """The cells of a text; the same ones for the same text, so that comparing them is quick."""
    style = style_of(codes, link)
    if style is None:
        raise _NotCellsError
    blank = (" ", blank_style(style), 1)
    if _SINGLE.fullmatch(text):
        return tuple([blank if char == " " else (char, style, 1) for char in text])
    cells: list[ScreenCell] = []
    for cluster in _clusters(text):
        if width := cell_len(cluster):
            right_half = [("", style, 0)] * (width - 1)
            cells += [blank if cluster == " " else (cluster, style, _sure_width(cluster)), *right_half]
    return tuple(cells)


def _sure_width(cluster: str) -> int:
    if _SINGLE.fullmatch(cluster):
        return 1
    return 2 if _WIDE.fullmatch(cluster) else 0


def _clusters(text: str) -> list[str]:
    """Characters, each with what combines with it."""
    clusters: list[str] = []
    for char in text:
        if clusters and (not cell_len(char) or clusters[-1].endswith(_JOINER)):
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters


def _row_changes(
    number: int, row: ScreenRow, shown: ScreenRow, pen: TerminalStyle
) -> tuple[str, TerminalStyle]:
    """What to send so that a row is shown as it was drawn, and the pen afterwards."""
    sent: list[str] = []
    cursor: int | None = None
    style_sent: TerminalStyle | None = None
    for column in _to_send(row, shown):
        text, style, step = row[column] or _NOTHING
        if cursor != column:
            sent.append(_move(number, cursor, column, row, pen))
        if style is not style_sent:
            codes, pen = pen_change(pen, style, blank=text == " ")
            sent.append(codes)
            style_sent = style if pen == style else None  # before a blank, the pen keeps what does not show
        if step:
            sent.append(text)
            cursor = column + step
        else:
            # Clear what a narrower one would leave, and say where the next one is to stand.
            width = cell_len(text)
            sent.append(f"{' ' * width}{_move(number, None, column, row, pen)}{text}")
            cursor = None
    return "".join(sent), pen


def _to_send(row: ScreenRow, shown: ScreenRow) -> list[int]:
    """The columns of cells that differ, or that an unsure cell before may cover."""
    cells = enumerate(zip(row, shown, strict=True))
    differ = [column for column, (cell, there) in cells if cell != there and cell and cell[0]]
    if 0 not in [(row[column] or _NOTHING)[2] for column in differ]:
        return differ
    columns, covered = list[int](), 0
    for column, cell in enumerate(row):
        if cell and cell[0] and (column < covered or cell != shown[column]):
            columns.append(column)
            if not cell[2]:
                covered = column + 1 + sum(map(cell_len, cell[0]))
    return columns


def _move(number: int, cursor: int | None, column: int, row: ScreenRow, pen: TerminalStyle) -> str:
    """From the cursor to a column: by sending what stands between again if that is shorter."""
    if cursor is None:
        return f"\x1b[{number + 1};{column + 1}H" if column else f"\x1b[{number + 1}H"
    distance = column - cursor
    move = f"\x1b[{distance}C" if distance > 1 else "\x1b[C"
    between = _in_pen(row[cursor:column], pen) if distance <= len(move) else None
    return move if between is None else between


def _in_pen(cells: Sequence[ScreenCell | None], pen: TerminalStyle) -> str | None:
    """The text of cells that the pen can send as it is; None if there are others."""
    texts = []
    for cell in cells:
        if cell is None or not cell[0].isascii() or pen_change(pen, cell[1], blank=cell[0] == " ")[0]:
            return None
        texts.append(cell[0])
    return "".join(texts)


def is_gone(terminal: int) -> bool:
    """Whether the other end of an open terminal was closed."""
    poll = select.poll()
    poll.register(terminal, 0)
    return any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))


class ChangesDriver(LinuxDriver):
    """The driver of a terminal; where the app draws what the terminal shows already, it sends nothing."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._cells = app.drawn_cells if isinstance(app, TerminalApp) else DrawnCells()

    def start_application_mode(self) -> None:
        """Take the terminal, and notice if it goes away."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._app.set_interval(_LOOK_AT_TERMINAL_SECONDS, self.leave_if_gone)

    def leave_if_gone(self) -> None:
        """End as by a hangup once the terminal is gone.

        The system tells only the first program of a terminal, such as make, which then waits for this one.
        """
        if is_gone(self.fileno):
            os.kill(os.getpid(), signal.SIGHUP)

    def write(self, data: str) -> None:
        """Send data, or what it changes of the cells. Anything unknown is sent as it is."""
        if not _CHANGES_NO_CELL.fullmatch(data):
            data = self._cells.changes(data)
        if data:
            super().write(data)


class TerminalApp(App[None], inherit_bindings=False):
    """An app that sends to a terminal only what changed. In a browser, Textual's driver stays."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+l",
            "redraw",
            "redraw",
            show=False,
            id="app.redraw",
            priority=True,
            tooltip="Draw the whole screen again",
        )
    ]

    def __init__(self) -> None:
        self.drawn_cells = DrawnCells()
        super().__init__()

    def get_driver_class(self) -> type[Driver]:
        """Our driver where Textual chooses the one of a terminal; a driver named by the environment stays."""
        chosen = super().get_driver_class()
        return ChangesDriver if chosen is LinuxDriver and constants.DRIVER is None else chosen

    async def on_event(self, event: Event) -> None:
        """Handle an event. A terminal that has another size, or had it for a moment, may show anything."""
        if isinstance(event, Resize):
            self.drawn_cells.resize(*event.size)
            self.refresh()
        await super().on_event(event)

    def action_redraw(self) -> None:
        """Send the whole screen, as after something else has written to the terminal."""
        self.drawn_cells.forget()
        self.refresh()
