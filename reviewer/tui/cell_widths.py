"""How many cells the letters of a text take where Rich and terminals disagree.

Spacing vowel signs (Devanagari, Bengali, Tamil, Khmer and others) have a cell of their own in the C library's
``wcwidth``, and so in most terminals; Rich counts none for them, and none for a letter behind a joiner. What
follows in the line would be written over them, and the pane would cut the end of the line. Text that is laid
out with room for them is whole in every terminal: one that joins them leaves the room empty behind the text.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from rich import cells
from rich._unicode_data import load

_CellRange = tuple[int, int, int]
"""The first and the last code point, and the cells that each takes. Characters in no range take one."""
_SPACING_MARK = "Mc"
_NOT_WRITTEN_TEXT = ("S", "C", "Z", "Nl", "No")
"""Kinds of characters: symbols, controls, separators, and numbers in circles and the like."""
_JOINER_OF_LETTERS = re.compile("\u200d(?=\\w)")
_NON_JOINER = "\u200c"
_measure, _split = cells._cell_len, cells.split_graphemes


def count_cells_as_terminals_do() -> None:
    """Have Rich, and so Textual, give spacing marks a cell, and letters behind a joiner their own."""
    # Rich has no setting for this. All of its measures ask these three names.
    vars(cells).update(load_cell_table=_table, _cell_len=_cell_len, split_graphemes=_split_graphemes)
    cells.get_character_cell_size.cache_clear()
    cells.cached_cell_len.cache_clear()


def takes_at_most_its_cells(cluster: str) -> bool:
    """Whether a cluster is written text: signs and emoji may take more cells than are counted."""
    joined = cluster.replace("\u200c", "").replace("\u200d", "")
    return not any(unicodedata.category(char).startswith(_NOT_WRITTEN_TEXT) for char in joined)


def _cell_len(text: str, unicode_version: str) -> int:
    return _measure(_JOINER_OF_LETTERS.sub(_NON_JOINER, text), unicode_version)


def _split_graphemes(text: str, unicode_version: str = "auto") -> tuple[list[_CellRange], int]:
    return _split(_JOINER_OF_LETTERS.sub(_NON_JOINER, text), unicode_version)


@cache
def _table(unicode_version: str = "auto") -> cells.CellTable:
    table = load(unicode_version)
    widths = [part for row in table.widths for part in _without_spacing_marks(row)]
    return cells.CellTable(table.unicode_version, widths, table.narrow_to_wide)


def _without_spacing_marks(row: _CellRange) -> Iterator[_CellRange]:
    begin, last, width = row
    if not width:
        for code in range(begin, last + 1):
            if unicodedata.category(chr(code)) == _SPACING_MARK:
                if begin < code:
                    yield begin, code - 1, width
                begin = code + 1
    if begin <= last:
        yield begin, last, width
