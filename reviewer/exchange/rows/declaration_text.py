"""The TOML text of a first declaration, from somebody's answers about a file of rows."""

import re
from collections.abc import Iterable, Iterator, Sequence

import tomlkit

from reviewer.exchange.rows.column_survey import GENERATOR, ColumnSurvey, SurveyedColumn
from reviewer.exchange.rows.first_declaration import (
    CODE,
    LOOKS_LIKE_CODE,
    SAME_TEXT,
    FirstAnswers,
    poor_guesses,
    score_column,
    steps_of,
)
from reviewer.exchange.rows.part_columns import OptionColumns, SpanColumns
from reviewer.protocols.declared.mapping import columns_in
from reviewer.protocols.declared.row_values import LETTERS


def first_declaration(survey: ColumnSurvey, answers: FirstAnswers, source: str) -> str:
    """The TOML text. Each column in the answers is one of the file, and each shown one has one type."""
    return "\n".join(_DeclarationText(survey, answers, source).lines()) + "\n"


class _DeclarationText:
    """The tables of a first declaration, one after the other."""

    def __init__(self, survey: ColumnSurvey, answers: FirstAnswers, source: str) -> None:
        self._survey, self._answers, self._source = survey, answers, source
        self._poor = poor_guesses(survey, answers)
        shown = dict.fromkeys((*answers.show, *answers.compare))
        self._fields = _field_names(shown, survey)
        score = score_column(survey)
        generator = next(
            (name for name, column in survey.columns.items() if self._names_generators(column)), ""
        )
        self._generator = "" if generator in shown or generator == answers.group else generator
        self._score = score if score and score.name not in shown and self._is_ordinal else None

    @property
    def _is_ordinal(self) -> bool:
        ends, labels = self._answers.ends, self._answers.labels
        return ends is not None and len(labels) > 2 and labels == steps_of(ends)

    @property
    def _options(self) -> OptionColumns | None:
        """The options, if the labels are their letters."""
        options = self._answers.layout.options
        return options if options and self._answers.labels == options.letters else None

    @property
    def _apart(self) -> tuple[str, ...]:
        """The columns with an option each."""
        return () if self._options is None or self._options.is_list else self._options.columns

    @property
    def _spans(self) -> SpanColumns | None:
        """The spans, if raters are asked for their labels."""
        spans = self._answers.layout.spans
        return spans if spans and not self._answers.compare and self._answers.labels == spans.labels else None

    def _names_generators(self, column: SurveyedColumn) -> bool:
        names = column.values is not None and column.kind == "text" and column.longest <= 80
        return names and self._survey.is_everywhere(column) and GENERATOR.search(column.name) is not None

    def lines(self) -> Iterator[str]:
        """All lines of the file."""
        answers = self._answers
        yield f"# A first declaration for {_on_one_line(self._source)}, with {self._survey.rows:,} rows."
        yield "# Change what does not fit, and run `reviewer protocol check` on it."
        yield from (f"# A poor guess: {_on_one_line(guess, 200)}." for guess in self._poor)
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
        yield from self._evaluation_lines()

    def _field_lines(self) -> Iterator[str]:
        for column, field in self._fields.items():
            surveyed = self._survey.columns[column]
            keys = [f"column = {_text(column)}"]
            is_part = column in self._answers.compare or column in self._apart
            as_text = surveyed.kind == "text" or (is_part and not self._survey.typed)
            keys += [f'type = "{surveyed.kind}"'] if not as_text else []
            keys += [] if self._survey.is_everywhere(surveyed) or is_part else ["optional = true"]
            title = self._title_of(column)
            keys += [f"title = {_text(title)}"] if title else []
            yield f"{field} = {_text(column)}" if len(keys) == 1 else f"{field} = {{ {', '.join(keys)} }}"

    def _title_of(self, column: str) -> str:
        """What people read in place of the name of a field; "" where that is as good."""
        lines = self._answers.layout.lines
        if column in self._apart:
            return LETTERS[self._apart.index(column)]
        if lines is not None and column in self._answers.layout.outputs:
            return column.partition(".")[2]
        return "" if column.isascii() else column

    def _source_lines(self) -> Iterator[str]:
        answers, lines = self._answers, self._answers.layout.lines
        yield f"key = {_text(answers.key)}" if answers.key else '# key = "{COLUMN}"  # rows are numbered'
        if answers.group:
            yield f"group = {_text(answers.group)}"
        if lines is not None:
            yield f"item = {_text(lines.item)}  # lines with the same value here are one case"
            yield f"variant = {_text(lines.variant)}"
        if self._generator:
            yield f"generator = {_text(self._generator)}"
        else:
            yield '# generator = { constant = "MODEL" }  # who wrote the cases'
        kept = ", ".join(_on_one_line(column.name) for column in self._others())
        yield 'others = "keep"' + (f"  # {kept}" if kept else "")

    def _published_lines(self) -> Iterator[str]:
        if self._options is not None and self._points:
            yield from self._right_lines(self._options)
            return
        if self._spans is not None:
            yield from ("", "[published.published_spans]", f"column = {_text(self._spans.spans)}")
            return
        if self._score is None and self._preferred:
            yield from ("", *self._preferred)
            return
        if self._score is None:
            yield ""
            yield "# A value that came with the case, which raters see after they answered:"
            yield from self._published_example()
            return
        yield from ("", "[published.published_score]", f"column = {_text(self._score.name)}")
        yield 'title = "published score"'
        yield 'opinion_on = "verdict"  # raters see it after they answered'

    def _right_lines(self, options: OptionColumns) -> Iterator[str]:
        """The published right option, which raters see after they answered."""
        yield from ("", "[published.right_option]", f"column = {_text(options.right)}")
        yield 'opinion_on = "verdict"  # raters see it after they answered'
        if options.is_list:
            yield f'options = "{self._fields[options.columns[0]]}"'
            yield f'points_by = "{options.by}"'
            yield from (["counts_from = 1"] if options.counts_from else ())
        elif any(value != letter for value, letter in options.stands_for.items()):
            yield f"labels = {_table_of(sorted(options.stands_for.items(), key=lambda pair: pair[1]))}"
        yield "must_agree = true  # a case passes if raters choose the same"

    @property
    def _preferred(self) -> list[str]:
        """The published choice between two sides as an opinion, if its values name the sides."""
        answers = self._answers
        if len(answers.compare) != 2 or answers.labels[:2] != ("first", "second"):
            return []
        for column in self._others():
            meant = _sides_meant(column, answers.compare)
            if meant and {*meant.values()} <= {*answers.labels}:
                return [
                    "[published.preferred]",
                    f"column = {_text(column.name)}",
                    'opinion_on = "verdict"  # raters see it after they answered',
                    f"labels = {_table_of(meant.items())}",
                ]
        return []

    def _published_example(self) -> Iterator[str]:
        """A comment that shows how a value is published; with a value for each side, as an opinion."""
        two = [column for column in self._others() if column.values is not None and len(column.values) == 2]
        if not (self._answers.compare and two):
            yield from ("# [published.NAME]", '# column = "COLUMN"')
            return
        yield from ("# [published.preferred]", f"# column = {_text(two[0].name)}", '# opinion_on = "verdict"')
        stands_for = zip(sorted(two[0].values or ()), self._answers.labels, strict=False)
        yield f"# labels = {_table_of(stands_for)}"

    def _others(self) -> list[SurveyedColumn]:
        answers = self._answers
        named = {*self._fields, *columns_in(answers.key), answers.group, self._generator}
        lines = answers.layout.lines
        named |= {lines.item if lines else "", self._spans.spans if self._spans else ""}
        named |= {self._options.right if self._options else "", self._score.name if self._score else ""}
        return [column for name, column in self._survey.columns.items() if name not in named]

    def _pane_lines(self) -> Iterator[str]:
        answers = self._answers
        for column in self._read_alone:
            kind = self._pane_kind(self._survey.columns[column])
            yield from ("", f"[pane.{self._pane_of(column)}]")
            yield from ([f"title = {_text(title)}"] if (title := self._title_of(column)) else ())
            yield from ([f'kind = "{kind}"'] if kind != "text" else ())
            yield f'fields = "{self._fields[column]}"'
            if self._options is not None and column in self._options.columns:
                yield "lettered = true"
            if kind == "code":
                yield 'language = "python"' if self._looks_like_python(column) else '# language = "python"'
        if self._apart:
            yield from ("", "[pane.options]", *self._variant_lines(self._apart), "compared = false")
        elif answers.is_ranked:
            yield from ("", "[pane.outputs]", *self._variant_lines(answers.compare), "compared = false")
        elif answers.compare:
            first, second = (self._fields[column] for column in answers.compare)
            yield from ("", "[pane.pair]", 'kind = "pair"', f'fields = ["{first}", "{second}"]')
            if not SAME_TEXT.search(answers.compare[0]):
                yield "compared = false  # true marks every difference of the two texts"

    @property
    def _read_alone(self) -> list[str]:
        """The columns with a pane each."""
        return [column for column in self._answers.show if column not in self._apart]

    def _variant_lines(self, columns: Sequence[str]) -> Iterator[str]:
        yield 'kind = "variants"'
        yield f"fields = [{', '.join(_text(self._fields[column]) for column in columns)}]"

    def _pane_of(self, column: str) -> str:
        field = self._fields[column]
        return f"{field}_text" if field in _PANES else field

    def _looks_like_python(self, column: str) -> bool:
        return any(
            re.search(r"^\s*(def |import |from |assert )", text, re.MULTILINE)
            for text in self._survey.columns[column].samples
        )

    def _pane_kind(self, column: SurveyedColumn) -> str:
        if column.kind == "dialogue":
            return "dialogue"
        # Texts of other kinds than code have such names too, so each sample has to look like code.
        looks = all(map(LOOKS_LIKE_CODE.search, column.samples))
        return "code" if column.kind == "text" and looks and CODE.search(column.name) else "text"

    def _question_lines(self) -> Iterator[str]:
        answers = self._answers
        yield from ("", "[question.verdict]")
        if answers.is_ranked or self._spans is not None:
            yield f'kind = "{"ranking" if answers.is_ranked else "spans"}"'
        yield f"prompt = {_text(answers.ask.replace('{', '(').replace('}', ')'))}"
        yield '# guideline = "How raters are to decide, with the hard cases."'
        if answers.labels:
            yield f"labels = [{', '.join(map(_text, answers.labels))}]"
        if self._is_ordinal:
            yield 'scale = "ordinal"'
        if "True" in answers.labels:
            yield 'passing = "True"'
        if self._options is not None:
            if self._options.is_list:
                yield f'options = "{self._fields[self._options.columns[0]]}"'
            yield f"passing = [{', '.join(map(_text, answers.labels))}]"
        yield from self._shown_lines()
        if len(answers.compare) == 2 and answers.labels[:2] == ("first", "second"):
            yield 'mirrored = ["first", "second"]  # so that either side may stand on the left'
            yield 'titles = ["first", "second"]'
        if entries := answers.layout.entries:
            yield from self._entry_lines(self._fields[entries])

    def _evaluation_lines(self) -> Iterator[str]:
        """How models are asked for the right option, if the file says which it is."""
        options = self._options
        texts = [self._fields[column] for column in self._read_alone if self._is_put(column)]
        if options is None or not self._points or not all(map(_IN_PROMPTS.fullmatch, texts)):
            return
        choices = [_text(self._fields[column]) for column in options.columns]
        yield from ("", "# How `reviewer evaluate` asks models.", "[evaluation]", 'prompt = """')
        yield "\n\n".join((*(f"{{{field}}}" for field in texts), "{choices}"))
        yield from ("", 'Answer with the letter of one option."""', 'reader = "letter"')
        yield f"choices = {choices[0] if options.is_list else '[' + ', '.join(choices) + ']'}"
        yield from ('right = "right_option"', 'measures = ["right"]')

    @property
    def _points(self) -> bool:
        """Whether a published value says which option is right."""
        return self._options is not None and (self._options.is_list or bool(self._options.stands_for))

    def _is_put(self, column: str) -> bool:
        """Whether models read a column next to the options."""
        is_options = self._options is not None and column in self._options.columns
        return self._survey.columns[column].kind == "text" and not is_options

    def _shown_lines(self) -> Iterator[str]:
        """The panes that raters need, and those beside a text that they mark."""
        panes = [self._pane_of(column) for column in self._read_alone]
        made = {"options": self._apart, "outputs": self._answers.is_ranked}
        panes += [name for name, there in made.items() if there]
        panes += ["pair"] if self._answers.compare and not self._answers.is_ranked else []
        if self._spans is None:
            yield f"shows = [{', '.join(map(_text, panes))}]"
            return
        marked = self._pane_of(self._spans.text)
        yield f'shows = "{marked}"'
        if beside := [name for name in panes if name != marked]:
            yield f"beside = [{', '.join(map(_text, beside))}]"

    def _entry_lines(self, field: str) -> Iterator[str]:
        """A question that is asked once for each entry of a list."""
        panes = [self._pane_of(column) for column in self._read_alone]
        panes += ["pair"] if self._answers.compare and not self._answers.is_ranked else []
        yield from (
            "",
            "# Asked once for each entry of the list; take it out if raters judge the case alone.",
        )
        yield from ("[question.entries]", 'prompt = "Is this right: {entry}?"', f'each = "{field}"')
        yield from ('labels = ["True", "False"]', 'passing = "True"')
        yield f"shows = [{', '.join(map(_text, panes))}]"


