"""What a study brings for its raters to read: guidelines as TOML, and a briefing as text.

The file of guidelines has a table for each question, with decided examples.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reviewer.core.errors import InputError
from reviewer.core.question import DecidedExample, with_examples
from reviewer.core.sanitize import is_blank, shown, strange_character, too_long
from reviewer.core.source_text import read_toml
from reviewer.exchange.rows.source_file import read_text, shown_path
from reviewer.protocols.intake import invalid
from reviewer.study.design.study_questions import OwnGuideline

_SHAPE = "give a table for each question, such as [same_task], with guideline and [[same_task.examples]]"

_MOST_BRIEFING = 2000


class _Table(BaseModel):
    """The table of one question."""

    model_config = ConfigDict(extra="forbid", strict=True, str_strip_whitespace=True)

    guideline: str = Field(min_length=1)
    examples: list[DecidedExample] = []


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
    text = read_text(path, where).strip()
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
    whole = with_examples(read.guideline, read.examples)
    if is_blank(read.guideline):
        raise InputError(where, "has a blank guideline", "write what raters are to judge by")
    if strange := strange_character(whole):
        raise InputError(where, f"holds {strange}", "take it out")
    if long := too_long(whole):
        raise InputError(where, f"has {long}", "shorten it")
    return OwnGuideline(where, question, read.guideline, tuple(read.examples))
