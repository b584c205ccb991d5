"""Which columns of a surveyed file hold texts to read, keys, scores or opaque values."""

import re
from unicodedata import east_asian_width

from reviewer.exchange.rows.column_survey import ColumnSurvey, SurveyedColumn

LONG = 40
"""Characters of a text that people surely read."""
LONGEST_NAME = 60
_WORDS = 20
"""Characters of a text that people read if most texts of its column are several words."""
_WIDTH_IN_ANY_SCRIPT = 8
"""The cells that a text fills where the name of its column says nothing here, as in other scripts."""
_OPAQUE = re.compile(r"(?:[0-9a-f]{4,}-?){4,}|(?=\S*\d)[A-Za-z0-9+/_=-]{20,}", re.IGNORECASE)
"""Hashes, UUIDs and other values that nobody reads."""
KEY = re.compile(r"(^|[_.\s])(id|key|uid|uuid|index|idx|number|no|row)$", re.IGNORECASE)
GENERATOR = re.compile(r"(^|[_.])(generator|model|model_name|response_model|llm)$", re.IGNORECASE)
SCORE = re.compile(r"(score|rating|grade|quality|helpful)", re.IGNORECASE)
SHOWN = re.compile(
    r"(question|prompt|instruction|input|context|choices|options|answer|target|reference|gold|solution|"
    r"response|output|completion|code|rationale|explanation|script|dialogue|messages|conversation|statement)",
    re.IGNORECASE,
)
_CONTENT = re.compile(
    r"(^|[_.\s])(questions?|prompt|instructions?|inputs?|text|query|problem|sentence|statement|claim|stem|"
    r"premise|hypothesis|passage|context|task_description|answers?|response|output|completion|solution|code)$",
    re.IGNORECASE,
)
"""Names of columns that hold something to read."""
_LABELS = re.compile(
    r"(^|[_.\s])(labels?|tags?|cats|categories|classes|annotations?|topics?)$", re.IGNORECASE
)
"""Names of lists of labels, which are answers and nothing to read."""


def is_named_as_content(column: SurveyedColumn) -> bool:
    """Whether a column has something to read, by its name."""
    return column.kind == "text" and _CONTENT.search(column.name) is not None and not is_opaque(column)


def is_content(column: SurveyedColumn) -> bool:
    """Whether a column has something to read, by its name or since most of its values are several words."""
    if KEY.search(column.name):
        return False
    return _CONTENT.search(column.name) is not None or 2 * column.blanks > column.present


def is_read(survey: ColumnSurvey, column: SurveyedColumn) -> bool:
    """Whether a column has texts to read, by their length: the name of the column may be in any script."""
    if column.kind != "text" or is_opaque(column):
        return False
    differ = 2 * column.distinct > survey.rows
    is_wide = not column.name.isascii() and _mean_width(column) >= _WIDTH_IN_ANY_SCRIPT
    return column.mean_length > LONG or (differ and (is_wide or _are_several_words(column)))


def _are_several_words(column: SurveyedColumn) -> bool:
    """Whether most values are several words, longer than most names; dates have no letters."""
    have_letters = any(sign.isalpha() for text in column.samples for sign in text)
    return 2 * column.blanks > column.present and column.mean_length > _WORDS and have_letters


def _mean_width(column: SurveyedColumn) -> float:
    """The cells that a value fills on average: letters of some scripts fill two, and say as much."""
    signs = "".join(column.samples)
    wide = sum(east_asian_width(sign) in ("W", "F") for sign in signs)
    return column.mean_length * (1 + wide / len(signs)) if signs else 0.0


def may_be_compared(column: SurveyedColumn) -> bool:
    """Whether a column holds texts, and neither hashes nor a few short values over and over."""
    few = column.present > 2 * column.distinct and column.longest <= LONGEST_NAME and not column.blanks
    return column.kind == "text" and not is_opaque(column) and not few


def has_labels(column: SurveyedColumn) -> bool:
    """Whether a column has lists of labels."""
    return column.kind == "list" and _LABELS.search(column.name) is not None and not column.sentences


def is_opaque(column: SurveyedColumn) -> bool:
    """Whether its values are hashes or the like."""
    return bool(column.samples) and all(map(_OPAQUE.fullmatch, column.samples))
