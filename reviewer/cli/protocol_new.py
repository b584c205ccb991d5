"""``reviewer protocol new``: a first declaration for a file of rows, from the answers to six questions."""

import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import click

from reviewer.cli.printing import note
from reviewer.core.errors import RequestError
from reviewer.core.names import closest
from reviewer.core.ranked_outputs import MOST_RANKED
from reviewer.core.sanitize import counted, enumerated, shown, visible
from reviewer.core.whole_files import write_texts
from reviewer.exchange.rows.column_survey import ColumnSurvey, SurveyedColumn, survey_columns
from reviewer.exchange.rows.dataset_import import check_source
from reviewer.exchange.rows.declaration_text import first_declaration
from reviewer.exchange.rows.file_layout import FileLayout, ItemLines, surveyed_layout
from reviewer.exchange.rows.first_declaration import (
    MOST_STEPS,
    FirstAnswers,
    poor_guesses,
    protocol_name_of,
    repeated_key,
    suggested_ends,
    suggested_group,
    suggested_key,
    suggested_pair,
    suggested_question,
    suggested_show,
)
from reviewer.exchange.rows.row_files import RowOptions, open_rows
from reviewer.exchange.rows.source_reading import all_problems
from reviewer.options.protocol import ProtocolNewOptions
from reviewer.protocols.declared.declaration_reading import read_declaration
from reviewer.protocols.declared.declared_protocol import DeclaredProtocol
from reviewer.protocols.declared.mapping import columns_in
from reviewer.protocols.formats import SourceRows
from reviewer.protocols.registry import Protocols

_NONE = "-"
_Answer = TypeVar("_Answer")


def protocol_new_command(options: ProtocolNewOptions) -> None:
    """Carry out ``reviewer protocol new``."""
    row_options = RowOptions(options.encoding, options.separator, options.header_row, options.sheet)
    rows = open_rows(options.data, row_options)
    survey = survey_columns(rows)
    if survey.problems:
        raise all_problems(survey.problems, can_skip=False)
    note(*(f"Note: {notice}." for notice in rows.notices))
    rows, survey, layout = surveyed_layout(rows, survey)
    if layout.lines is not None:
        note(_said_of_lines(layout.lines))
    for column in survey.columns.values():
        is_used = layout.spans is not None and column.name == layout.spans.spans
        if not is_used and (why := _why_no_field(column)):
            note(f"Note: column {shown(column.name)!r} {why}, so no field is made of it.")
    answers = _asked(options, rows, survey, layout)
    note(*(f"Note: a poor guess: {guess}." for guess in poor_guesses(survey, answers)))
    target = options.file or Path(f"{answers.name}.toml")
    if target.exists():
        raise RequestError(f"{str(target)!r} exists; remove it first, or give another file with -o.")
    text = first_declaration(survey, answers, options.data.name)
    protocol = DeclaredProtocol(read_declaration(text, str(target)))
    trial = check_source(
        options.data,
        protocol.name,
        protocol=protocol.name,
        skip_invalid=True,
        protocols=Protocols(protocol),
        options=row_options,
    )
    write_texts(target.parent, {target.name: text})
    note(*(f"Cannot be imported: {problem}" for problem in trial.incoming.problems))
    note(f"{target}: {counted(len(trial.incoming.entries), 'case')} can be imported with it.")
    note(_next(options, target, answers.name))


def _next(options: ProtocolNewOptions, target: Path, name: str) -> str:
    """The command that imports the file."""
    way = "".join(_way_of_reading(options))
    return f"Next: reviewer import {options.data} --protocol {target} --dataset {name}{way}"


def _way_of_reading(options: ProtocolNewOptions) -> Iterator[str]:
    """The options that say how the file is read, as the import needs them too, each with a blank before."""
    named = {"--sheet": options.sheet, "--encoding": options.encoding, "--separator": options.separator}
    given = {name: value for name, value in named.items() if value is not None}
    given |= {"--header-row": str(options.header_row)} if options.header_row > 1 else {}
    for name, value in given.items():
        yield f" {name} {shlex.quote(value)}"


def _said_of_lines(lines: ItemLines) -> str:
    """How lines become cases."""
    variants = enumerated([shown(name) for name in lines.variants])
    return (
        f"Note: lines with the same {shown(lines.item)!r} are one case, with a text for each "
        f"{shown(lines.variant)!r}: {variants}."
    )


def _asked(
    options: ProtocolNewOptions, rows: SourceRows, survey: ColumnSurvey, layout: FileLayout
) -> FirstAnswers:
    if sys.stdin.isatty():
        note(f"Columns of {counted(survey.rows, 'row')}: {', '.join(survey.columns)}")
    key = _answer(
        "Key of a case: columns in braces",
        options.key,
        suggested_key(survey),
        partial(_read_key, survey, rows),
    )
    suggested = suggested_group(survey, key, layout)
    group = _answer(
        "Column of the group, without braces", options.group, suggested, partial(_read_group, survey)
    )
    compared = ",".join(suggested_pair(survey, layout))
    compare = _answer(
        "Columns to compare, or to rank", options.compare, compared, partial(_read_compared, survey)
    )
    texts = ",".join(suggested_show(survey, key, group, compare, layout))
    show = _answer("Columns that raters look at", options.show, texts, partial(_read_shown, survey, compare))
    layout = layout.of_columns({*show, *compare})
    ends = suggested_ends(survey) if not (compare or layout.options or layout.spans) else None
    if ends is not None:
        usual_ends = "-".join(map(str, ends))
        ends = _answer("Ends of the scale", options.scale, usual_ends, partial(_read_ends, ends))
    prompt, usual = suggested_question(compare, ends, layout)
    ask = _answer("What raters are asked", options.ask, prompt, str)
    is_ranked = len(compare) > len(("first", "second"))
    fewest = 1 if layout.spans else 2
    labels = (
        () if is_ranked else _answer("Labels", options.labels, ",".join(usual), partial(_read_labels, fewest))
    )
    name = options.name or protocol_name_of(options.data.stem)
    return FirstAnswers(name, key, group, show, compare, ask, labels, ends, layout)


