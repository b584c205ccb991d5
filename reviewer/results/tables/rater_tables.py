"""Raters: their work and remarks, results, known answers and abilities, and their answers over time."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.number_text import fixed, whole
from reviewer.core.sanitize import one_line
from reviewer.core.table import (
    BARE_PARTS,
    WITH_WILSON,
    Column,
    TableSpec,
    estimate_column,
    number_column,
    plain_column,
)
from reviewer.results.labels.coefficient_choice import KNOWN, coefficient_in_words
from reviewer.results.labels.known_answer_accuracy import KnownAnswerAccuracy
from reviewer.results.labels.label_models import RaterAbility
from reviewer.results.labels.rater_results import NO_REPEATS, RaterResult
from reviewer.results.labels.rater_warnings import WorkQuarter
from reviewer.results.labels.rater_work import QuestionWork, RaterWork, Remark
from reviewer.results.tables.place_columns import (
    EVENT,
    RATER,
    dimension_column,
    dimension_columns,
    place_columns,
)

_ALL, _PAIRWISE = "po_all_agree", "po_pairwise"
_RATERS_OF_PAIRS = 3
"""With so many raters, only two are left without each of them."""


def raters_spec(by: Sequence[str], results: Sequence[RaterResult]) -> TableSpec[RaterResult]:
    """One row for each rater: labels, share of passing ones, agreement with others and themselves, speed.

    The columns ``without_…`` hold each coefficient of the other raters alone.
    """
    keys = dict.fromkeys(key for result in results for key in result.without)
    told = _told_keys(results)
    note = "With a star: agreement of the other raters without this one." if keys else ""
    place: tuple[Column[RaterResult], ...] = dimension_columns(by)
    columns = {key: _without(key) for key in keys}
    without = tuple(column if key in told else column.for_programs_only() for key, column in columns.items())
    steps = _STEPS if any(result.apart or result.again_apart for result in results) else ()
    known = {
        "missing": any(result.missing for result in results),
        "self": any(result.again.agreement.reason != NO_REPEATS for result in results),
    }
    hidden = {head for head, shown in known.items() if not shown}
    raters = [column.for_programs_only() if column.head in hidden else column for column in _RATERS]
    return TableSpec((*place, *raters, *steps, *without), len(by) + 1, note)


def raters_by(results: Sequence[RaterResult]) -> tuple[str, ...]:
    """What results of raters are divided by."""
    return tuple(results[0].where) if results else ()


def starred_in_words(results: Sequence[RaterResult]) -> str:
    """What the coefficients with a star are, which a narrow screen says column by column; "" for none."""
    told = "; ".join(f"{KNOWN[key].symbol}*: {coefficient_in_words(key)}" for key in _told_keys(results))
    return f"{told}." if told else ""


def _told_keys(results: Sequence[RaterResult]) -> list[str]:
    """The coefficients of the others that people see: of a pair, all agree where the pair does."""
    keys = dict.fromkeys(key for result in results for key in result.without)
    are_pairs = len({result.rater for result in results}) == _RATERS_OF_PAIRS
    return [key for key in keys if not (key == _PAIRWISE and _ALL in keys and are_pairs)]


def _mean_steps(
    name: str, meaning: str, of: Callable[[RaterResult], Mapping[int, int]], head: str
) -> Column[RaterResult]:
    """A column with the mean of steps that were counted."""

    def value(row: RaterResult) -> float | None:
        counts = Counter(of(row))
        return sum(counts.elements()) / counts.total() if counts else None

    return number_column(name, meaning, value, head, told=meaning)


_RATERS: tuple[Column[RaterResult], ...] = (
    plain_column("rater", "string", RATER, lambda row: row.rater, "rater"),
    plain_column("labels", "integer", "number of labels given", lambda row: row.labels, "labels"),
    plain_column(
        "missing",
        "integer",
        "number of labels that raters who have begun have not given",
        lambda row: row.missing,
        "missing",
    ),
    estimate_column(
        "passing_share",
        "share of labels that are the passing label; not a pass rate",
        lambda row: row.passing_share,
        "passing",
        told="share of the rater's labels that are the passing label",
        interval=False,
    ),
    estimate_column(
        "others",
        "mean share of the other raters who gave the same label",
        lambda row: row.with_others,
        "others",
        told="mean share of the other raters who gave the same label",
        interval=False,
    ),
    estimate_column(
        "self",
        "share of repeated cases with the same label both times",
        lambda row: row.again.agreement,
        "self",
        told="share of repeated cases with the same label both times",
        interval=False,
    ),
    estimate_column(
        "self_kappa", "Cohen's kappa between first and repeated labels", lambda row: row.again.kappa
    ),
    estimate_column(
        "seconds",
        "median active seconds per answer",
        lambda row: row.seconds,
        "sec.",
        parts=BARE_PARTS,
        told="median active seconds per answer",
        interval=False,
        shown=lambda estimate, _digits: None if estimate.value is None else fixed(estimate.value, 1),
    ),
)


_STEPS: tuple[Column[RaterResult], ...] = (
    _mean_steps(
        "steps_from_others",
        "mean steps between the rater's label and each other one of the item, where labels have an order",
        lambda row: row.apart,
        "steps",
    ),
    _mean_steps(
        "steps_self",
        "mean steps between first and repeated label, where labels have an order",
        lambda row: row.again_apart,
        "self steps",
    ),
)


def _without(key: str) -> Column[RaterResult]:
    known = KNOWN[key]
    return estimate_column(
        f"without_{key}",
        f"{known.title} of the other raters alone",
        lambda row: row.of(key),
        f"{known.symbol}*",
        parts=BARE_PARTS,
        interval=False,
    )


KNOWN_ANSWERS: TableSpec[KnownAnswerAccuracy] = TableSpec(
    (
        plain_column("rater", "string", RATER, lambda row: row.rater, "rater"),
        plain_column(
            "role",
            "string",
            "counted; gold: has a known answer and is never counted; training: is never counted either",
            lambda row: row.role,
            "cases",
        ),
        dimension_column("question", lambda row: row.question, "question"),
        plain_column(
            "known",
            "integer",
            "number of questions with a known answer, counted for each rater of the row",
            lambda row: row.known,
            "known",
            told="questions with a known answer, counted for each rater of the row",
        ),
        plain_column(
            "answered",
            "integer",
            "number of these that were answered",
            lambda row: row.answered,
            "answered",
            told="those that were answered",
        ),
        plain_column(
            "right",
            "integer",
            "number of these whose answer matches the known answer",
            lambda row: row.right,
        ),
        estimate_column(
            "known_right",
            "share of answers that match the known answer",
            lambda row: row.share,
            "right",
            told=f"share of answers that match the known answer{WITH_WILSON}",
        ),
    ),
    keys=3,
    note="Gold cases are unmarked among the other cases. Training cases come first and show feedback.",
)
"""One row for each rater, role and question: numbers of known, given and right answers."""


RATER_ABILITIES: TableSpec[RaterAbility] = TableSpec(
    (
        dimension_column("question", lambda row: row.question.title, "question"),
        plain_column("rater", "string", RATER, lambda row: row.errors.rater, "rater"),
        plain_column("labels", "integer", "number of labels given", lambda row: row.errors.labels, "labels"),
        estimate_column(
            "sensitivity",
            "probability that the rater gives a passing label where the true label passes, by Dawid and "
            "Skene's model",
            lambda row: row.errors.sensitivity,
            "sensitivity",
            told="probability of a passing label where the true label passes",
        ),
        estimate_column(
            "specificity",
            "probability that the rater gives no passing label where the true label does not pass, by Dawid "
            "and Skene's model",
            lambda row: row.errors.specificity,
            "specificity",
            told="probability of another label where the true label does not pass",
        ),
    ),
    keys=2,
)
"""How raters err by the model, one row for each question and rater."""


DRIFT: TableSpec[WorkQuarter] = TableSpec(
    (
        plain_column("rater", "string", RATER, lambda row: row.rater, "rater"),
        plain_column(
            "quarter",
            "integer",
            "quarter of the rater's answers, 1 to 4",
            lambda row: row.quarter,
            "quarter",
            told="which fourth of the rater's answers, in the order of time",
        ),
        plain_column("answers", "integer", "number of answers in it", lambda row: row.answers, "answers"),
        estimate_column(
            "agreement",
            "mean share of the other raters of an item who gave the same label",
            lambda row: row.agreement,
            "agreement",
            told="mean share of the other raters of an item who gave the same label",
        ),
        estimate_column(
            "seconds",
            "median active seconds for an answer",
            lambda row: row.seconds,
            "seconds",
            told="median time",
        ),
        estimate_column(
            "first_label",
            "share of answers that are the first label of their question",
            lambda row: row.first_label,
            "first label",
            told="share of answers that are the first label of their question",
        ),
    )
)


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
