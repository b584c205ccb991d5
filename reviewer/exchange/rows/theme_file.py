"""The file of themes: a CSV with a name and a meaning a line, and the words by which a theme is counted."""

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from reviewer.core.errors import InputError
from reviewer.core.names import lookalike_form
from reviewer.core.sanitize import (
    counted,
    is_blank,
    one_line,
    shown,
    strange_character,
    text_fault,
    visible,
)
from reviewer.exchange.rows.source_file import shown_path
from reviewer.exchange.rows.study_inputs import Tell, folded_rows
from reviewer.study.design.themes import MOST_THEMES, Theme

_COLUMNS: Final = ("name", "meaning", "words")
_RESERVED: Final = "other"
_LONGEST_NAME: Final = 200
_MOST_WORDS: Final = 1000
_LONGEST_WORD: Final = 200


def read_themes(path: Path, tell: Tell) -> tuple[Theme, ...]:
    """The themes of a file in its order; raises InputError, naming file and line.

    Words are separated by semicolons; the column may be missing.
    """
    rows = folded_rows(path, _COLUMNS[:2], tell, _COLUMNS)
    where = f"file {shown_path(path)}"
    if not rows:
        raise InputError(where, "holds no theme", "give one line for each theme: name,meaning")
    if len(rows) > MOST_THEMES:
        raise InputError(where, f"has {counted(len(rows), 'theme')}", f"give at most {MOST_THEMES}")
    themes = [_theme(place, row) for place, row in rows]
    _check_different([place for place, _ in rows], themes)
    return tuple(themes)


def _theme(where: str, row: dict[str, str]) -> Theme:
    for column, cell in row.items():
        if strange := strange_character(cell):
            raise InputError(where, f"{column} holds {strange}", "take it out")
    name = row["name"]
    if is_blank(name):
        raise InputError(where, "has no name", "name the theme, or leave the line out")
    if visible(name) != name or len(name.splitlines()) > 1 or len(name) > _LONGEST_NAME:
        wrong = f"is longer than {_LONGEST_NAME} characters, or is no line that can be seen"
        raise InputError(
            where, f"name {one_line(name, 40)!r} {wrong}", "correct it, since raters answer with it"
        )
    if fault := text_fault(row["meaning"]):
        raise InputError(where, f"meaning {fault[0]}", fault[1])
    words = dict.fromkeys(word.strip() for word in row.get("words", "").split(";") if word.strip())
    _check_words(where, tuple(words))
    return Theme(name, row["meaning"], tuple(words))


def _check_words(where: str, words: Sequence[str]) -> None:
    """Words are printed under the counts, and the beginning of nothing would be found in every text."""
    if len(words) > _MOST_WORDS:
        raise InputError(where, f"has {counted(len(words), 'word')}", f"give at most {_MOST_WORDS:,}")
    for word in words:
        if is_blank(word.removesuffix("*")):
            raise InputError(where, f"words holds {shown(word)!r}, which is no word", "take it out")
        if len(word) > _LONGEST_WORD:
            raise InputError(
                where,
                f"words holds {shown(word)!r} of {len(word):,} characters",
                f"give words of at most {_LONGEST_WORD}, separated by semicolons",
            )


def _check_different(places: Sequence[str], themes: Sequence[Theme]) -> None:
    seen = {_folded(_RESERVED): "the label for all others"}
    for where, theme in zip(places, themes, strict=True):
        if (before := seen.get(_folded(theme.name))) is not None:
            raise InputError(where, f"names the theme {shown(theme.name)!r} again, as {before}", "rename one")
        seen[_folded(theme.name)] = where


def _folded(name: str) -> str:
    """A form that names share if raters could take one for the other."""
    return lookalike_form("".join(c for c in name if not (c.isspace() or unicodedata.category(c) == "Cf")))
