"""What a lead follows while raters work: each rater's work by question, and remarks with their answers."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.core.estimate_column import number_column
from reviewer.core.number_text import whole
from reviewer.core.sanitize import one_line
from reviewer.core.table_spec import Column, TableSpec, plain_column
from reviewer.results.labels.rater_work import QuestionWork, RaterWork, Remark
from reviewer.results.tables.place_columns import EVENT, RATER, place_columns


@dataclass(frozen=True, slots=True)
class QuestionWorkLine:
    """One rater's work on one question."""

    rater: RaterWork
    work: QuestionWork


def lines_of(raters: Sequence[RaterWork]) -> list[QuestionWorkLine]:
    """A line for each rater and question."""
    return [QuestionWorkLine(rater, work) for rater in raters for work in rater.questions]


_WORK: tuple[Column[QuestionWorkLine], ...] = (
    plain_column("rater", "string", RATER, lambda row: row.rater.rater, "rater"),
    plain_column(
        "question", "string", "title of the question", lambda row: row.work.question.title, "question"
    ),
    plain_column("answers", "integer", "number of answers given", lambda row: row.work.done, "answers"),
    plain_column("owed", "integer", "number of answers owed in all", lambda row: row.work.of, "of"),
    number_column(
        "seconds",
        "median active seconds for an answer; empty if not measured",
        lambda row: row.work.seconds,
        "seconds",
        text=lambda value, _digits: whole(value),
    ),
    number_column(
        "first_label",
        "share of the answers that are the question's first label",
        lambda row: row.work.first_label,
        "first label",
    ),
    plain_column("flags", "integer", "number of flagged cases", lambda row: row.work.flags, "flags"),
    plain_column("comments", "integer", "number of comments", lambda row: row.work.comments, "comments"),
    plain_column(
        "last_seen", "string", "when the rater last wrote anything (UTC)", lambda row: row.rater.last_seen
    ),
)
WORK = TableSpec(_WORK, 2)
_PLACE: tuple[Column[Remark], ...] = place_columns(
    lambda row: row.question, lambda row: row.place, ("question", "key")
)
_REMARKS: tuple[Column[Remark], ...] = (
    plain_column("event", "string", EVENT, lambda row: row.event),
    plain_column("rater", "string", RATER, lambda row: row.rater, "rater"),
    plain_column("kind", "string", "comment, flag or note", lambda row: row.kind, "kind"),
    *_PLACE,
    plain_column("at", "string", "when it was written (UTC)", lambda row: row.at),
    plain_column(
        "text",
        "string",
        "what the rater wrote; empty for a flag",
        lambda row: row.text,
        "text",
        shown=lambda row, _digits: one_line(row.text, 60),
    ),
    plain_column(
        "answered_by",
        "string",
        "the lead who answered, or marked it as dealt with; empty while it is open",
        lambda row: row.answer.who if row.answer else "",
        "by",
    ),
    plain_column(
        "answer",
        "string",
        "the lead's answer; empty if there is none in words",
        lambda row: row.answer.why if row.answer else "",
        "answer",
        shown=lambda row, _digits: one_line(row.answer.why, 60) if row.answer else "",
    ),
)
REMARKS = TableSpec(_REMARKS, 2)
