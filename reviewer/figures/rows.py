"""Figures in rows, one a generator under each question: agreement as bars, coefficients as a forest plot."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reviewer.core.estimate import Estimate
from reviewer.core.sanitize import one_line
from reviewer.figures.look import BLUE, FAINT, GREY, INK, QUIET, WIDTH, drawable, percent_label
from reviewer.study.statistics.agreement_results import AgreementResult
from reviewer.study.statistics.coefficient_choice import KNOWN, SHOWN_COEFFICIENTS
from reviewer.study.statistics.dimensions import ALL


def percent_agreement(results: Sequence[AgreementResult]) -> Figure:
    """Po by question and generator: bars from 0 to 100% with their intervals, the pooled value in grey."""
    groups = by_question(results)
    figure, axes = _rows_figure(groups, 1)
    chart = axes[0]
    for y, result in _positions(groups):
        estimate = result.of("po_all_agree")
        pooled = result.kind == "pooled"
        if estimate.value is None:
            _say_undefined(chart, y, estimate, 0.01)
            continue
        chart.barh(y, estimate.value, height=0.72, color=GREY if pooled else BLUE, alpha=0.75)
        _whisker(chart, y, estimate, INK)
        agreed = round(estimate.value * estimate.n)
        chart.text(1.02, y, percent_label(estimate.value), ha="left", va="center", weight="bold")
        chart.text(1.125, y, f"{agreed} of {estimate.n}", ha="left", va="center", color=QUIET, size=7.5)
    chart.set_xlim(0, 1)
    chart.set_xlabel("items on which all raters agree (Po)")
    chart.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    chart.grid(axis="x", color=FAINT, linewidth=0.6)
    chart.set_axisbelow(True)
    return figure


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
    low = max(-1.0, min([-0.1, *ends]) - 0.05)
    for chart, key in zip(axes, keys, strict=True):
        for y, result in _positions(groups):
            _forest_row(chart, y, result.of(result.like(key)), pooled=result.kind == "pooled", left=low)
        chart.axvline(0, color=GREY, linewidth=0.8)
        chart.set_xlim(low, 1.04)
        weighted = dict.fromkeys(name for result in results if (name := result.like(key)) != key)
        in_order = "".join(f"\nlabels in order: {KNOWN[name].symbol}" for name in weighted)
        chart.set_title(f"{KNOWN[key].title}{in_order}", size=8.5, weight="bold", loc="left")
        chart.set_xticks((0, 0.25, 0.5, 0.75, 1), ("0", ".25", ".5", ".75", "1"))
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
    """Rows from the top (0) down, with a gap before each question for its name."""
    placed, y = [], 0.0
    for group in groups.values():
        y += 1.15
        for result in group:
            placed.append((y, result))
            y += 1
    return placed


def _rows_figure(groups: Mapping[str, Sequence[AgreementResult]], panels: int) -> tuple[Figure, list[Axes]]:
    """Panels side by side that share rows: a bold name for each question, a tick for each generator."""
    placed = _positions(groups)
    last = placed[-1][0]
    figure = Figure(figsize=(WIDTH, max(1.8, 0.9 + 0.21 * (last + 1))), layout="constrained")
    axes = list(figure.subplots(1, panels, sharey=True, squeeze=False)[0])
    names = [drawable(one_line(_generator_name(result), 26)) for _, result in placed]
    axes[0].set_yticks([y for y, _ in placed], names)
    axes[0].set_ylim(last + 0.6, 0.0)
    for chart in axes:
        chart.tick_params(axis="y", length=0)
        chart.spines["left"].set_visible(False)
    shared = axes[0].get_yaxis_transform()
    firsts = {
        question: next(y for y, each in placed if each is group[0]) for question, group in groups.items()
    }
    for question, y in firsts.items():
        name = drawable(one_line(question, 40))
        axes[0].text(-0.015, y - 0.85, name, transform=shared, weight="bold", va="center", ha="right", size=9)
    return figure, axes


def _generator_name(result: AgreementResult) -> str:
    return "all generators" if result.kind == "pooled" else result.where["generator"]


def _whisker(chart: Axes, y: float, estimate: Estimate, color: str, left: float = 0.0) -> None:
    """The interval; an end beyond the left edge of the chart has no cap."""
    shown = estimate.shown_interval
    if not shown:
        return
    low, high = max(left, shown.low), max(left, shown.high)
    cap = 0.0 if low > shown.low else 0.17
    xs, ys = (low, low, low, high, high, high), (y - cap, y + cap, y, y, y - 0.17, y + 0.17)
    chart.plot(xs, ys, color=color, linewidth=1.1, solid_joinstyle="miter", clip_on=False)


def _say_undefined(chart: Axes, y: float, estimate: Estimate, x: float) -> None:
    said = chart.text(x, y, f"undefined: {estimate.reason}", va="center", color=QUIET, size=6.5)
    said.set_in_layout(False)  # a long reason may reach over the edge, and must not push the axes together


def _forest_row(chart: Axes, y: float, estimate: Estimate, *, pooled: bool, left: float) -> None:
    if estimate.value is None:
        _say_undefined(chart, y, estimate, max(left, 0.0) + 0.03)
        return
    _whisker(chart, y, estimate, INK if pooled else BLUE, left)
    style = {"marker": "D", "color": INK, "ms": 4.2} if pooled else {"marker": "o", "color": BLUE, "ms": 4.6}
    chart.plot([estimate.value], [y], linestyle="none", clip_on=False, **style)  # type: ignore[arg-type]
