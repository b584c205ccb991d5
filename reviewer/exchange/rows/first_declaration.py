"""A first declaration of a protocol for a file of rows: suggestions from its columns, and the TOML text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import tomlkit

from reviewer.exchange.rows.column_survey import ColumnSurvey, SurveyedColumn
from reviewer.protocols.declared.mapping import columns_in

_LONG = 40
_MOST_GROUPS = 40
_LONGEST_NAME = 60
_MOST_STEPS = 11
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
_GENERATOR = re.compile(r"(^|[_.])(generator|model|model_name|response_model|llm)$", re.IGNORECASE)
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
_CODE = re.compile(
    r"(^|[_.])(code|program|solution|tests?|patch|snippet|output|completion|response)$", re.IGNORECASE
)
_LOOKS_LIKE_CODE = re.compile(
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
_SAME_TEXT = re.compile(r"(control|treatment|original|edited|before|after)", re.IGNORECASE)


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
    names = [column.name for column in able if not _GENERATOR.search(column.name)]
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
            and not _GENERATOR.search(column.name)
            and not _SCORE.search(column.name)
            and not _is_opaque(column)
        )
    ]
    if not able and not compare:
        able = [column.name for column in columns if column.kind == "text"][:1]
    return tuple(able)


def suggested_question(survey: ColumnSurvey, compare: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """What to ask, and with which labels."""
    if compare:
        if _SAME_TEXT.search(compare[0]):
            return "Do the two texts differ only in what they are meant to differ in?", ("True", "False")
        return "Which of the two is better?", ("first", "second", "tie")
    if steps := _steps(survey):
        return "How good is this case?", steps
    return "Is this case correct as it stands?", ("True", "False")


def _score(survey: ColumnSurvey) -> SurveyedColumn | None:
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


def _steps(survey: ColumnSurvey) -> tuple[str, ...]:
    """The labels of a scale: from the least score in the file, or 1 if that is greater, to the greatest."""
    score = _score(survey)
    numbers = _whole(score) if score else []
    if len(numbers) < 2 or numbers[-1] - min(numbers[0], 1) >= _MOST_STEPS:
        return ()
    return tuple(map(str, range(min(numbers[0], 1), numbers[-1] + 1)))


# -- the text --------------------------------------------------------------------------------------


def first_declaration(survey: ColumnSurvey, answers: FirstAnswers, source: str) -> str:
    """The TOML text. Each column in the answers is one of the file, and each shown one has one type."""
    return "\n".join(_DeclarationText(survey, answers, source).lines()) + "\n"


class _DeclarationText:
    """The tables of a first declaration, one after the other."""

    def __init__(self, survey: ColumnSurvey, answers: FirstAnswers, source: str) -> None:
        self._survey, self._answers, self._source = survey, answers, source
        shown = dict.fromkeys((*answers.show, *answers.compare))
        self._fields = _field_names(shown)
        score = _score(survey)
        generator = next(
            (name for name, column in survey.columns.items() if self._names_generators(column)), ""
        )
        self._generator = "" if generator in shown or generator == answers.group else generator
        self._score = score if score and score.name not in shown and self._is_ordinal else None

    @property
    def _is_ordinal(self) -> bool:
        return len(self._answers.labels) > 2 and self._answers.labels == _steps(self._survey)

    def _names_generators(self, column: SurveyedColumn) -> bool:
        names = column.values is not None and column.kind == "text" and column.longest <= 80
        return names and self._survey.is_everywhere(column) and _GENERATOR.search(column.name) is not None

    def lines(self) -> Iterator[str]:
        """All lines of the file."""
        answers = self._answers
        yield f"# A first declaration for {_on_one_line(self._source)}, with {self._survey.rows:,} rows."
        yield "# Change what does not fit, and run `reviewer protocol check` on it."
        yield from (
            "[protocol]",
            f"name = {_text(answers.name)}",
            "version = 1",
            f"title = {_text(answers.name)}",
        )
        yield from ("", "[fields]", *self._field_lines())
        yield from ("", "[source]", *self._source_lines())
        yield from self._published_lines()
        yield from self._pane_lines()
        yield from self._question_lines()

    def _field_lines(self) -> Iterator[str]:
        for column, field in self._fields.items():
            surveyed = self._survey.columns[column]
            keys = [f"column = {_text(column)}"]
            keys += [f'type = "{surveyed.kind}"'] if surveyed.kind != "text" else []
            keys += [] if self._survey.is_everywhere(surveyed) else ["optional = true"]
            yield f"{field} = {_text(column)}" if len(keys) == 1 else f"{field} = {{ {', '.join(keys)} }}"

    def _source_lines(self) -> Iterator[str]:
        answers = self._answers
        yield f"key = {_text(answers.key)}" if answers.key else '# key = "{COLUMN}"  # rows are numbered'
        if answers.group:
            yield f"group = {_text(answers.group)}"
        if self._generator:
            yield f"generator = {_text(self._generator)}"
        else:
            yield '# generator = { constant = "MODEL" }  # who wrote the cases'
        kept = ", ".join(_on_one_line(column.name) for column in self._others())
        yield 'others = "keep"' + (f"  # {kept}" if kept else "")

    def _published_lines(self) -> Iterator[str]:
        if self._score is None:
            yield ""
            yield "# A value that came with the case, which raters see after they answered:"
            yield from self._published_example()
            return
        yield from ("", "[published.published_score]", f"column = {_text(self._score.name)}")
        yield 'title = "published score"'
        yield 'opinion_on = "verdict"  # raters see it after they answered'

    def _published_example(self) -> Iterator[str]:
        """A comment that shows how a value is published; with a value for each side, as an opinion."""
        two = [column for column in self._others() if column.values is not None and len(column.values) == 2]
        if not (self._answers.compare and two):
            yield from ("# [published.NAME]", '# column = "COLUMN"')
            return
        yield from ("# [published.preferred]", f"# column = {_text(two[0].name)}", '# opinion_on = "verdict"')
        stands_for = zip(sorted(two[0].values or ()), self._answers.labels, strict=False)
        pairs = ", ".join(f"{_text(value)} = {_text(label)}" for value, label in stands_for)
        yield f"# labels = {{ {pairs} }}"

    def _others(self) -> list[SurveyedColumn]:
        answers = self._answers
        named = {*self._fields, *columns_in(answers.key), answers.group, self._generator}
        return [column for name, column in self._survey.columns.items() if name not in named]

    def _pane_lines(self) -> Iterator[str]:
        answers = self._answers
        for column in answers.show:
            kind = self._pane_kind(self._survey.columns[column])
            yield from ("", f"[pane.{self._pane_of(column)}]")
            yield from ([f'kind = "{kind}"'] if kind != "text" else ())
            yield f'fields = "{self._fields[column]}"'
            if kind == "code":
                yield 'language = "python"' if self._looks_like_python(column) else '# language = "python"'
        if answers.compare:
            first, second = (self._fields[column] for column in answers.compare)
            yield from ("", "[pane.pair]", 'kind = "pair"', f'fields = ["{first}", "{second}"]')
            if not _SAME_TEXT.search(answers.compare[0]):
                yield "compared = false  # true marks every difference of the two texts"

    def _pane_of(self, column: str) -> str:
        field = self._fields[column]
        return f"{field}_text" if field in ("pair", "published", "findings") else field

    def _looks_like_python(self, column: str) -> bool:
        return any(
            re.search(r"^\s*(def |import |from )", text, re.MULTILINE)
            for text in self._survey.columns[column].samples
        )

    def _pane_kind(self, column: SurveyedColumn) -> str:
        if column.kind == "dialogue":
            return "dialogue"
        # Texts of other kinds than code have such names too, so each sample has to look like code.
        looks = all(map(_LOOKS_LIKE_CODE.search, column.samples))
        return "code" if column.kind == "text" and looks and _CODE.search(column.name) else "text"

    def _question_lines(self) -> Iterator[str]:
        answers = self._answers
        yield from (
            "",
            "[question.verdict]",
            f"prompt = {_text(answers.ask.replace('{', '(').replace('}', ')'))}",
        )
        yield '# guideline = "How raters are to decide, with the hard cases."'
        yield f"labels = [{', '.join(map(_text, answers.labels))}]"
        if self._is_ordinal:
            yield 'scale = "ordinal"'
        if "True" in answers.labels:
            yield 'passing = "True"'
        panes = [self._pane_of(column) for column in answers.show] + (["pair"] if answers.compare else [])
        yield f"shows = [{', '.join(map(_text, panes))}]"
        if len(answers.compare) == 2 and answers.labels[:2] == ("first", "second"):
            yield 'mirrored = ["first", "second"]  # so that either side may stand on the left'
            yield 'titles = ["first", "second"]'


def _field_names(columns: Iterable[str]) -> dict[str, str]:
    """Column → name of its field: letters, digits and _, each once."""
    names: dict[str, str] = {}
    taken = {"group", "definition", "published_score"}
    for column in columns:
        bare = re.sub(r"[^A-Za-z0-9]+", "_", column).strip("_")[:50] or "field"
        name = bare if bare[0].isalpha() else f"field_{bare}"
        number = 2
        unique = name
        while unique.casefold() in taken:
            unique, number = f"{name}_{number}", number + 1
        taken.add(unique.casefold())
        names[column] = unique
    return names


def _text(text: str) -> str:
    return str(tomlkit.string(text).as_string())


def _on_one_line(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]+", " ", text)[:40]
