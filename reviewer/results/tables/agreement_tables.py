"""Agreement and pass rates, divided by any dimensions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import with_interval
from reviewer.core.table import (
    ALL_PARTS,
    VALUE_ONLY,
    Column,
    RowType,
    TableSpec,
    estimate_column,
    plain_column,
    without_interval,
)
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.coefficient_choice import (
    KNOWN,
    NO_PASSING_LABEL,
    NOT_COMPUTED,
    coefficient_in_words,
    ordered_forms,
)
from reviewer.results.labels.divided_items import AnswerForm
from reviewer.results.labels.rater_results import BothWays
from reviewer.results.tables.place_columns import dimension_columns

PASSING = "share of all labels that let an item pass (not a pass rate)"
SCALES: Mapping[AnswerForm, str] = {
    "nominal": "labels without an order",
    "ordinal": "labels in order",
    "sets": "sets of labels",
    "ranks": "rankings",
    "spans": "spans of a text",
    "text": "free text",
    "mixed": "all questions",
}
"""What the rows of one part have in common (see ``by_scale``)."""
ROW_NAMES = {"cell": "subgroup", "mean of cells": "mean", "pooled": "overall", "dataset": "weighted"}
_ROWS = {
    "cell": "subgroup: the items of the row alone",
    "mean of cells": "mean: the mean of the subgroups, each counting once",
    "pooled": "overall: all labels of the subgroups taken together",
    "dataset": "weighted: each case counts for those that it stands for among all that could be drawn",
}
"""What the rows of a table are, where it has several kinds of rows."""
_IN_CODEBOOK = (
    "dataset: cases weighted so that each stratum counts as much as among all cases that could be drawn."
)
_SCORE = (
    "Intervals of its pass rates take the sizes of the strata into account (the stratified score test). "
    "Where a case has several items, a design effect corrects them, because these items are not independent. "
    "The manual page on weighting has the formulas and sources."
)
# More columns than these leave a terminal of 100 columns no room for numbers.
_WIDEST_BY = 2
_DOES_NOT_APPLY = frozenset((*NOT_COMPUTED.values(), NO_PASSING_LABEL))


def kind_column(kind: Callable[[RowType], str], *, weighted: bool = False) -> Column[RowType]:
    """Whether a row is a cell, a mean of cells, pooled, or ``weighted``."""
    meaning = "cell, mean of cells (unweighted, over those with a value), or pooled labels"
    if weighted:
        meaning += f"; {_IN_CODEBOOK} {_SCORE}"
    return plain_column(
        "kind", "string", meaning, kind, "row", shown=lambda row, _digits: ROW_NAMES[kind(row)]
    )


_ITEMS: Column[AgreementResult] = plain_column(
    "items",
    "integer",
    "number of items; an item is one question about one case",
    lambda row: row.items,
    "n",
    told="number of items",
)
_COUNTS: tuple[Column[AgreementResult], ...] = (
    _ITEMS,
    plain_column("cases", "integer", "number of distinct cases among the items", lambda row: row.cases),
    plain_column(
        "raters",
        "integer",
        "number of raters who gave at least one of the labels",
        lambda row: row.raters,
        "raters",
        short="r",
        told="number of raters",
    ),
    plain_column("labels", "integer", "number of labels given", lambda row: row.ratings),
    plain_column(
        "missing",
        "integer",
        "number of labels that raters who have begun have not given",
        lambda row: row.missing,
    ),
)
_PASSING_SHARE: Column[AgreementResult] = estimate_column(
    "passing_share",
    "share of labels that are the passing label; not a pass rate",
    lambda row: row.passing_share,
    "passing",
    parts=VALUE_ONLY,
    told=PASSING,
    interval=False,
)
_RATES: tuple[Column[AgreementResult], ...] = (
    estimate_column(
        "majority",
        "pass rate by majority: share of items whose majority label is one with which they pass",
        lambda row: row.majority,
        "majority",
        short="maj.",
    ),
    estimate_column(
        "unanimity",
        "pass rate by unanimity: share of items that pass by majority and by the label of every rater",
        lambda row: row.unanimity,
        "unanimity",
        short="unan.",
    ),
)
_UNDECIDED: Column[AgreementResult] = plain_column(
    "undecided",
    "integer",
    "number of items without a majority label; they do not pass",
    lambda row: row.undecided,
    "undecided",
    told="items without a majority label; they do not pass",
)


def with_numbers(results: Sequence[AgreementResult]) -> list[AgreementResult]:
    """The results but those that sum up others and have no number, as over questions of unlike labels."""
    return [result for result in results if result.kind == "cell" or result.has_number]


def by_scale(results: Sequence[AgreementResult]) -> list[list[AgreementResult]]:
    """The results in parts whose answers are of one kind, so that they share coefficients.

    Rows over several kinds of answers come last, and only if they have a value that leaves out no kind.
    """
    forms = dict.fromkeys(result.form for result in results if result.form != "mixed")
    parts = [[result for result in results if result.form == form] for form in forms]
    parts.append([result for result in results if result.form == "mixed" and _has_value(result)])
    return [part for part in parts if part] or [list(results)]


def _has_value(result: AgreementResult) -> bool:
    return any(_is_over_all(estimate) for estimate in (*result.coefficients.values(), result.majority))


def _is_over_all(estimate: Estimate) -> bool:
    """Whether there is a value that leaves out no part."""
    return estimate.value is not None and not estimate.left_out


def _applying(
    columns: Sequence[Column[AgreementResult]], results: Sequence[AgreementResult]
) -> tuple[Column[AgreementResult], ...]:
    """The columns; people do not see those that apply to none of the results."""
    return tuple(column if _applies(column, results) else column.for_programs_only() for column in columns)


def _applies(column: Column[AgreementResult], results: Sequence[AgreementResult]) -> bool:
    """Whether any result can have a value there; of several kinds of answers, whether all of them can."""
    of = column.estimate
    return of is None or any(
        _is_over_all(of(result)) if result.form == "mixed" else of(result).reason not in _DOES_NOT_APPLY
        for result in results
    )


def agreement_spec(by: Sequence[str], results: Sequence[AgreementResult]) -> TableSpec[AgreementResult]:
    """One row for each result: counts, share of passing labels, each coefficient with all its parts."""
    place: tuple[Column[AgreementResult], ...] = dimension_columns(by)
    columns = (*place, *_applying(_measured(results), results))
    return TableSpec(columns, len(by) + _has_several_kinds(results), rows_in_words(results))


def agreement_in_report(by: Sequence[str], results: Sequence[AgreementResult]) -> TableSpec[AgreementResult]:
    """The same where people see no column that says nothing: without a value, or with the same raters."""
    spec = agreement_spec(by, results).without_empty(results)
    return spec if len({result.raters for result in results}) > 1 else _without_raters(spec)


def _without_raters(spec: TableSpec[AgreementResult]) -> TableSpec[AgreementResult]:
    """The table without the number of raters, where it is the same in every row."""
    columns = (column.for_programs_only() if column.head == "raters" else column for column in spec.columns)
    return replace(spec, columns=tuple(columns))


def agreement_in_terminal(
    by: Sequence[str], results: Sequence[AgreementResult]
) -> TableSpec[AgreementResult]:
    """The same where room is scarce. Many dimensions share a column; without intervals, pass rates fit in."""
    place = dimension_columns(by, joined=len(by) > _WIDEST_BY)
    estimates = [estimate for result in results for estimate in result.coefficients.values()]
    bare = not any(estimate.interval or estimate.too_few for estimate in estimates)
    rates = (without_interval(rate) for rate in _RATES if bare)
    columns = _applying((*_measured(results), *rates), results)
    return TableSpec((*place, *columns), len(place) + _has_several_kinds(results), rows_in_words(results))


def rows_in_words(results: Sequence[AgreementResult]) -> str:
    """What the kinds of rows are; "" if all are of one kind."""
    if not _has_several_kinds(results):
        return ""
    kinds = {result.kind for result in results}
    return f"{'; '.join(words for kind, words in _ROWS.items() if kind in kinds)}."


def has_dataset_interval(results: Sequence[AgreementResult]) -> bool:
    """Whether a weighted pass rate shows an interval."""
    weighted = (result for result in results if result.kind == "dataset")
    return any(rate.shown_interval for result in weighted for rate in (result.majority, result.unanimity))


def _of_dataset(results: Sequence[AgreementResult]) -> bool:
    """Whether there are weighted results."""
    return any(result.kind == "dataset" for result in results)


def _measured(results: Sequence[AgreementResult]) -> tuple[Column[AgreementResult], ...]:
    keys = dict.fromkeys(key for result in results for key in result.coefficients)
    return (*_counts(results), _PASSING_SHARE, *map(_coefficient, keys))


def _counts(results: Sequence[AgreementResult]) -> tuple[Column[AgreementResult], ...]:
    kind: Column[AgreementResult] = kind_column(lambda row: row.kind, weighted=_of_dataset(results))
    return (kind if _has_several_kinds(results) else kind.for_programs_only(), *_COUNTS)


def _has_several_kinds(results: Sequence[AgreementResult]) -> bool:
    """Whether a column has to say what a row is: not where all of them are subgroups."""
    return len({result.kind for result in results}) > 1


def _coefficient(key: str) -> Column[AgreementResult]:
    known = KNOWN[key]
    return estimate_column(
        key,
        known.title,
        lambda row: row.of(key),
        known.symbol,
        parts=ALL_PARTS,
        told=coefficient_in_words(key),
    )


def pass_rates_spec(by: Sequence[str], results: Sequence[AgreementResult]) -> TableSpec[AgreementResult]:
    """One row for each result: majority and unanimity pass rates with intervals, and undecided items."""
    place = dimension_columns(by, joined=len(by) > _WIDEST_BY)
    kind, n, *others = _counts(results)
    counts = (kind, n, *(column.for_programs_only() for column in others))
    score = _SCORE if has_dataset_interval(results) else ""
    note = " ".join(filter(None, (rows_in_words(results), score)))
    return TableSpec((*place, *counts, *_RATES, _UNDECIDED), len(place) + _has_several_kinds(results), note)


def headline_spec(
    by: Sequence[str],
    keys: Sequence[str],
    results: Sequence[AgreementResult],
    final: Callable[[AgreementResult], Estimate] | None = None,
) -> TableSpec[AgreementResult]:
    """What matters most of each result: its items, these coefficients, and the pass rate by majority.

    ``final`` gives the pass rate by final labels, where some were adjudicated.
    """
    told = "share of items that pass by the majority of the raters' labels"
    rates = (
        replace(_RATES[0], head="pass by majority", short=None, told=told),
        *([_final_rate(final)] if final else []),
    )
    ordered = any(row.form == "ordinal" for row in results)
    divided: tuple[Column[AgreementResult], ...] = dimension_columns(by)
    items = replace(_ITEMS, head="items", told="")
    return TableSpec((*divided, items, *(_headline(key, ordered=ordered) for key in keys), *rates), len(by))


def _final_rate(final: Callable[[AgreementResult], Estimate]) -> Column[AgreementResult]:
    return Column(
        (),
        lambda _row: (),
        "pass by final label",
        told="share that passes by final labels, which somebody decided where raters disagreed",
        shown=lambda row, digits: with_interval(final(row), digits) or "–",
    )


def _headline(key: str, *, ordered: bool) -> Column[AgreementResult]:
    """A coefficient under its full name."""
    known = KNOWN[key]
    is_share = key.startswith("po_")
    head, told = (known.symbol, coefficient_in_words(key)) if is_share else (known.title, "")
    if ordered and ordered_forms(key):
        told = "weighted where labels have an order"
    return estimate_column(
        key, known.title, lambda row: row.of(row.like(key)), head, parts=ALL_PARTS, told=told
    )


def both_ways_spec(by: Sequence[str], rows: Sequence[BothWays]) -> TableSpec[BothWays]:
    """Two rows for each result: without the raters who are left out, and with everybody."""
    divided: tuple[Column[AgreementResult], ...] = dimension_columns(by)
    place = [_of_result(column) for column in (*divided, *_measured([row.result for row in rows]), *_RATES)]
    counted: Column[BothWays] = plain_column(
        "raters_counted",
        "string",
        "without: without the raters who are left out; everybody: with them",
        lambda row: "without" if row.without else "everybody",
        "counted",
    )
    return TableSpec((*place[: len(by)], counted, *place[len(by) :]), len(by) + 1)


def _of_result(column: Column[AgreementResult]) -> Column[BothWays]:
    """A column of results, for results with and without some raters."""
    estimate = column.estimate
    return Column(
        column.fields,
        lambda row: column.cells(row.result),
        column.head,
        column.short,
        column.told,
        lambda row, digits: column.shown(row.result, digits),
        None if estimate is None else lambda row: estimate(row.result),
        column.interval,
    )


def totals_spec(dimension: str, results: Sequence[AgreementResult]) -> TableSpec[AgreementResult]:
    """The aggregates of each value of a dimension: agreement, with pass rates before the coefficients."""
    columns = _measured(results)
    at = columns.index(_PASSING_SHARE) + 1
    shown = _applying((*columns[:at], *_RATES, *columns[at:]), results)
    keys = 1 + _has_several_kinds(results)
    place: tuple[Column[AgreementResult], ...] = dimension_columns((dimension,))
    spec = TableSpec((*place, *shown), keys, rows_in_words(results)).without_empty(results)
    return spec if len({result.raters for result in results}) > 1 else _without_raters(spec)


@dataclass(frozen=True, slots=True)
class NamedEstimate:
    """One number of a result: a coefficient, or a pass rate."""

    result: AgreementResult
    name: str
    estimate: Estimate


def in_long_form(results: Iterable[AgreementResult]) -> Iterator[NamedEstimate]:
    """Every coefficient of each result, then its pass rates."""
    for result in results:
        rates = {"majority": result.majority, "unanimity": result.unanimity}
        for name, estimate in {**result.coefficients, **rates}.items():
            yield NamedEstimate(result, name, estimate)


def long_agreement_spec(by: Sequence[str], results: Sequence[AgreementResult]) -> TableSpec[NamedEstimate]:
    """One row for each number: what it is about, its name, and its parts."""
    divided: tuple[Column[AgreementResult], ...] = (*dimension_columns(by), *_counts(results))
    return TableSpec((*(_of_estimate(column) for column in divided), *_NAMED))


def _of_estimate(column: Column[AgreementResult]) -> Column[NamedEstimate]:
    return Column(column.fields, lambda row: column.cells(row.result))


_NAMED: tuple[Column[NamedEstimate], ...] = (
    plain_column(
        "coefficient", "string", "key of the coefficient, or majority or unanimity", lambda row: row.name
    ),
    estimate_column("value", "the number", lambda row: row.estimate, parts=ALL_PARTS),
)