_IN_PROMPTS = re.compile(r"[a-z][a-z0-9_]*")
"""Names of fields that may fill a prompt for models."""
_PANES = ("pair", "published", "findings", "definition", "options", "outputs")
"""Panes that have other content than a field of that name would have."""


def _field_names(columns: Iterable[str], survey: ColumnSurvey) -> dict[str, str]:
    """Column → name of its field: letters, digits and _, each once.

    A column without such letters is called by its type; its field then has a title.
    """
    names: dict[str, str] = {}
    taken = {
        "group",
        "definition",
        "entry",
        "published_score",
        "right_option",
        "preferred",
        "published_spans",
    }
    for column in columns:
        bare = re.sub(r"[^A-Za-z0-9]+", "_", column).strip("_")[:50]
        kind = survey.columns[column].kind or "field"
        name = bare if bare[:1].isalpha() else f"{kind}_{bare}".strip("_")
        number = 2
        unique = name
        while unique.casefold() in taken:
            unique, number = f"{name}_{number}", number + 1
        taken.add(unique.casefold())
        names[column] = unique
    return names


def _table_of(pairs: Iterable[tuple[str, str]]) -> str:
    return f"{{ {', '.join(f'{_text(name)} = {_text(value)}' for name, value in pairs)} }}"


def _text(text: str) -> str:
    return str(tomlkit.string(text).as_string())


def _sides_meant(column: SurveyedColumn, compare: Sequence[str]) -> dict[str, str]:
    """Value → label, if every value names one of the sides, or says that they are equal; else none."""
    if column.values is None or not 2 <= len(column.values) <= len(("first", "second", "tie")):
        return {}
    first, second = (re.split(r"[_.\s]", name)[-1].casefold() for name in compare)
    known = {compare[0].casefold(): "first", compare[1].casefold(): "second"}
    known |= {first: "first", second: "second"}
    known |= dict.fromkeys(("tie", "draw", "equal", "both", "same"), "tie")
    if {first, second} == {"a", "b"}:
        known |= {"1": "first", "2": "second"}
    meant = {value: known.get(value.strip().casefold(), "") for value in sorted(column.values)}
    return meant if all(meant.values()) and {"first", "second"} <= {*meant.values()} else {}


def _on_one_line(text: str, most: int = 40) -> str:
    return re.sub(r"[\x00-\x1f\x7f]+", " ", text)[:most]
