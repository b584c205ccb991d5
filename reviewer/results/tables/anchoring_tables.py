"""How far a machine rater moved the answers of raters."""

from reviewer.core.estimate_column import estimate_column
from reviewer.core.table_spec import BY_CASES, TableSpec, plain_column
from reviewer.results.labels.anchoring import Anchoring
from reviewer.results.labels.dimensions import ALL
from reviewer.results.tables.place_columns import dimension_column

ANCHORING: TableSpec[Anchoring] = TableSpec(
    (
        dimension_column("question", lambda row: row.question.title if row.question else ALL, "question"),
        plain_column(
            "second_answers",
            "integer",
            "second answers of raters who had seen the answer of the machine rater",
            lambda row: len(row.looks),
            "second",
            told="second answers after the answer of the machine rater was shown",
        ),
        plain_column(
            "without_machine",
            "integer",
            "second answers that were given without it, because it was not asked yet or not read",
            lambda row: row.unseen,
            "unseen",
            told="second answers without it",
        ),
        plain_column(
            "towards",
            "integer",
            "answers that changed to that of the machine rater",
            lambda row: row.towards,
            "towards",
            told="answers that changed to that of the machine rater",
        ),
        estimate_column(
            "towards_share",
            "share of these among first answers that differed from the machine rater",
            lambda row: row.towards_share,
            "of differing",
            told=f"share of these among first answers that differed from it{BY_CASES}",
        ),
        plain_column(
            "away",
            "integer",
            "answers that changed from that of the machine rater to another one",
            lambda row: row.away,
            "away",
            told="answers that changed from its answer to another one",
        ),
        estimate_column(
            "away_share",
            "share of these among first answers that were that of the machine rater",
            lambda row: row.away_share,
            "of equal",
            told=f"share of these among first answers that were its answer{BY_CASES}",
        ),
        plain_column(
            "elsewhere",
            "integer",
            "answers that changed, and were that of the machine rater neither before nor after",
            lambda row: row.elsewhere,
            "other",
            told="other changes",
        ),
        estimate_column(
            "net",
            "changes towards the machine rater minus those away from it, by second answers, by cases",
            lambda row: row.net,
            "anchoring",
            told=f"changes towards it minus those away from it, by second answers{BY_CASES}",
        ),
    )
)
