"""Files that a person gives to a study: guidelines, a briefing, a list of cases, known answers, and themes.

Guidelines are TOML with a table for each question; a briefing is text. Cases are listed
in a CSV with a column ``key``, or one key a line. Known answers are a CSV with one answer a line, themes one
with a name and a meaning a line, and the words by which a theme is counted.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import ConfigDict, ValidationError

from reviewer.core.errors import InputError
from reviewer.core.names import lookalike_form
from reviewer.core.question import Guideline
from reviewer.core.sanitize import (
    agreeing,
    counted,
    is_blank,
    one_line,
    shown,
    strange_character,
    text_fault,
    visible,
)
from reviewer.core.source_text import MOST_BYTES_OF_SETTINGS, read_toml
from reviewer.exchange.rows.row_files import small_rows
from reviewer.exchange.rows.source_file import read_text, shown_path
from reviewer.protocols.intake import invalid
from reviewer.study.design.known_answers import GivenAnswer, KnownRole
from reviewer.study.design.listed_cases import ListedCase, PickedCases
from reviewer.study.design.study_questions import MOST_THEMES, OwnGuideline, Theme

Tell = Callable[[str], object]
"""Says to a person what was read in a way that they may not expect."""
_SHAPE = "give a table for each question, such as [same_task], with guideline, criteria or examples"
_MOST_BRIEFING = 2000


class _Table(Guideline):
    """The table of one question."""

    model_config = ConfigDict(str_strip_whitespace=True)


def read_guidelines(path: Path) -> tuple[OwnGuideline, ...]:
    """The guidelines of a file; raises InputError, naming file, question and field, if one is not valid."""
    where = f"file {shown_path(path)}"
    tables = read_toml(path, where, "give another with --guideline")
    if not tables:
        raise InputError(where, "holds no guideline", _SHAPE)
    return tuple(
        _guideline(f"{where}, question {shown(name)!r}", name, table) for name, table in tables.items()
    )


def read_briefing(path: Path) -> str:
    """The text of a file; raises InputError, naming the file, if raters cannot be shown it."""
    where = f"file {shown_path(path)}"
    text = read_text(path, where, MOST_BYTES_OF_SETTINGS).strip()
    if strange := strange_character(text):
        raise InputError(where, f"holds {strange}", "take it out")
    if not 0 < len(text) <= _MOST_BRIEFING:
        raise InputError(
            where, f"has {len(text):,} characters", f"write at least one and at most {_MOST_BRIEFING:,}"
        )
    return text


def _guideline(where: str, question: str, table: object) -> OwnGuideline:
    if not isinstance(table, dict):
        raise InputError(where, "is not a table", _SHAPE)
    try:
        read = _Table.model_validate(table)
    except ValidationError as error:
        raise invalid(where, error) from None
    if is_blank(read.guideline_text):
        raise InputError(where, "has a blank guideline", "write what raters are to judge by")
    if fault := text_fault(read.guideline_text):
        raise InputError(where, *fault)
    return OwnGuideline(where, question, read)


_MOST_BYTES = 32 * 1024 * 1024


def read_case_list(path: Path, tell: Tell) -> list[ListedCase]:
    """Every line as a case; raises InputError if the file lists no case or is not a list.

    A CSV has ``key`` and, where keys are of several datasets, ``dataset`` among its columns, as the output of
    ``reviewer cases --format csv`` and an exported ``labels.csv`` have. Rows with a ``role``
    other than counted are left out, because training and gold cases are not part of a sample.
    """
    where = f"file {shown_path(path)}"
    lines = read_text(path, where, _MOST_BYTES).splitlines() or [""]
    names = (name.strip(' "').casefold() for name in re.split(r"[,;\t|]", lines[0]))
    listed = _from_table(path, tell) if "key" in names else _from_lines(lines, where)
    if not listed:
        raise InputError(where, "lists no case", "give one key a line, as `reviewer cases` shows them")
    return listed


def picked_cases(path: Path, tell: Tell) -> PickedCases:
    """The cases that a file picks, with its name; raises InputError as ``read_case_list`` does."""
    return PickedCases(path.name, tuple(read_case_list(path, tell)))


def _from_table(path: Path, tell: Tell) -> list[ListedCase]:
    return [
        ListedCase(where, row.get("dataset") or None, row["key"])
        for where, row in folded_rows(path, ("key",), tell)
        if row["key"] and row.get("role", "") in ("", "counted")
    ]


def _from_lines(lines: Sequence[str], where: str) -> list[ListedCase]:
    return [
        ListedCase(f"{where}, line {number}", None, line.strip())
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]


COLUMNS = ("dataset", "key", "question", "label", "why")
BEGINS = "begins"
"""A further column for people, with the beginning of the case."""
_NEEDED = COLUMNS[:-1]


def read_known_answers(path: Path, role: KnownRole, tell: Tell) -> list[GivenAnswer]:
    """Every line as an answer; raises InputError, naming file and line, for the first that is invalid.

    Lines to be filled in (see ``reviewer study known``) that have neither label nor why are left out.
    """
    rows = folded_rows(path, _NEEDED, tell, (*COLUMNS, BEGINS))
    filled = [row for row in rows if BEGINS not in row[1] or row[1]["label"] or row[1].get("why")]
    if left := len(rows) - len(filled):
        lines = f"{counted(left, 'line')} without a label {agreeing(left, 'is', 'are')} left out"
        tell(f"{shown_path(path)}: {lines}.")
    if answers := [_answer(role, where, {**row, BEGINS: ""}) for where, row in filled]:
        return answers
    raise InputError(f"file {shown_path(path)}", "holds no answers", "give one line for each known answer")


def _answer(role: KnownRole, where: str, said: Mapping[str, str]) -> GivenAnswer:
    for column, cell in said.items():
        if strange := strange_character(cell):
            raise InputError(where, f"{column} holds {strange}", "take it out")
        if not cell and column in _NEEDED:
            raise InputError(where, f"{column} is empty", "fill it in, or leave the line out")
    return GivenAnswer(
        role, where, said["dataset"], said["key"], said["question"], said["label"], said.get("why", "")
    )


def folded_rows(
    path: Path, needed: Sequence[str], tell: Tell, known: Sequence[str] = ()
) -> list[tuple[str, dict[str, str]]]:
    """The rows of a CSV by names of columns in small letters, with their places; raises InputError.

    ``known`` are all columns that it may have; none: it may have any.
    """
    rows = small_rows(path, _MOST_BYTES)
    columns = [name.casefold() for name in rows.columns or ()]
    missing = [column for column in needed if columns.count(column) != 1]
    unknown = [column for column in columns if known and column not in known]
    if missing or unknown:
        wrong = f"has no column {missing[0]!r}" if missing else f"has an unknown column {shown(unknown[0])!r}"
        remedy = f"its first line is to read {','.join(known)} (why may be missing)"
        raise InputError(f"{rows.where}, line 1", wrong, remedy)
    return [
        (where, dict(zip(columns, map(str.strip, row.values()), strict=True)))
        for where, row in rows.having(tell=tell)
    ]


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
        wrong = f"is longer than {_LONGEST_NAME} characters, or is not one visible line"
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
            raise InputError(where, f"words holds {shown(word)!r}, which is not a word", "take it out")
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
