"""Figures in rows, one a generator under each question: shares as bars, coefficients as a forest plot."""

import math
from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import percent
from reviewer.figures.look import BLUE, FAINT, GREY, INK, QUIET, percent_label
from reviewer.figures.row_charts import forest_row, row_places, rows_figure, say_undefined, whisker
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.coefficient_choice import KNOWN, SHOWN_COEFFICIENTS
from reviewer.results.labels.dimensions import ALL


def shares(results: Sequence[AgreementResult]) -> Figure:
    """Agreement and the pass rate by majority: bars from 0 to 100% with intervals, pooled values in grey."""
    groups = by_question(results)
    panels: dict[str, Callable[[AgreementResult], Estimate]] = {
        "items on which all raters agree (Po)": lambda result: result.of("po_all_agree")
    }
    if has_rates(results):
        panels["items that pass by majority"] = lambda result: result.majority
    figure, axes = _rows_figure(groups, len(panels))
    for chart, (name, of) in zip(axes, panels.items(), strict=True):
        for y, result in _positions(groups):
            _bar(chart, y, of(result), pooled=result.kind == "pooled")
        chart.set_xlim(0, 1)
        chart.set_xlabel(name)
        chart.xaxis.set_major_formatter(lambda value, _: percent(value))
        chart.grid(axis="x", color=FAINT, linewidth=0.6)
        chart.set_axisbelow(True)
    return figure


def has_rates(results: Sequence[AgreementResult]) -> bool:
    """Whether any result has a pass rate."""
    return any(result.majority.value is not None for result in results)


def _bar(chart: Axes, y: float, estimate: Estimate, *, pooled: bool) -> None:
    """A share with its interval, in numbers behind the axis."""
    if estimate.value is None:
        say_undefined(chart, y, estimate, 0.01)
        return
    chart.barh(y, estimate.value, height=0.72, color=GREY if pooled else BLUE, alpha=0.75)
    whisker(chart, y, estimate, INK)
    count = f"{round(estimate.value * estimate.n)} of {estimate.n}"
    chart.text(1.02, y, percent_label(estimate.value), ha="left", va="center", weight="bold", size=7.5)
    chart.text(1.25, y, count, ha="left", va="center", color=QUIET, size=7)


def coefficients(results: Sequence[AgreementResult]) -> Figure:
    """A forest plot: each chance-corrected coefficient with its interval, pooled values as diamonds."""
    keys = _panels(results)
    groups = by_question(results)
    figure, axes = _rows_figure(groups, len(keys))
    ends = [
        shown.low
        for _, each in _positions(groups)
        for key in keys
        if (shown := each.of(each.like(key)).shown_interval)
    ]
    low = max(-1.0, math.floor(4 * min([-0.1, *ends])) / 4)  # the axis begins at a tick
    ticks = [low + step / 4 for step in range(round(4 * (1 - low)) + 1)]
    for chart, key in zip(axes, keys, strict=True):
        for y, result in _positions(groups):
            forest_row(chart, y, result.of(result.like(key)), pooled=result.kind == "pooled", left=low)
        chart.axvline(0, color=GREY, linewidth=0.8)
        chart.set_xlim(low, 1.04)
        weighted = dict.fromkeys(name for result in results if (name := result.like(key)) != key)
        in_order = "".join(f"\nlabels in order: {KNOWN[name].symbol}" for name in weighted)
        chart.set_title(f"{KNOWN[key].title}{in_order}", size=8.5, weight="bold", loc="left")
        chart.set_xticks(ticks, [f"{tick:g}".replace("0.", ".") for tick in ticks], size=7)
        chart.grid(axis="x", color=FAINT, linewidth=0.6)
        chart.set_axisbelow(True)
    return figure


def _panels(results: Sequence[AgreementResult]) -> list[str]:
    """The coefficients to draw: where labels have an order, each is drawn in its form for them."""
    base = SHOWN_COEFFICIENTS if any(result.form == "ordinal" for result in results) else ()
    keys = base or dict.fromkeys(key for result in results for key in result.coefficients)
    return [key for key in keys if not key.startswith("po_")]


def by_question(results: Sequence[AgreementResult]) -> dict[str, list[AgreementResult]]:
    """Cells of each question by generator, then what they pool to where there are several."""
    groups: dict[str, list[AgreementResult]] = {}
    for result in results:
        question = result.where["question"]
        if result.kind == "cell" or (result.kind == "pooled" and question != ALL):
            groups.setdefault(question, []).append(result)
    return groups


def _positions(groups: Mapping[str, Sequence[AgreementResult]]) -> list[tuple[float, AgreementResult]]:
    """Each result with the place of its row."""
    placed = row_places([len(group) for group in groups.values()], heads=_has_heads(groups))
    return list(zip(placed, (result for group in groups.values() for result in group), strict=True))


def _rows_figure(groups: Mapping[str, Sequence[AgreementResult]], panels: int) -> tuple[Figure, list[Axes]]:
    """A bold name for each question, a tick for each generator."""
    return rows_figure(_names(groups), panels, heads=_has_heads(groups))


def _has_heads(groups: Mapping[str, Sequence[AgreementResult]]) -> bool:
    """Whether questions have heads: with a single generator, each is a row of its own."""
    return len({name for names in _names(groups).values() for name in names}) > 1


def _names(groups: Mapping[str, Sequence[AgreementResult]]) -> dict[str, list[str]]:
    """The names of the generators below each question."""
    return {name: [*map(_generator_name, group)] for name, group in groups.items()}


def _generator_name(result: AgreementResult) -> str:
    return "all generators" if result.kind == "pooled" else result.where["generator"]