def _answer(question: str, given: str | None, suggested: str, read: Callable[[str], _Answer]) -> _Answer:
    """The option's answer, else the person's, else the suggestion.

    ``read`` raises RequestError for an answer that does not fit. A person is then asked again.
    """

    def read_typed(typed: str) -> _Answer:
        try:
            return read(_bare(typed))
        except RequestError as error:
            raise click.UsageError(visible(str(error))) from None

    if given is None and sys.stdin.isatty():
        answer: _Answer = click.prompt(question, default=suggested or _NONE, value_proc=read_typed, err=True)
        return answer
    return read(_bare(suggested if given is None else given))


def _bare(answer: str) -> str:
    """ "" for none."""
    return "" if answer.strip() == _NONE else answer.strip()


def _read_key(survey: ColumnSurvey, rows: SourceRows, answer: str) -> str:
    """The template of a key; a column alone is a template too. Every row needs a key of its own."""
    key = "{" + answer + "}" if answer in survey.columns and not columns_in(answer) else answer
    _require_columns("key", columns_in(key), survey)
    if key and not columns_in(key):
        raise RequestError("key: it names no column; put one in braces, such as {id}.")
    if wrong := repeated_key(rows, key):
        remedy = "add a column that tells them apart, such as {id}-{number}, or give - to number the rows"
        raise RequestError(f"key: {wrong}; {remedy}.")
    return key


def _read_group(survey: ColumnSurvey, answer: str) -> str:
    group = _without_braces(answer, survey)
    _require_columns("group", [group] if group else [], survey)
    return group


def _read_compared(survey: ColumnSurvey, answer: str) -> tuple[str, ...]:
    compared = _columns(answer, survey)
    if len(compared) == 1 or len(compared) > MOST_RANKED:
        raise RequestError(
            f"compare: two columns are compared, or three to {MOST_RANKED} ranked, not {len(compared)}; "
            "name fewer, more or none."
        )
    _require_shown("compare", compared, survey)
    return compared


def _read_shown(survey: ColumnSurvey, pair: tuple[str, ...], answer: str) -> tuple[str, ...]:
    columns = _columns(answer, survey)
    if not columns and not pair:
        raise RequestError("show: raters have to look at something; name at least one column.")
    _require_shown("show", columns, survey)
    return columns


def _read_ends(suggested: tuple[int, int], answer: str) -> tuple[int, int]:
    ends = re.fullmatch(r"(-?\d{1,3})\s*(?:-|–|to|,)\s*(-?\d{1,3})", answer)
    if ends is None or not 0 < int(ends[2]) - int(ends[1]) < MOST_STEPS:
        raise RequestError(f"scale: {answer!r} does not give the two ends of a scale; write them as in 1-5.")
    least, most = int(ends[1]), int(ends[2])
    if most < suggested[1]:
        raise RequestError(f"scale: scores up to {suggested[1]} occur; give ends that hold them.")
    return least, most


def _read_labels(fewest: int, answer: str) -> tuple[str, ...]:
    labels = tuple(label.strip() for label in answer.split(",") if label.strip())
    if len(labels) < fewest:
        raise RequestError("labels: a question has at least two labels; name them all.")
    return labels


def _require_columns(what: str, names: Sequence[str], survey: ColumnSurvey) -> None:
    for name in names:
        if name not in survey.columns:
            remedy = closest(name, survey.columns, "it has")
            raise RequestError(f"{what}: the file has no column {name!r}; {remedy}.")


def _require_shown(what: str, names: Sequence[str], survey: ColumnSurvey) -> None:
    _require_columns(what, names, survey)
    for name in names:
        if why := _why_no_field(survey.columns[name]):
            raise RequestError(
                f"{what}: column {name!r} {why}; leave it out, or name what is inside by dots."
            )


def _why_no_field(column: SurveyedColumn) -> str | None:
    """Why no field can be made of a column, or None."""
    if column.kind is not None:
        return None
    if not column.present:
        return "is empty"
    return "holds values of several types" if len(column.kinds) > 1 else "holds values that no pane shows"


def _columns(listed: str, survey: ColumnSurvey) -> tuple[str, ...]:
    """Columns with commas between; a column whose own name has commas may stand alone."""
    if listed in survey.columns:
        return (listed,)
    return tuple(_without_braces(name.strip(), survey) for name in listed.split(",") if name.strip())


def _without_braces(name: str, survey: ColumnSurvey) -> str:
    bare = name.removeprefix("{").removesuffix("}")
    return bare if name not in survey.columns and bare in survey.columns else name
