"""Raters over time: one row for each quarter of each rater's answers."""

from reviewer.core.estimate_column import estimate_column
from reviewer.core.table_spec import TableSpec, plain_column
from reviewer.results.labels.rater_drift import WorkQuarter
from reviewer.results.tables.place_columns import RATER

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
