"""Rows of named values: panels side by side that share their rows, points with intervals, and reasons."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import marks
from reviewer.core.sanitize import one_line
from reviewer.figures.look import BLUE, INK, QUIET, WIDTH, drawable


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
        figsize=(WIDTH, max(1.8 if heads else 1.4, 0.9 + 0.21 * (last + 1))), layout="constrained"
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
