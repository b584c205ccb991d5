"""Draws that were simulated for a plan."""

from reviewer.core.number_text import all_digits, short_number
from reviewer.core.table import TableSpec, plain_column
from reviewer.results.draw_plans import DrawPlan


def draw_plans_spec(level: str) -> TableSpec[DrawPlan]:
    """One row for each draw. ``level`` is that of the intervals, in percent."""
    return TableSpec(
        (
            plain_column("cases", "integer", "number of cases drawn", lambda plan: plan.total, "cases"),
            plain_column(
                "allocation",
                "string",
                "simple: cases from the whole dataset; else how cases are allocated to strata",
                lambda plan: plan.allocation,
                "allocation",
            ),
            plain_column(
                "drawn",
                "string",
                "number of cases from each stratum; empty for a simple draw",
                lambda plan: " + ".join(map(str, plan.drawn)) or None,
                "from each stratum",
            ),
            plain_column(
                "width",
                "number",
                f"mean width of the {level} interval that reports print for the pass rate of the dataset",
                lambda plan: all_digits(plan.width),
                "width",
                told=f"mean width of the {level} interval that reports print for the dataset's pass rate",
                shown=lambda plan, _digits: short_number(plan.width, 3),
            ),
            plain_column(
                "relative_width",
                "number",
                "width by that of the simple draw of as many cases",
                lambda plan: all_digits(plan.relative),
                "by simple",
                told="width by that of a simple draw of as many cases",
                shown=lambda plan, _digits: short_number(plan.relative),
            ),
        )
    )
