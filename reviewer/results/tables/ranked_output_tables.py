"""Outputs with their mean ranks, shares of wins and Bradley-Terry scores."""

from reviewer.core.estimate_column import estimate_column
from reviewer.core.table_spec import TableSpec, plain_column
from reviewer.results.labels.ranked_outputs import RankedOutput
from reviewer.results.tables.place_columns import dimension_column

SCORES_IN_WORDS = (
    "The rankings of one case count together as one, ties as half a win. Labels in order that a rater gave "
    "to all outputs of a case rank them. Bradley-Terry scores of a question "
    "sum to 0; 0.69 more means twice the odds of a win. Intervals come from resampled cases."
)
_UNITS = "cases"

RANKED_OUTPUTS: TableSpec[RankedOutput] = TableSpec(
    (
        dimension_column("question", lambda row: row.question.title, "question"),
        dimension_column("group", lambda row: row.group, "group"),
        plain_column("output", "string", "the ranked output", lambda row: row.score.output, "output"),
        plain_column(
            "rankings", "integer", "number of rankings", lambda row: row.rankings, "n", told="rankings"
        ),
        plain_column("cases", "integer", "number of cases with a ranking", lambda row: row.cases, "cases"),
        estimate_column(
            "mean_rank",
            "mean rank, 1 is the best; tied outputs share the mean of their places",
            lambda row: row.score.mean_rank,
            "mean rank",
            told="1 is the best",
            units=_UNITS,
        ),
        estimate_column(
            "wins",
            "share of the comparisons with other outputs that the output wins, a tie counted as half a win",
            lambda row: row.score.wins,
            "wins",
            told="share of comparisons with other outputs that it wins",
            units=_UNITS,
        ),
        estimate_column(
            "bradley_terry",
            "Bradley-Terry score, as the logarithm of the odds of a win; the scores of a question sum to 0",
            lambda row: row.score.score,
            "score",
            told="Bradley-Terry score",
            units=_UNITS,
        ),
    ),
    3,
)
"""One row for each output of each question that orders outputs, by group; the best comes first."""
