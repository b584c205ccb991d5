"""What a first declaration of a protocol for a file of rows is made of: suggestions from its columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from reviewer.core.errors import InputError
from reviewer.core.sanitize import agreeing, counted, enumerated, shown
from reviewer.exchange.rows.column_survey import (
    GENERATOR,
    KEY,
    LONGEST_NAME,
    SCORE,
    SHOWN,
    ColumnSurvey,
    SurveyedColumn,
    has_labels,
    is_content,
    is_named_as_content,
    is_opaque,
    is_read,
    may_be_compared,
)
from reviewer.exchange.rows.file_layout import NO_LAYOUT, FileLayout
from reviewer.protocols.declared.mapping import columns_in, value_at
from reviewer.protocols.formats import SourceRows

_MOST_GROUPS = 40
MOST_STEPS = 11
"""The most labels of a scale."""
_GROUPS = (
    *("domain", "category", "categories", "group", "topic", "subject", "discipline", "subset", "genre"),
    *("difficulty", "level", "task", "type", "kind", "source", "language", "name"),
)
"""Words in names of columns that hold groups, the likeliest first."""
_NO_GROUP = re.compile(
    r"(answer|label|correct|gold|right|winner|prefer|better|verdict|decision|choice|output|response|"
    r"annotator|rater|pass|fail)",
    re.IGNORECASE,
)
"""Names of columns with few values that say something of a case and name no group of cases."""
_ANSWERS = {"true", "false", "yes", "no", "y", "n"}
"""Values of columns with answers, which name no groups either; nor do single letters."""
_LONGEST_GROUP = 60
_SIDES_OF_PAIR = 2
CODE = re.compile(
    r"(^|[_.])(code|program|solution|tests?|patch|snippet|output|completion|response)$", re.IGNORECASE
)
LOOKS_LIKE_CODE = re.compile(
    r"^\s*(def |class \w+[(:]|assert |import \w+$|from \w+ import |#include|function |public |[^\n]*[{]$)|"
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
    columns, three to nine that are ranked, or none. ``layout`` covers the columns that raters see.
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
    layout: FileLayout = NO_LAYOUT

    @property
    def is_ranked(self) -> bool:
        """Whether raters rank the columns that are compared."""
        return len(self.compare) > _SIDES_OF_PAIR


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
        and column.longest <= LONGEST_NAME
        and column.kind in ("text", "number")
        and not column.lines
        and not is_content(column)
        and not (column.kind == "number" and any("." in text or "," in text for text in column.samples))
    ]
    named = sorted(unique, key=lambda column: not KEY.search(column.name))
    return "{" + named[0].name + "}" if named else ""


def repeated_key(rows: SourceRows, key: str) -> str | None:
    """The fault of a template whose key two rows have; None if each row has its own."""
    if not key:
        return None
    firsts: dict[tuple[str, ...], str] = {}
    for row in rows.read():
        if not isinstance(row.content, InputError):
            values = tuple(str(value_at(row.content, column)).strip() for column in columns_in(key))
            if first := firsts.get(values):
                said = shown(", ".join(values))
                return f"{row.where} and {first} have the same key {said!r}"
            firsts[values] = row.where
    return None


def suggested_group(survey: ColumnSurvey, key: str, layout: FileLayout = NO_LAYOUT) -> str:
    """A column with few, short values that every row has; "" if there is none.

    Those with usual names come first; in other scripts and languages, the values decide.
    """
    taken = {
        *columns_in(key),
        *layout.outputs,
        *layout.beside,
        layout.options.right if layout.options else "",
    }
    able = [column for column in survey.columns.values() if _has_few_names(survey, column)]
    names = [column.name for column in able if column.name not in taken and not GENERATOR.search(column.name)]
    usual = (name for word in _GROUPS for name in names if word in name.casefold())
    by_values = (name for name in names if _may_name_groups(survey.columns[name]))
    return next(chain(usual, by_values), "")


def _may_name_groups(column: SurveyedColumn) -> bool:
    values = {value.strip().casefold() for value in column.values or ()}
    says_answers = values <= _ANSWERS or all(len(value) == 1 and value.isascii() for value in values)
    return not (says_answers or _NO_GROUP.search(column.name) or SCORE.search(column.name))


def _has_few_names(survey: ColumnSurvey, column: SurveyedColumn) -> bool:
    few = column.values is not None and 2 <= len(column.values) <= min(_MOST_GROUPS, survey.rows // 2 or 2)
    short = column.kind == "text" and not column.lines and column.longest <= _LONGEST_GROUP
    return few and short and survey.is_everywhere(column)


def suggested_pair(survey: ColumnSurvey, layout: FileLayout = NO_LAYOUT) -> tuple[str, ...]:
    """The columns of outputs, or two of texts whose names differ as the sides of a pair do; or none."""
    if layout.outputs or layout.options or layout.spans:
        return layout.outputs
    texts = [column.name for column in survey.columns.values() if may_be_compared(column)]
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


def suggested_show(
    survey: ColumnSurvey, key: str, group: str, compare: Sequence[str], layout: FileLayout = NO_LAYOUT
) -> tuple[str, ...]:
    """The columns with long texts, lists and dialogues, and short ones whose names say that they matter."""
    of_key = {name for name in columns_in(key) if name in survey.columns}
    options = layout.options
    taken = {*(name for name in of_key if not is_content(survey.columns[name])), group, *compare}
    taken |= {*layout.beside, *((options.right, options.names) if options else ())}
    taken |= {layout.spans.spans} if layout.spans else set()
    columns = [column for column in survey.columns.values() if column.name not in taken and column.kind]
    able = [
        column.name
        for column in columns
        if column.kind == "dialogue"
        or (column.kind == "list" and not has_labels(column))
        or is_read(survey, column)
        or is_named_as_content(column)
        or column.name in of_key
        or (options is not None and column.name in options.columns)
        or (layout.spans is not None and column.name == layout.spans.text)
        or (
            SHOWN.search(column.name)
            and not GENERATOR.search(column.name)
            and not SCORE.search(column.name)
            and not is_opaque(column)
            and not has_labels(column)
        )
    ]
    if not able and not compare:
        able = [column.name for column in columns if column.kind == "text"][:1]
    return tuple(able)


_USUAL_QUESTION = "Is this case correct as it stands?"
"""The question to raters if nothing in the file suggests one."""


def suggested_question(
    compare: Sequence[str], ends: tuple[int, int] | None, layout: FileLayout = NO_LAYOUT
) -> tuple[str, tuple[str, ...]]:
    """What to ask, and with which labels; none where the compared columns name them."""
    if len(compare) > _SIDES_OF_PAIR:
        return "Rank the texts, the best first.", ()
    if compare:
        if SAME_TEXT.search(compare[0]):
            return "Do the two texts differ only in what they are meant to differ in?", ("True", "False")
        return "Which of the two is better?", ("first", "second", "tie")
    if layout.spans is not None:
        return "Mark each part of the text that has one of these labels.", layout.spans.labels
    if layout.options is not None:
        return "Which option is right?", layout.options.letters
    if ends is not None:
        return "How good is this case?", steps_of(ends)
    return _USUAL_QUESTION, ("True", "False")


def poor_guesses(survey: ColumnSurvey, answers: FirstAnswers) -> list[str]:
    """What of a declaration is a poor guess, as sentences without their full stops."""
    guesses = []
    if not answers.key:
        guesses.append("no column tells all rows apart, so cases are named by the numbers of their rows")
        guesses += [
            f"several rows have the same {shown(column.name)!r}, and each of them is a case of its own; "
            "see item and variant in [source] if they belong together"
            for column in survey.columns.values()
            if KEY.search(column.name) and survey.is_everywhere(column)
        ][:1]
    if answers.group and not any(word in answers.group.casefold() for word in _GROUPS):
        guesses.append(f"{shown(answers.group)!r} is taken for the group, since it has few values")
    read = [survey.columns[name] for name in answers.show]
    is_told = answers.compare or answers.layout.spans or answers.layout.options
    if not is_told and not any(is_read(survey, column) for column in read):
        guesses.append("no column has long texts, so raters may be shown the wrong columns")
    if answers.ask == _USUAL_QUESTION:
        guesses.append("nothing in the file says what raters are to decide; write your own question")
    return guesses + _poor_parts(answers)


def _poor_parts(answers: FirstAnswers) -> list[str]:
    """What of the layout is a poor guess."""
    guesses, layout = [], answers.layout
    if layout.options is not None and layout.options.unsure:
        guesses.append(f"{layout.options.right!r} may count options from 0 or from 1; see counts_from")
    if layout.lines is not None and layout.lines.lacking:
        lacking = layout.lines.lacking
        lack = f"{counted(lacking, 'item')} {agreeing(lacking, 'lacks', 'lack')}"
        guesses.append(f"{lack} a line of some {shown(layout.lines.variant)!r}")
    if layout.by_words and answers.compare == layout.outputs:
        named = enumerated([shown(name) for name in layout.outputs])
        guesses.append(f"{named} are taken for outputs of one case, since their names have a common part")
    if layout.entries:
        guesses.append(
            f"raters are asked about each entry of {shown(layout.entries)!r}, which may be too much"
        )
    return guesses


def score_column(survey: ColumnSurvey) -> SurveyedColumn | None:
    """A column with a few whole numbers whose name is that of a score."""
    return next(
        (column for column in survey.columns.values() if SCORE.search(column.name) and _whole(column)), None
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
