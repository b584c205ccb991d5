"""Two parts of evaluated outcomes compared, and how many cases an evaluation needs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reviewer.core.estimate_column import RATE_PARTS, estimate_column, number_column, p_column
from reviewer.core.number_text import all_digits
from reviewer.core.table_spec import Column, TableSpec, plain_column
from reviewer.results.outcomes.contrasts import EffectContrast

if TYPE_CHECKING:
    from reviewer.results.outcomes.case_needs import CaseNeed

_PARTS = (*RATE_PARTS[:-1], "se", "undefined")


def contrasts_spec(by: Sequence[str]) -> TableSpec[EffectContrast]:
    """The table of differences: a line for each row, measure and way of computing."""
    columns: list[Column[EffectContrast]] = [
        *(_label(name) for name in by),
        plain_column(
            "measure",
            "string",
            "key of the measure",
            lambda row: row.measure.key,
            "measure",
            shown=lambda row, _digits: row.measure.title,
        ),
        plain_column(
            "way",
            "string",
            "as it is, standardised to one mix of cases, or as the mean of models",
            lambda row: row.way,
            "way",
            told="as it is, standardised to one mix of cases, or (as published) the mean of models",
        ),
        estimate_column(
            "difference",
            "first minus second",
            lambda row: row.estimate,
            "difference",
            parts=_PARTS,
            units="cases, or of what intervals resample (families, questions; for a mean of models: models)",
        ),
        number_column("t", "Student's t of the difference", lambda row: row.test.z),
        number_column("p", "two-sided p of the test", lambda row: row.test.p),
        p_column(
            "p_holm",
            "p after Holm's correction over the rows of the same way",
            lambda row: row.holm,
            "p",
            told="Student's t, after Holm's correction over the rows of the same way",
        ),
        plain_column(
            "left_out",
            "string",
            "labels of the mix that only one side has, which are left out",
            lambda row: ", ".join(row.left_out) or None,
        ),
    ]
    return TableSpec(tuple(columns), len(by) + 2)


def _label(name: str) -> Column[EffectContrast]:
    shown = name.replace("_", " ")
    return plain_column(name, "string", f"{shown} of the row", lambda row: row.where[name], shown)


_NEEDS: "tuple[Column[CaseNeed], ...]" = (
    plain_column("measure", "string", "what is planned for", lambda need: need.measure, "measure"),
    plain_column(
        "value", "number", "value that the plan rests on", lambda need: all_digits(need.value), "value"
    ),
    plain_column("cases_now", "integer", "cases at hand", lambda need: need.cases_now, "cases now"),
    plain_column("purpose", "string", "what the cases are for", lambda need: need.purpose, "for"),
    plain_column("cases_needed", "integer", "cases that are needed", lambda need: need.cases, "cases needed"),
    plain_column("why_not", "string", "why there is no number", lambda need: need.why or None, "why not"),
)


def needs_spec(needs: "Sequence[CaseNeed]") -> "TableSpec[CaseNeed]":
    """One row for each need. People see cases at hand and missing numbers only where there are some."""
    lacking = {
        "cases_now": all(need.cases_now is None for need in needs),
        "why_not": not any(need.why for need in needs),
    }
    return TableSpec(
        tuple(
            column.for_programs_only() if lacking.get(column.fields[0].name) else column for column in _NEEDS
        ),
        1,
    )
