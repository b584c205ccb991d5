"""What is sent to a terminal: the cells that changed, instead of all that the app has drawn again."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rich.cells import cell_len

from reviewer.tui.ascii_signs import in_ascii
from reviewer.tui.cell_widths import takes_at_most_its_cells
from reviewer.tui.rendering.terminal_style import PLAIN, TerminalStyle, blank_style, pen_change, style_of

ScreenCell = tuple[str, TerminalStyle, int]
"""A character with all that combines with it, its style, and how far it moves the cursor (``_AT_MOST`` or
``_ANY`` where terminals disagree). In the right half of a wide character, the text is empty."""
_AT_MOST, _ANY = 0, -1
"""No further than its cells, as the signs of Indian scripts; or over what follows, as joined emoji."""
ScreenRow = list[ScreenCell | None]
"""None where nothing was drawn, or where it is not known what the terminal shows."""

_TEXT = r"[^\x00-\x1f\x7f-\x9f]+"
_PIECE = re.compile(
    rf"\x1b\[([\d;]+)m((?:{_TEXT})?)\x1b\[0m|({_TEXT})"
    r"|\x1b\[(\d+);(\d+)H|\x1b\]8;([^\x07\x1b]*)\x1b\\|([\s\S])"
)
"""Styled text, plain text, a place, the begin or end of a link; and last, what is none of these."""
_SINGLE = re.compile("[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2190-\u22ff\u2500-\u25fc]*")
_WIDE = re.compile("[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60]")
"""Characters of one cell, and of two, in every terminal. Terminals disagree about others, such as emoji."""
_FRAME = re.compile("[\u2500-\u257f]")
_PIECE_SENT_WHOLE = re.compile("ah?|u(?:[ush]| (?=[us]))*")
"""Of kinds of cells: a for a sign that may take any room, u for letters that may take less room than they are
given, s for sure ones, h for the half of a wide one. A single blank does not end a piece of letters."""
_JOINER = "\u200d"
_NOTHING: ScreenCell = (" ", PLAIN, 1)
_LINES_REMEMBERED, _TEXTS_REMEMBERED = 512, 8192


@dataclass(slots=True)
class _Run:
    """Cells that were drawn side by side."""

    row: int
    column: int
    cells: list[ScreenCell] = field(default_factory=list)
    is_sure: bool = True
    """Whether all of its characters take one cell each in every terminal."""


class _NotCellsError(ValueError):
    """Something was drawn that its sequence does not identify."""


class DrawnCells:
    """The drawing of the app and the contents of the terminal, cell by cell: ``only_ascii``, or all."""

    def __init__(self, *, only_ascii: bool = False) -> None:
        self.only_ascii = only_ascii
        self._width = self._height = 0
        self._drawn: list[ScreenRow] = []
        self._shown: list[ScreenRow] = []
        self._unsure_rows: set[int] = set()
        """The rows that may have unsure pieces: looking for them in every row takes a third of the time."""
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
        """The text to send for a drawn frame: the frame itself if its cells are not known."""
        if self.only_ascii:
            frame = in_ascii(frame)
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
        if not run.is_sure:
            self._unsure_rows.add(run.row)
        row, end = self._drawn[run.row], run.column + len(run.cells)
        _split(row, run.column)
        _split(row, end)
        row[run.column : end] = run.cells
        _cut(row, self._width)

    def _sent(self) -> Iterator[str]:
        pen = PLAIN
        pieces: list[_Piece] = []
        for number, (row, shown) in enumerate(zip(self._drawn, self._shown, strict=True)):
            if row != shown:
                unsure, covering = self._unsure_pieces(number)
                columns = _to_send(row, shown, unsure, covering)
                if unsure or covering:
                    sent, pen = _in_order(number, row, columns, unsure, pen)
                    yield sent
                else:
                    pieces += _pieces(number, row, columns)
                self._shown[number] = row.copy()
        sent, pen = _by_style(pieces, self._drawn, pen)
        yield sent + pen_change(pen, PLAIN, blank=False)[0]

    def _unsure_pieces(self, number: int) -> tuple[Mapping[int, int], Sequence[tuple[int, int]]]:
        """Where unsure pieces of a row begin and end, and those of what the terminal shows there."""
        if number not in self._unsure_rows:
            return {}, ()
        unsure, covering = dict(_unsure_pieces(self._drawn[number])), [*_unsure_pieces(self._shown[number])]
        if not (unsure or covering):
            self._unsure_rows.remove(number)
        return unsure, covering


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
            runs.append(_Run(int(row) - 1, int(column) - 1))
        elif other or not runs:
            raise _NotCellsError
        elif beginning:
            link = "" if beginning == ";" else beginning
        else:
            cells, is_sure = _cells(styled or plain, codes, link)
            runs[-1].cells.extend(cells)
            runs[-1].is_sure &= is_sure
    if link:
        raise _NotCellsError
    return tuple(runs)


@lru_cache(_TEXTS_REMEMBERED)
def _cells(text: str, codes: str, link: str) -> tuple[tuple[ScreenCell, ...], bool]:
    """The cells of a text, and whether each of its characters takes one cell in every terminal.

    They are the same ones for the same text, so that comparing them is quick.
    """
    style = style_of(codes, link)
    if style is None:
        raise _NotCellsError
    blank = (" ", blank_style(style), 1)
    if _SINGLE.fullmatch(text):
        return tuple([blank if char == " " else (char, style, 1) for char in text]), True
    cells: list[ScreenCell] = []
    for cluster in _clusters(text):
        if width := cell_len(cluster):
            right_half = [("", style, 0)] * (width - 1)
            cells += [blank if cluster == " " else (cluster, style, _step(cluster)), *right_half]
    return tuple(cells), False


def _step(cluster: str) -> int:
    if _SINGLE.fullmatch(cluster):
        return 1
    if _WIDE.fullmatch(cluster):
        return 2
    return _AT_MOST if takes_at_most_its_cells(cluster) else _ANY


def _clusters(text: str) -> list[str]:
    """Characters, each with the combining ones after it."""
    clusters: list[str] = []
    for char in text:
        if clusters and (not cell_len(char) or clusters[-1].endswith(_JOINER)):
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters


@dataclass(slots=True)
class _Piece:
    """Cells side by side that one pen draws; ``blank`` if there is nothing on them."""

    row: int
    column: int
    texts: list[str]
    end: int
    style: TerminalStyle
    blank: bool


def _pieces(number: int, row: ScreenRow, columns: Iterable[int]) -> list[_Piece]:
    """The cells of these columns of a row, in pieces that are as long as they can be."""
    pieces: list[_Piece] = []
    last = _Piece(number, 0, [], -1, PLAIN, blank=True)
    for column in columns:
        text, style, step = row[column] or _NOTHING
        blank = text == " "
        shared = None
        if column == last.end:
            # The same style is one object: most cells need not be looked up.
            is_same = style is last.style
            shared = style if is_same else _shared_style(last.style, style, last.blank, blank)
        if shared is None:
            last = _Piece(number, column, [text], column + step, style, blank)
            pieces.append(last)
        else:
            last.texts.append(text)
            last.end, last.style, last.blank = column + step, shared, last.blank and blank
    return pieces


@lru_cache(maxsize=4096)
def _shared_style(before: TerminalStyle, style: TerminalStyle, *blanks: bool) -> TerminalStyle | None:
    """The style that draws both of two pieces, as a blank does not show all of its own; None if none does."""
    shared = style if blanks[0] else before
    drawn = zip((before, style), blanks, strict=True)
    return None if any(pen_change(shared, one, blank=blank)[0] for one, blank in drawn) else shared


def _by_style(
    pieces: Iterable[_Piece], drawn: Sequence[ScreenRow], pen: TerminalStyle
) -> tuple[str, TerminalStyle]:
    """Send the pieces of one style, then of the next: moving the cursor is shorter than changing colours."""
    sent: list[str] = []
    for style, alike in _alike(pieces):
        codes, pen = pen_change(pen, style, blank=all(piece.blank for piece in alike))
        sent.append(codes)
        row, cursor = -1, None
        for piece in alike:
            if row != piece.row or cursor != piece.column:
                cursor = cursor if row == piece.row else None
                sent.append(_move(piece.row, cursor, piece.column, drawn[piece.row], pen))
            sent += piece.texts
            row, cursor = piece.row, piece.end
    return "".join(sent), pen


def _alike(pieces: Iterable[_Piece]) -> Iterator[tuple[TerminalStyle, list[_Piece]]]:
    """The pieces of each style; a blank is sent with the first text whose pen draws it."""
    texts: dict[TerminalStyle, list[_Piece]] = {}
    blanks: dict[TerminalStyle, list[_Piece]] = {}
    for piece in pieces:
        (blanks if piece.blank else texts).setdefault(piece.style, []).append(piece)
    for style, alike in texts.items():
        with_blanks = [*alike, *blanks.pop(blank_style(style), ())]
        yield style, sorted(with_blanks, key=lambda piece: (piece.row, piece.column))
    yield from blanks.items()


def _in_order(
    number: int, row: ScreenRow, columns: Iterable[int], unsure: Mapping[int, int], pen: TerminalStyle
) -> tuple[str, TerminalStyle]:
    """Send cells from left to right, so that none is covered by a sign before it."""
    sent: list[str] = []
    cursor: int | None = None
    style_sent: TerminalStyle | None = None
    end_of_piece = 0
    for column in columns:
        text, style, step = row[column] or _NOTHING
        if column >= end_of_piece and cursor != column:
            sent.append(_move(number, cursor, column, row, pen))
        if column in unsure:
            end_of_piece = unsure[column]
        if style is not style_sent:
            codes, pen = pen_change(pen, style, blank=text == " ")
            sent.append(codes)
            style_sent = style if pen == style else None  # before a blank, the pen keeps what does not show
        if column in unsure:
            # Clear what a narrower piece would leave.
            sent.append(f"{' ' * (end_of_piece - column)}{_move(number, None, column, row, pen)}")
        sent.append(text)
        cursor = column + step if column >= end_of_piece else None
    return "".join(sent), pen


def _unsure_pieces(row: ScreenRow) -> Iterator[tuple[int, int]]:
    """Where pieces begin and end that are sent whole, since the cursor's place after their parts is unsure.

    A piece of letters goes on to the next gap or frame: in a terminal that joins letters, it gets narrower as
    a whole. A sign that may cover the next cells is a piece of its own.
    """
    if any(cell and cell[2] in (_AT_MOST, _ANY) and cell[0] for cell in row):
        kinds = "".join(map(_kind, row))
        yield from (piece.span() for piece in _PIECE_SENT_WHOLE.finditer(kinds))


def _kind(cell: ScreenCell | None) -> str:
    """One letter for a cell, as ``_PIECE_SENT_WHOLE`` knows them."""
    if cell is None:
        return "-"
    text, _, step = cell
    if not text:
        return "h"
    if step in (_AT_MOST, _ANY):
        return "u" if step == _AT_MOST else "a"
    return "-" if _FRAME.fullmatch(text) else " " if text == " " else "s"


def _joined_spans(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans without overlaps: where a piece replaces a part of another, the whole of both is sent."""
    begin, end = 0, 0
    for first, last in sorted(spans):
        if first >= end:
            yield begin, end
            begin = first
        end = max(end, last)
    yield begin, end


def _to_send(
    row: ScreenRow, shown: ScreenRow, unsure: Mapping[int, int], covering: Iterable[tuple[int, int]]
) -> list[int]:
    """The columns of cells that differ, that a sign before may cover, or whose piece is sent whole."""
    differ = {column for column, (cell, there) in enumerate(zip(row, shown, strict=True)) if cell != there}
    covered = 0
    for begin, end in _joined_spans([*unsure.items(), *covering]):
        if begin < covered or not differ.isdisjoint(range(begin, end)):
            sign = row[begin] or _NOTHING
            covered = begin + 1 + sum(map(cell_len, sign[0])) if sign[2] == _ANY else end
            differ.update(range(begin, min(max(covered, end), len(row))))
    return [column for column in sorted(differ) if (cell := row[column]) and cell[0]]


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
