"""Figures in rows: shares as bars, coefficients and judges as forest plots; panels share their rows."""

import math
from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import marks, percent
from reviewer.core.sanitize import one_line
from reviewer.figures.figure_style import BLUE, FAINT, GREY, INK, QUIET, WIDTH, drawable, percent_label
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.coefficient_choice import KNOWN, SHOWN_COEFFICIENTS
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.judges_by_label import JudgeByLabel


def row_places(sizes: Sequence[int], *, heads: bool = True) -> list[float]:
    """Where the rows of groups of these sizes stand, from the top (0) down, below the head of each group."""
    placed, y = [], 0.0
    for size in sizes:
        y += 1.15 if heads else 0.35
        placed += [y + row for row in range(size)]
        y += size
    return placed


def rows_figure(
    names: Mapping[str, Sequence[str]], panels: int, *, heads: bool = True
) -> tuple[Figure, list[Axes]]:
    """Panels side by side that share rows: a bold name for each group, a tick for each of its rows.

    Without ``heads`` each group is one row, which has the name of the group.
    """
    placed = row_places([len(rows) for rows in names.values()], heads=heads)
    last = placed[-1]
    figure = Figure(
        figsize=(WIDTH, max(1.7 if heads else 1.4, 0.8 + 0.21 * (last + 1))), layout="constrained"
    )
    axes = list(figure.subplots(1, panels, sharey=True, squeeze=False)[0])
    named = [name for rows in names.values() for name in rows] if heads else [*names]
    ticks = [drawable(one_line(name, 26)) for name in named]
    axes[0].set_yticks(placed, ticks)
    axes[0].set_ylim(last + 0.6, 0.0 if heads else -0.4)
    for chart in axes:
        chart.tick_params(axis="y", length=0)
        chart.spines["left"].set_visible(False)
    shared = axes[0].get_yaxis_transform()
    first = 0
    for group, rows in names.items() if heads else ():
        y, first = placed[first], first + len(rows)
        name = drawable(one_line(group, 40))
        axes[0].text(-0.015, y - 0.85, name, transform=shared, weight="bold", va="center", ha="right", size=9)
    return figure, axes


def whisker(chart: Axes, y: float, estimate: Estimate, color: str, left: float = 0.0) -> None:
    """The interval; an end beyond the left edge of the chart has no cap."""
    shown = estimate.shown_interval
    if not shown:
        return
    low, high = max(left, shown.low), max(left, shown.high)
    cap = 0.0 if low > shown.low else 0.17
    xs, ys = (low, low, low, high, high, high), (y - cap, y + cap, y, y, y - 0.17, y + 0.17)
    chart.plot(xs, ys, color=color, linewidth=1.1, solid_joinstyle="miter", clip_on=False)


def say_undefined(chart: Axes, y: float, estimate: Estimate, x: float) -> None:
    """Why there is no value, in its place."""
    said = chart.text(x, y, f"undefined: {estimate.reason}", va="center", color=QUIET, size=6.5)
    said.set_in_layout(False)  # a long reason may reach over the edge, and must not push the axes together


def forest_row(chart: Axes, y: float, estimate: Estimate, *, pooled: bool, left: float) -> None:
    """A point with its interval; a diamond if it pools the points above."""
    if estimate.value is None:
        say_undefined(chart, y, estimate, max(left, 0.0) + 0.03)
        return
    whisker(chart, y, estimate, INK if pooled else BLUE, left)
    style = {"marker": "D", "color": INK, "ms": 4.2} if pooled else {"marker": "o", "color": BLUE, "ms": 4.6}
    chart.plot([estimate.value], [y], linestyle="none", clip_on=False, **style)  # type: ignore[arg-type]
    if mark := marks(estimate):
        chart.text(estimate.value, y - 0.15, mark, ha="center", va="bottom", color=INK, size=6.5)


def share_axis(chart: Axes, text: Callable[[float], str] = percent) -> None:
    """Shares in percent along the bottom, with faint lines up from them."""
    chart.xaxis.set_major_formatter(lambda value, _: text(value))
    chart.grid(axis="x", color=FAINT, linewidth=0.6)
    chart.set_axisbelow(True)


def shares(results: Sequence[AgreementResult]) -> Figure:
    """Agreement and the pass rate by majority: bars from 0 to 100% with intervals, pooled values in grey."""
    groups = by_question(results)
    panels: dict[str, Callable[[AgreementResult], Estimate]] = {
        "items on which all raters agree": lambda result: result.of("po_all_agree")
    }
    if has_rates(results):
        panels["items that pass by majority"] = lambda result: result.majority
    figure, axes = _rows_figure(groups, len(panels))
    for chart, (name, of) in zip(axes, panels.items(), strict=True):
        for y, result in _positions(groups):
            _bar(chart, y, of(result), pooled=result.kind == "pooled")
        chart.set_xlim(0, 1)
        chart.set_xlabel(name)
        share_axis(chart)
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
    return {
        name: ["all generators" if row.kind == "pooled" else row.where["generator"] for row in group]
        for name, group in groups.items()
    }


_PANELS: Mapping[str, Callable[[JudgeByLabel], Estimate]] = {
    "sensitivity": lambda row: row.compared.sensitivity,
    "specificity": lambda row: row.compared.specificity,
    "bias": lambda row: row.compared.bias,
}


def judge_forest(rows: Sequence[JudgeByLabel]) -> Figure:
    """One row for each opinion and label under its question; the bias stands around a line at 0."""
    groups: dict[str, list[JudgeByLabel]] = {}
    for row in rows:
        groups.setdefault(row.question.title, []).append(row)
    names = {title: [_name(row) for row in held] for title, held in groups.items()}
    figure, axes = rows_figure(names, len(_PANELS))
    placed = row_places([len(held) for held in groups.values()])
    ordered = [row for held in groups.values() for row in held]
    for chart, (name, of) in zip(axes, _PANELS.items(), strict=True):
        left = -1.0 if name == "bias" else 0.0
        for y, row in zip(placed, ordered, strict=True):
            forest_row(chart, y, of(row), pooled=False, left=left)
        _axis(chart, name, left)
    return figure


def _name(row: JudgeByLabel) -> str:
    return f"{row.opinion.shown_name}: {row.label}"


def _axis(chart: Axes, name: str, left: float) -> None:
    chart.set_xlim(left, 1)
    chart.set_xlabel(name)
    share_axis(chart)
    if left:
        chart.axvline(0, color=GREY, linewidth=0.8)
