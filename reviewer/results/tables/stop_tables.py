"""The intervals of a study with a stop rule."""

from reviewer.core.estimate_column import estimate_column
from reviewer.core.table_spec import TableSpec, plain_column
from reviewer.results.labels.stopping import StopClaim
from reviewer.results.tables.place_columns import dimension_column

CLAIMS: TableSpec[StopClaim] = TableSpec(
    (
        dimension_column("question", lambda row: row.question.title, "question"),
        plain_column(
            "above",
            "number",
            "the limit above which the pass rate of all cases is claimed to be",
            lambda row: row.above,
        ),
        plain_column(
            "all_cases",
            "integer",
            "number of cases that the claim speaks of",
            lambda row: row.sequence.size,
            "of cases",
        ),
        plain_column(
            "cases",
            "integer",
            "number of cases at the beginning of the common order that are all complete",
            lambda row: row.sequence.seen,
            "counted",
        ),
        plain_column(
            "passed", "integer", "how many of them pass by their final label", lambda row: row.sequence.passed
        ),
        plain_column(
            "undecided",
            "integer",
            "how many of them have no final label, and count as not passed",
            lambda row: row.undecided,
        ),
        estimate_column(
            "pass_rate",
            "share of the counted cases that pass, with an interval for all cases that holds at every look "
            "at once "
            "(confidence sequence)",
            lambda row: row.sequence.estimate,
            "pass rate",
        ),
        plain_column(
            "may_be_claimed", "boolean", "whether the claim may be made", lambda row: row.may_be_made, "claim"
        ),
        plain_column(
            "held_up_by",
            "string",
            "key of the first case of the common order that is not complete; empty if all are",
            lambda row: row.held_up.key if row.held_up else None,
            "held up by",
        ),
    )
)
"""One row for each question of the stop rule."""
