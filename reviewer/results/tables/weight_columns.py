"""How each case of a table was drawn, for tables of studies whose cases have weights."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from reviewer.core.number_text import all_digits
from reviewer.core.table_spec import Column, RowType, TableSpec, plain_column
from reviewer.study.design.study_design import FrozenStratum


def with_weights(
    spec: TableSpec[RowType], strata: Sequence[FrozenStratum], case: Callable[[RowType], str]
) -> TableSpec[RowType]:
    """The table with the stratum and the weight of each row's case; as it is if there are no strata."""
    stratum_of = {digest: stratum for stratum in strata for digest in stratum.cases}
    columns: tuple[Column[RowType], ...] = (
        plain_column(
            "stratum",
            "string",
            "stratum from which the case was drawn; empty for cases with known answers",
            lambda row: s.name if (s := stratum_of.get(case(row))) else None,
        ),
        plain_column(
            "inclusion_probability",
            "number",
            "with which probability the case was drawn: cases drawn of its stratum, by those in it",
            lambda row: all_digits(s.chance_of(case(row))) if (s := stratum_of.get(case(row))) else None,
        ),
        plain_column(
            "weight",
            "number",
            "for how many cases of the dataset the case speaks: 1 by that probability",
            lambda row: all_digits(s.weight_of(case(row))) if (s := stratum_of.get(case(row))) else None,
        ),
    )
    return replace(spec, columns=(*spec.columns, *columns)) if strata else spec
