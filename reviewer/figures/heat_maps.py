"""Pass rates as heat maps: questions down, generators across."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import percent, points
from reviewer.core.sanitize import one_line
from reviewer.figures.figure_style import INK, PALE, WIDTH, drawable, percent_label
from reviewer.figures.row_charts import by_question
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.dimensions import ALL

_SHADES: Colormap = LinearSegmentedColormap.from_list(
    "paper to blue", ["#F6F8FA", "#9CC3DE", "#2B7CB0", "#08406B"]
)


def pass_rates(results: Sequence[AgreementResult]) -> Figure:
    """Majority and unanimity pass rates side by side on one scale: questions down, generators across."""
    groups = by_question(results)
    columns = list(dict.fromkeys(result.where["generator"] for group in groups.values() for result in group))
    rates = [
        rate
        for group in groups.values()
        for rates_of_group in group
        for rate in (rates_of_group.majority, rates_of_group.unanimity)
    ]
    least = min((rate.value for rate in rates if rate.value is not None), default=0.0)
    scale = Normalize(min(0.9, int(least * 10) / 10), 1.0)
    height = max(2.4, 1.5 + 0.52 * len(groups))
    figure = Figure(figsize=(max(WIDTH, 2.4 + 1.5 * len(columns)), height), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for chart, measure, title in ((left, "majority", "majority"), (right, "unanimity", "unanimity")):
        _heat_map(chart, groups, columns, measure, scale)
        chart.set_title(f"pass by {title}", size=9.5, weight="bold", loc="left")
    bar = figure.colorbar(ScalarMappable(scale, _SHADES), ax=[left, right], shrink=0.8, pad=0.02, aspect=18)
    bar.ax.yaxis.set_major_formatter(lambda value, _: percent(value))
    bar.outline.set_visible(False)
    return figure


def _heat_map(
    chart: Axes,
    groups: Mapping[str, Sequence[AgreementResult]],
    columns: Sequence[str],
    measure: str,
    scale: Normalize,
) -> None:
    for row, group in enumerate(groups.values()):
        for result in group:
            rate: Estimate = getattr(result, measure)
            _heat_cell(chart, columns.index(result.where["generator"]), row, rate, scale)
    chart.set_xlim(-0.5, len(columns) - 0.5)
    chart.set_ylim(len(groups) - 0.5, -0.5)
    names = ["all" if name == ALL else drawable(one_line(name, 16)) for name in columns]
    chart.set_xticks(range(len(columns)), names, size=7.5, rotation=20 if max(map(len, names)) > 8 else 0)
    chart.set_yticks(range(len(groups)), [drawable(one_line(name, 24)) for name in groups])
    chart.tick_params(length=0)
    for spine in chart.spines.values():
        spine.set_visible(False)


def _heat_cell(chart: Axes, x: int, y: int, rate: Estimate, scale: Normalize) -> None:
    shade = PALE if rate.value is None else _SHADES(scale(rate.value))
    chart.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=shade, edgecolor="none"))
    if rate.value is None:
        chart.text(x, y, "-", ha="center", va="center")
        return
    ink = "white" if scale(rate.value) > 0.55 else INK
    share = percent_label(rate.value)
    chart.text(x, y - 0.1, share, ha="center", va="center", color=ink, size=9.5, weight="bold")
    shown = rate.shown_interval
    ends = f"{points(shown.low, 0)} to {points(shown.high, 0)}" if shown else rate.too_few
    chart.text(x, y + 0.26, ends, ha="center", va="center", color=ink, size=6.5)
