"""What a first declaration of a protocol for a file of rows is made of: suggestions from its columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.exchange.rows.column_survey import ColumnSurvey, SurveyedColumn
from reviewer.exchange.rows.option_columns import OptionColumns
from reviewer.protocols.declared.mapping import columns_in

_LONG = 40
_MOST_GROUPS = 40
_LONGEST_NAME = 60
MOST_STEPS = 11
"""The most labels of a scale."""
_LONG_IN_ANY_SCRIPT = 8
"""What counts as a text where the name of its column says nothing here, as in other scripts."""
_OPAQUE = re.compile(r"(?:[0-9a-f]{4,}-?){4,}|(?=\S*\d)[A-Za-z0-9+/_=-]{20,}", re.IGNORECASE)
"""Hashes, UUIDs and other values that nobody reads."""
_KEY = re.compile(r"(^|[_.\s])(id|key|uid|uuid|index|idx|number|no|row)$", re.IGNORECASE)
_GROUPS = (
    *("domain", "category", "categories", "group", "topic", "subject", "discipline"),
    *("difficulty", "level", "task", "type", "kind", "source", "language", "name"),
)
"""Words in names of columns that hold groups, the likeliest first."""
GENERATOR = re.compile(r"(^|[_.])(generator|model|model_name|response_model|llm)$", re.IGNORECASE)
_SCORE = re.compile(r"(score|rating|grade|quality|helpful)", re.IGNORECASE)
_SHOWN = re.compile(
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
CODE = re.compile(
    r"(^|[_.])(code|program|solution|tests?|patch|snippet|output|completion|response)$", re.IGNORECASE
)
LOOKS_LIKE_CODE = re.compile(
    r"^\s*(def |class \w+[(:]|import \w+$|from \w+ import |#include|function |public |[^\n]*[{]$)|"
    r"^[ \t]+return\b",
    re.MULTILINE,
)
_SIDES = (
    (r"(?:^|(?<=[_.\s]))[aA]$|(?<=[a-z])A$", "b"),
    (r"1$", "2"),
    (r"chosen", "rejected"),
    (r"control", "treatment"),
    (r"original", "edited"),
    (r"first", "second"),
    (r"left", "right"),
    (r"before", "after"),
)
SAME_TEXT = re.compile(r"(control|treatment|original|edited|before|after)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FirstAnswers:
    """The answers to the six questions, and the name of the protocol.

    ``key`` is a template, "" for the number of the row; ``group`` is "" for no groups; ``compare`` are two
    columns or none.
    """

    name: str
    key: str
    group: str
    show: tuple[str, ...]
    compare: tuple[str, ...]
    ask: str
    labels: tuple[str, ...]
    ends: tuple[int, int] | None = None
    """The ends of the scale of scores, if there are scores."""
    options: OptionColumns | None = None
    """The options among which raters choose, if they look at them."""


def protocol_name_of(stem: str) -> str:
    """A name for a protocol, from the name of a file."""
    name = re.sub(r"[^a-z0-9]+", "-", stem.casefold()).strip("-")[:40].strip("-")
    return name or "benchmark"


# -- suggestions -----------------------------------------------------------------------------------


def suggested_key(survey: ColumnSurvey) -> str:
    """A column that tells rows apart, one with the name of a key first; "" if none does.

    A column with a text to read is not a key, however short and distinct its texts are.
    """
    unique = [
        column
        for column in survey.columns.values()
        if survey.is_unique(column)
        and column.longest <= _LONGEST_NAME
        and column.kind in ("text", "number")
        and not column.lines
        and not _is_content(column)
    ]
    named = sorted(unique, key=lambda column: not _KEY.search(column.name))
    return "{" + named[0].name + "}" if named else ""


def _is_content(column: SurveyedColumn) -> bool:
    """Whether a column has something to read, by its name or since most of its values are several words."""
    if _KEY.search(column.name):
        return False
    return _CONTENT.search(column.name) is not None or 2 * column.blanks > column.present


def suggested_group(survey: ColumnSurvey, key: str) -> str:
    """A column with few, short values that every row has; "" if there is none."""
    able = [
        column
        for column in survey.columns.values()
        if _has_few_names(survey, column) and column.name not in columns_in(key)
    ]
    names = [column.name for column in able if not GENERATOR.search(column.name)]
    return next((name for word in _GROUPS for name in names if word in name.casefold()), "")


def _has_few_names(survey: ColumnSurvey, column: SurveyedColumn) -> bool:
    few = column.values is not None and 2 <= len(column.values) <= min(_MOST_GROUPS, survey.rows // 2 or 2)
    return few and survey.is_everywhere(column) and column.kind == "text" and not column.lines


def suggested_pair(survey: ColumnSurvey) -> tuple[str, ...]:
    """Two columns of texts whose names differ as the sides of a pair do; none if there are none."""
    texts = [column.name for column in survey.columns.values() if _may_be_compared(column)]
    for pattern, other in _SIDES:
        for name in texts:
            match = re.search(pattern, name, re.IGNORECASE if len(other) > 1 else 0)
            if match is None:
                continue
            wanted = f"{name[: match.start()]}{other}{name[match.end() :]}".casefold()
            second = next((text for text in texts if text.casefold() == wanted and text != name), None)
            if second is not None and survey.columns[name].mean_length > 2:
                return name, second
    return ()


def _may_be_compared(column: SurveyedColumn) -> bool:
    """Whether a column holds texts, and neither hashes nor a few short values over and over."""
    few = column.present > 2 * column.distinct and column.longest <= _LONGEST_NAME and not column.blanks
    return column.kind == "text" and not _is_opaque(column) and not few


def _is_opaque(column: SurveyedColumn) -> bool:
    return bool(column.samples) and all(map(_OPAQUE.fullmatch, column.samples))


def _is_read(survey: ColumnSurvey, column: SurveyedColumn) -> bool:
    """Whether a column has texts to read, by their length: the name of the column may be in any script."""
    if column.kind != "text" or _is_opaque(column):
        return False
    differ = 2 * column.distinct > survey.rows and not column.name.isascii()
    return column.mean_length > _LONG or (differ and column.mean_length >= _LONG_IN_ANY_SCRIPT)


def suggested_show(survey: ColumnSurvey, key: str, group: str, compare: Sequence[str]) -> tuple[str, ...]:
    """The columns with long texts, lists and dialogues, and short ones whose names say that they matter."""
    of_key = {name for name in columns_in(key) if name in survey.columns}
    taken = {*(name for name in of_key if not _is_content(survey.columns[name])), group, *compare}
    columns = [column for column in survey.columns.values() if column.name not in taken and column.kind]
    able = [
        column.name
        for column in columns
        if column.kind in ("list", "dialogue")
        or _is_read(survey, column)
        or column.name in of_key
        or (
            _SHOWN.search(column.name)
            and not GENERATOR.search(column.name)
            and not _SCORE.search(column.name)
            and not _is_opaque(column)
        )
    ]
    if not able and not compare:
        able = [column.name for column in columns if column.kind == "text"][:1]
    return tuple(able)


_USUAL_QUESTION = "Is this case correct as it stands?"
"""What is asked where nothing in the file says what raters are to decide."""


def suggested_question(
    compare: Sequence[str], ends: tuple[int, int] | None, options: OptionColumns | None = None
) -> tuple[str, tuple[str, ...]]:
    """What to ask, and with which labels."""
    if compare:
        if SAME_TEXT.search(compare[0]):
            return "Do the two texts differ only in what they are meant to differ in?", ("True", "False")
        return "Which of the two is better?", ("first", "second", "tie")
    if options is not None:
        return "Which option is right?", options.letters
    if ends is not None:
        return "How good is this case?", steps_of(ends)
    return _USUAL_QUESTION, ("True", "False")


def poor_guesses(survey: ColumnSurvey, answers: FirstAnswers) -> list[str]:
    """What of a declaration is a poor guess, as sentences without their full stops."""
    guesses = []
    if not answers.key:
        guesses.append("no column tells all rows apart, so cases are named by the numbers of their rows")
    read = [survey.columns[name] for name in answers.show]
    if not answers.compare and not any(column.mean_length > _LONG for column in read):
        guesses.append("no column has long texts, so raters may be shown the wrong columns")
    if answers.ask == _USUAL_QUESTION:
        guesses.append("nothing in the file says what raters are to decide; write your own question")
    if answers.options is not None and answers.options.unsure:
        guesses.append(f"{answers.options.right!r} may count options from 0 or from 1; see counts_from")
    return guesses


def score_column(survey: ColumnSurvey) -> SurveyedColumn | None:
    """A column with a few whole numbers whose name is that of a score."""
    return next(
        (column for column in survey.columns.values() if _SCORE.search(column.name) and _whole(column)), None
    )


def _whole(column: SurveyedColumn) -> list[int]:
    """The whole numbers that a column holds, in order; none if it holds anything else, or many."""
    texts = [] if column.values is None else [re.sub(r"\.0$", "", text) for text in column.values]
    if column.kind != "number" or not all(re.fullmatch(r"-?\d{1,3}", text) for text in texts):
        return []
    return sorted(set(map(int, texts)))


def suggested_ends(survey: ColumnSurvey) -> tuple[int, int] | None:
    """The ends of a scale: the least score in the file, or 1 if that is greater, and the greatest."""
    score = score_column(survey)
    numbers = _whole(score) if score else []
    if len(numbers) < 2 or numbers[-1] - min(numbers[0], 1) >= MOST_STEPS:
        return None
    return min(numbers[0], 1), numbers[-1]


def steps_of(ends: tuple[int, int]) -> tuple[str, ...]:
    """The labels of a scale, from one end to the other."""
    return tuple(map(str, range(ends[0], ends[1] + 1)))
