"""The options of ``reviewer import --study``, which are about answers: filled sheets and labels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from reviewer.exchange.labels.foreign_label import TOOLS, ForeignTool, LabelFields

_Command = Callable[..., None]


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """What a person says about filled sheets, or about labels of another tool."""

    rater: str | None
    tool: ForeignTool | None
    fields: LabelFields
    question: str | None
    renames: Sequence[str]
    add_raters: bool
    none_if_absent: bool
    dry_run: bool


_OPTIONS = (
    click.option(
        "--study",
        metavar="NAME",
        help="Import a rater's filled validation sheets into this study, or labels that were given "
        "elsewhere: an export of Label Studio, Prodigy, Argilla, Potato or doccano, a table of labels, or "
        "the labels.csv of another study.",
    ),
    click.option(
        "--rater",
        metavar="NAME",
        help="With --study: the rater who filled in the sheets, or who gave labels that name no rater.",
    ),
    click.option(
        "--tool",
        type=click.Choice(TOOLS),
        help="With --study: the tool that the labels come from. Default: recognised from the file.",
    ),
    click.option(
        "--key-field",
        metavar="FIELD",
        help="With --study: the field that holds the key of a case, such as data.id.",
    ),
    click.option(
        "--rater-field",
        metavar="COLUMN",
        help="With --study: the column of a table that names the rater. Default: rater, annotator and the "
        "like.",
    ),
    click.option(
        "--question-field",
        metavar="COLUMN",
        help="With --study: the column of a table that names the question. Default: question.",
    ),
    click.option(
        "--label-field",
        metavar="COLUMN",
        help="With --study: the column of a table that holds the label. Default: label, answer and the like.",
    ),
    click.option(
        "--rater-columns",
        metavar="A,B,C",
        help="With --study: the columns of a table that has one column of labels for each rater.",
    ),
    click.option(
        "--question",
        metavar="NAME",
        help="With --study: the question that is answered by labels that name no question.",
    ),
    click.option(
        "--rename",
        "renames",
        multiple=True,
        metavar="THEIRS=OURS",
        help="With --study: our name for a rater, question or label of the other tool; may be repeated. "
        "Anna=Anna takes a rater although the name looks like another one.",
    ),
    click.option("--add-raters", is_flag=True, help="With --study: add raters who are not in the study yet."),
    click.option(
        "--none-if-absent",
        is_flag=True,
        help="With --study: if a record answers other questions, but not one of several labels, none of "
        "these labels was chosen. Label Studio, Potato and Argilla write nothing then.",
    ),
    click.option("--dry-run", is_flag=True, help="With --study: check the labels, and write nothing."),
)


def answer_options(command: _Command) -> _Command:
    """Give a command these options; it is called with ``study`` and ``answers``."""

    @wraps(command)
    def with_answers(
        *context: click.Context,
        rater: str | None,
        tool: ForeignTool | None,
        key_field: str | None,
        rater_field: str | None,
        question_field: str | None,
        label_field: str | None,
        rater_columns: str | None,
        question: str | None,
        renames: Sequence[str],
        add_raters: bool,
        none_if_absent: bool,
        dry_run: bool,
        **others: Any,
    ) -> None:
        raters = tuple(name.strip() for name in (rater_columns or "").split(",") if name.strip())
        fields = LabelFields(key_field, rater_field, question_field, label_field, raters)
        answers = AnswerOptions(rater, tool, fields, question, renames, add_raters, none_if_absent, dry_run)
        command(*context, answers=answers, **others)

    decorated: _Command = with_answers
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
