"""Tables of a study of answers: shares of the run, where each answer comes from, and themes by keywords."""

from collections.abc import Sequence
from typing import Final

from reviewer.core.estimate import NO_DATA, Estimate
from reviewer.core.number_text import all_digits
from reviewer.core.table import Column, TableSpec, estimate_column, plain_column
from reviewer.results.labels.answer_origins import DrawnOutcome
from reviewer.results.labels.answer_shares import GROUP, MODEL, AnswerShare
from reviewer.results.outcomes.theme_counts import ThemeCount
from reviewer.results.tables.place_columns import dimension_column

_MODEL: Final = "model that gave the answers; all: every model that was drawn from"
_SHARE: Final = (
    "share of the outcomes that the study was drawn from whose answer has this label, weighted by the draw "
    "and by how many outcomes are equal"
)


def answer_shares_spec(by: Sequence[str]) -> TableSpec[AnswerShare]:
    """One row for each question, model, group and label; people see models and groups that divide."""
    place: tuple[Column[AnswerShare], ...] = (
        dimension_column("question", lambda row: row.question.title, "question"),
        plain_column(MODEL, "string", _MODEL, lambda row: row.model, MODEL if MODEL in by else None),
        dimension_column(GROUP, lambda row: row.group, GROUP if GROUP in by else None),
        plain_column("label", "string", "a label of the question", lambda row: row.label, "label"),
    )
    numbers: tuple[Column[AnswerShare], ...] = (
        plain_column("drawn", "integer", "number of drawn answers", lambda row: row.drawn),
        plain_column(
            "judged",
            "integer",
            "number of them with a final label; the others are open, stale or without verdicts",
            lambda row: row.judged,
            "judged",
            shown=lambda row, _digits: f"{row.judged:,} of {row.drawn:,}",
            told="drawn answers with a final label",
        ),
        estimate_column(
            "share", _SHARE, lambda row: row.share, "share of the run", told=_SHARE, units="answers"
        ),
    )
    return TableSpec((*place, *numbers), 2 + len(by))


DRAWN_OUTCOMES: TableSpec[DrawnOutcome] = TableSpec(
    (
        plain_column("key", "string", "key of the answer in the study", lambda row: row.place.key, "answer"),
        plain_column("case", "string", "digest of the answer", lambda row: row.place.case),
        plain_column("group", "string", "group of the answer", lambda row: row.place.group, "group"),
        plain_column("run", "string", "evaluation run of the outcome", lambda row: row.run),
        plain_column("model", "string", "model that gave the answer", lambda row: row.model, "model"),
        plain_column("dataset", "string", "dataset of the case that was asked", lambda row: row.source[0]),
        plain_column(
            "source", "string", "key of the case that was asked", lambda row: row.source[1], "asked"
        ),
        plain_column(
            "condition", "string", "condition of the outcome", lambda row: row.condition, "condition"
        ),
        plain_column("repeat", "integer", "repeat of the outcome, from 0", lambda row: row.repeat, "repeat"),
        plain_column("outcome", "string", "digest of its reply and label as drawn", lambda row: row.outcome),
        plain_column(
            "stratum", "string", "model and group that the answer was drawn of", lambda row: row.stratum
        ),
        plain_column(
            "inclusion_probability",
            "number",
            "with which probability the answer was drawn",
            lambda row: all_digits(row.chance),
            "chance",
        ),
        plain_column(
            "weight",
            "number",
            "for how many outcomes the answer speaks: the number of its equal outcomes by that probability",
            lambda row: all_digits(row.weight),
            "weight",
        ),
    ),
    1,
)
"""One row for each outcome that a drawn answer stands for."""


_NOT_CHOSEN = Estimate.undefined(NO_DATA, 0)


def theme_counts_spec(rows: Sequence[ThemeCount]) -> TableSpec[ThemeCount]:
    """One row for each theme and group: shares of answers with one of its words, by version."""
    first, second = rows[0].versions if rows else ("first", "second")
    named = "share of answers with one of the theme's words"
    columns: tuple[Column[ThemeCount], ...] = (
        plain_column("theme", "string", "name of the theme", lambda row: row.theme.name, "theme"),
        plain_column(
            "words", "string", "its words; * ends a beginning", lambda row: ";".join(row.theme.words)
        ),
        dimension_column("group", lambda row: row.group, "group"),
        estimate_column(
            "first",
            f"{named}, {first} version",
            lambda row: row.shares[0],
            first,
            interval=False,
            units="cases",
        ),
        estimate_column(
            "second",
            f"{named}, {second} version",
            lambda row: row.shares[1],
            second,
            interval=False,
            units="cases",
        ),
        estimate_column(
            "difference",
            f"the share in the {second} version minus that in the {first} one",
            lambda row: row.difference,
            "difference",
            told=f"{second} minus {first}, its interval by cases",
            units="cases",
        ),
        estimate_column(
            "chosen",
            "share of the run's answers for which experts chose the theme as main reason",
            lambda row: row.chosen or _NOT_CHOSEN,
            "experts",
            told="share of the run's answers for which experts chose it as main reason",
            units="answers",
        ),
    )
    return TableSpec(columns, 2)
