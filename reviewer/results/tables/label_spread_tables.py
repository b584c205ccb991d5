"""Labels by group with their medians, agreement on each label of several, and ranked outputs with scores."""

from collections.abc import Sequence
from dataclasses import replace

from reviewer.core.table import ALL_PARTS, VALUE_ONLY, Column, TableSpec, estimate_column, plain_column
from reviewer.results.labels.coefficient_choice import KNOWN, coefficient_in_words
from reviewer.results.labels.label_spread import LabelAgreement, LabelSpread
from reviewer.results.labels.output_quality import RankedOutput
from reviewer.results.tables.place_columns import dimension_column
from store.records import canonical_json

_LEVELS = "▁▂▃▄▅▆▇█"


def _bars(row: LabelSpread) -> str:
    """A bar for each label, the highest for the most frequent one; a blank where a label was not given."""
    most = max(row.counts.values(), default=0) or 1
    heights = (-(-count * len(_LEVELS) // most) for count in row.counts.values())
    return "".join(_LEVELS[height - 1] if height else "·" for height in heights)


def _counts_in_words(row: LabelSpread) -> str:
    """ "1: 3, 4: 8"; labels that nobody gave are left out."""
    return ", ".join(f"{label}: {count:,}" for label, count in row.counts.items() if count) or "none"


_COLUMNS: tuple[Column[LabelSpread], ...] = (
    dimension_column("question", lambda row: row.question.title, "question"),
    dimension_column("group", lambda row: row.group, "group"),
    plain_column("answers", "integer", "number of answers", lambda row: row.answers, "answers"),
    plain_column(
        "median_low",
        "string",
        "the median label, or the lower of the two that it falls between; empty if labels have no order",
        lambda row: row.median[0] if row.median else None,
        "median",
        shown=lambda row, _digits: " to ".join(row.median) or None,
        told="the label in the middle, or the two that the median falls between",
    ),
    plain_column(
        "median_high",
        "string",
        "the median label, or the higher of the two that it falls between; empty if labels have no order",
        lambda row: row.median[-1] if row.median else None,
    ),
    plain_column(
        "counts",
        "string",
        "how often each label was given, as a JSON object",
        lambda row: canonical_json(dict(row.counts)),
        "labels",
        shown=lambda row, _digits: _counts_in_words(row),
    ),
)
_HISTOGRAM: Column[LabelSpread] = Column(
    (),
    lambda _row: (),
    "histogram",
    told="a bar for each label of the question, in its order",
    shown=lambda row, _digits: _bars(row),
)
LABEL_SPREADS: TableSpec[LabelSpread] = TableSpec(_COLUMNS, keys=2)
"""One row for each question and group: how often each label was given, and the median."""
LABEL_HISTOGRAMS: TableSpec[LabelSpread] = replace(
    LABEL_SPREADS, columns=(*_COLUMNS[:-1], _HISTOGRAM, _COLUMNS[-1])
)
"""The same for a terminal, with a histogram."""


def label_agreement_spec(rows: Sequence[LabelAgreement]) -> TableSpec[LabelAgreement]:
    """One row for each label of a question that takes several: how far raters agree on choosing it."""
    keys = list(dict.fromkeys(key for row in rows for key in row.coefficients))
    place: tuple[Column[LabelAgreement], ...] = (
        dimension_column("question", lambda row: row.question.title, "question"),
        plain_column("label", "string", "one label of the question", lambda row: row.label, "label"),
        plain_column(
            "items", "integer", "number of items", lambda row: row.items, "n", told="number of items"
        ),
        estimate_column(
            "chosen",
            "share of answers that hold the label",
            lambda row: row.share,
            "chosen",
            parts=VALUE_ONLY,
            told="share of answers that hold the label",
            interval=False,
        ),
    )
    return TableSpec((*place, *map(_coefficient, keys)), 2)


def _coefficient(key: str) -> Column[LabelAgreement]:
    known = KNOWN[key]
    return estimate_column(
        key,
        known.title,
        lambda row: row.of(key),
        known.symbol,
        parts=ALL_PARTS,
        told=coefficient_in_words(key),
    )


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
