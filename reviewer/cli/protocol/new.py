"""``reviewer protocol new``: a first declaration for a file of rows, from the answers to six questions."""

import sys
from collections.abc import Callable
from pathlib import Path

import click

from reviewer.cli.options import note
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, visible
from reviewer.exchange.exports.study_export import write_texts
from reviewer.exchange.rows.column_survey import ColumnSurvey, survey_columns
from reviewer.exchange.rows.dataset_import import check_source
from reviewer.exchange.rows.first_declaration import (
    FirstAnswers,
    first_declaration,
    protocol_name_of,
    suggested_group,
    suggested_key,
    suggested_pair,
    suggested_question,
    suggested_show,
)
from reviewer.exchange.rows.row_files import RowOptions, open_rows
from reviewer.protocols.declared.declared_protocol import DeclaredProtocol
from reviewer.protocols.declared.mapping import columns_in
from reviewer.protocols.declared.reading import read_declaration
from reviewer.protocols.registry import Protocols

_NONE = "-"


@click.command("new", epilog="Example: reviewer protocol new pairs.jsonl --name pairs")
@click.argument("data", metavar="DATA", type=click.Path(path_type=Path))
@click.option("--name", help="Name of the protocol. Default: the name of the file.")
@click.option(
    "--key", metavar="TEMPLATE", help="Columns that make the key of a case, such as {id}; - numbers rows."
)
@click.option("--group", metavar="COLUMN", help="Column that holds the group of a case; - for none.")
@click.option(
    "--compare", metavar="COLUMNS", help="Two columns to compare, with a comma between; - for none."
)
@click.option("--show", metavar="COLUMNS", help="Columns to look at, with commas between; - for none.")
@click.option("--ask", metavar="PROMPT", help="The question that raters answer.")
@click.option("--labels", metavar="LABELS", help="Its labels, with commas between.")
@click.option("--separator", metavar="SIGN", help="What separates the columns of a CSV file.")
@click.option(
    "--encoding",
    metavar="NAME",
    help="Encoding of the file. Default: recognised from the file.",
)
@click.option(
    "-o",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file to write. Default: NAME.toml here; an existing file is never replaced.",
)
def protocol_new_command(
    data: Path,
    name: str | None,
    key: str | None,
    group: str | None,
    compare: str | None,
    show: str | None,
    ask: str | None,
    labels: str | None,
    separator: str | None,
    encoding: str | None,
    file: Path | None,
) -> None:
    """Write a first declaration of a protocol for DATA, a file of rows.

    Six questions are asked, each with a suggestion made from the data: what is the key of a case, what is its
    group, which two texts are compared, what else do raters look at, what are they asked, and with which
    labels. Options answer questions beforehand. Without a terminal, suggestions answer the others.
    """
    options = RowOptions(encoding, separator)
    rows = open_rows(data, options)
    survey = survey_columns(rows)
    for notice in rows.notices:
        note(visible(f"Note: {notice}."))
    answers = _asked(survey, name or protocol_name_of(data.stem), key, group, compare, show, ask, labels)
    target = file or Path(f"{answers.name}.toml")
    if target.exists():
        raise RequestError(f"{str(target)!r} exists; remove it first, or give another file with -o.")
    text = first_declaration(survey, answers, data.name)
    protocol = DeclaredProtocol(read_declaration(text, str(target)))
    trial = check_source(
        data,
        protocol.name,
        protocol=protocol.name,
        skip_invalid=True,
        protocols=Protocols(protocol),
        options=options,
    )
    write_texts(target.parent, {target.name: text})
    for problem in trial.incoming.problems:
        note(visible(f"Cannot be imported: {problem}"))
    note(visible(f"{target}: {counted(len(trial.incoming.entries), 'case')} can be imported with it."))
    note(visible(f"Next: reviewer import {data} --protocol {target} --dataset {answers.name}"))


def _asked(
    survey: ColumnSurvey,
    name: str,
    key: str | None,
    group: str | None,
    compare: str | None,
    show: str | None,
    ask: str | None,
    labels: str | None,
) -> FirstAnswers:
    if sys.stdin.isatty():
        note(visible(f"Columns of {counted(survey.rows, 'row')}: {', '.join(survey.columns)}"))
    chosen_key = _template(
        _answer("Key of a case, a template over columns", key, suggested_key(survey)), survey
    )
    chosen_group = _answer("Column of the group", group, suggested_group(survey, chosen_key))
    pair = _columns(_answer("Two columns to compare", compare, ",".join(suggested_pair(survey))), survey)
    shown = suggested_show(survey, chosen_key, chosen_group, pair)
    looked_at = _columns(_answer("Columns that raters look at", show, ",".join(shown)), survey)
    prompt, usual = suggested_question(survey, pair)
    asked = _answer("What raters are asked", ask, prompt)
    named = _answer("Labels", labels, ",".join(usual))
    given = tuple(label.strip() for label in named.split(",") if label.strip())
    return FirstAnswers(name, chosen_key, chosen_group, looked_at, pair, asked, given)


def _answer(question: str, given: str | None, suggested: str) -> str:
    """The option's answer, else the person's, else the suggestion; "" for none."""
    if given is None and sys.stdin.isatty():
        asked: Callable[..., str] = click.prompt
        given = asked(question, default=suggested or _NONE, err=True)
    answer = suggested if given is None else given.strip()
    return "" if answer == _NONE else answer


def _template(key: str, survey: ColumnSurvey) -> str:
    """A column alone is a template too."""
    return "{" + key + "}" if key in survey.columns and not columns_in(key) else key


def _columns(listed: str, survey: ColumnSurvey) -> tuple[str, ...]:
    """Columns with commas between; a column whose own name has commas may stand alone."""
    if listed in survey.columns:
        return (listed,)
    return tuple(name.strip() for name in listed.split(",") if name.strip())
