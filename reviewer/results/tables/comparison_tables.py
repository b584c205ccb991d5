"""Pass rates compared, those of a study with a stop rule, and the cases that narrower intervals need."""

from collections.abc import Sequence

from reviewer.core.estimate import FEWEST_CASES, TOO_FEW
from reviewer.core.number_text import all_digits, short_number
from reviewer.core.table import (
    VALUE_ONLY,
    Column,
    TableSpec,
    estimate_column,
    number_column,
    p_column,
    plain_column,
)
from reviewer.results.labels.coefficient_choice import KNOWN
from reviewer.results.labels.pass_rate_differences import PassRateDifference
from reviewer.results.labels.sample_size import CellPlan
from reviewer.results.labels.stopping import StopClaim
from reviewer.results.tables.agreement_tables import ROW_NAMES, kind_column
from reviewer.results.tables.place_columns import dimension_column, dimension_columns


def differences_spec(
    by: Sequence[str], differences: Sequence[PassRateDifference]
) -> TableSpec[PassRateDifference]:
    """One row for each comparison: both rates, their difference, z, p, and p by Holm."""
    *shared, compared = by
    columns = (*_pair_columns(compared, differences), *_DIFFERENCES)
    return TableSpec((*dimension_columns(shared), *columns), len(by) + 2)


def _pair_columns(
    compared: str, differences: Sequence[PassRateDifference]
) -> tuple[Column[PassRateDifference], ...]:
    weighted = any(difference.weighted for difference in differences)
    meaning = f"majority or unanimity pass rate{', of the sample or of the dataset' if weighted else ''}"
    return (
        plain_column("measure", "string", meaning, _measure, "rate", shown=_measure_in_words),
        plain_column("compared", "string", "dimension in which the two cells differ", lambda _row: compared),
        plain_column(
            "first", "string", "value of that dimension in the first cell", lambda row: row.first, "first"
        ),
        plain_column(
            "second", "string", "value of that dimension in the second cell", lambda row: row.second, "second"
        ),
    )


def _measure(row: PassRateDifference) -> str:
    return f"{row.measure}, dataset" if row.weighted else row.measure


def _measure_in_words(row: PassRateDifference, _digits: int) -> str:
    """As other tables name weighted rows; programs still read the name that 1.0 gave the measure."""
    return f"{row.measure}, {ROW_NAMES['dataset']}" if row.weighted else row.measure


_DIFFERENCES: tuple[Column[PassRateDifference], ...] = (
    estimate_column(
        "first_rate",
        "pass rate of the first cell",
        lambda row: row.rates[0],
        "1st",
        parts=VALUE_ONLY,
        interval=False,
    ),
    plain_column("first_n", "integer", "number of rated items of the first cell", lambda row: row.rates[0].n),
    estimate_column(
        "second_rate",
        "pass rate of the second cell",
        lambda row: row.rates[1],
        "2nd",
        parts=VALUE_ONLY,
        interval=False,
    ),
    plain_column(
        "second_n", "integer", "number of rated items of the second cell", lambda row: row.rates[1].n
    ),
    estimate_column("difference", "first rate minus second rate", lambda row: row.difference, "1st - 2nd"),
    number_column("z", "z statistic of two proportions, pooled", lambda row: row.test.z, "z"),
    p_column("p", "two-sided p value of z", lambda row: row.test.p, "p"),
    p_column(
        "p_holm",
        "p value corrected by Holm's method for the tests of this measure in the table",
        lambda row: row.adjusted,
        "Holm",
    ),
    plain_column(
        "test_undefined",
        "string",
        "why there is no test; empty if there is one",
        lambda row: row.test.reason,
    ),
    plain_column(
        "dependent",
        "boolean",
        "several items are about the same case, so the interval and the test are approximate",
        lambda row: row.dependent,
    ),
)


def plans_spec(by: Sequence[str], plans: Sequence[CellPlan]) -> TableSpec[CellPlan]:
    """One row for each coefficient of a cell: its half-width, and the cases that a smaller one needs.

    People see why a plan has no number only where one has none.
    """
    *numbers, why = _PLANS
    lacking = any(plan.plan.reason or _is_small(plan) for plan in plans)
    place = dimension_columns(by, joined=True, head="about")
    return TableSpec((*place, *numbers, why if lacking else why.for_programs_only()), 3)


_PLANS: tuple[Column[CellPlan], ...] = (
    kind_column(lambda row: row.kind),
    plain_column(
        "coefficient",
        "string",
        "key of the coefficient",
        lambda row: row.coefficient,
        "coefficient",
        shown=lambda row, _digits: KNOWN[row.coefficient].symbol,
    ),
    number_column("value", "value of the coefficient", lambda row: row.plan.value, "value"),
    plain_column(
        "half_width",
        "number",
        "half of the width of its interval; empty without an interval",
        lambda row: all_digits(row.half_width),
        "half-width",
        shown=lambda row, digits: (
            None if _is_small(row) or row.half_width is None else short_number(row.half_width, digits)
        ),
    ),
    plain_column("cases", "integer", "number of distinct cases at hand", lambda row: row.cases, "cases"),
    plain_column(
        "needed",
        "integer",
        "number of cases like these that the wanted half-width needs",
        lambda row: row.plan.cases,
        "needed",
        shown=lambda row, _digits: None if _is_small(row) else row.plan.cases,
    ),
    plain_column(
        "more",
        "integer",
        "how many of these are not at hand yet",
        lambda row: row.plan.more,
        "more",
        shown=lambda row, _digits: None if _is_small(row) else row.plan.more,
    ),
    plain_column(
        "undefined",
        "string",
        "why there is no such number; empty if there is one",
        lambda row: row.plan.reason,
        "why not",
        shown=lambda row, _digits: f"{TOO_FEW} cases" if _is_small(row) else row.plan.reason or "",
    ),
)


def _is_small(row: CellPlan) -> bool:
    """Whether there are too few cases at hand for people to be told how many more are needed."""
    return row.cases < FEWEST_CASES


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
