"""Figures of an evaluation run: effects with intervals in rows, changes in both directions, and tiers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import short_number, sum_text
from reviewer.core.sanitize import counted, one_line
from reviewer.figures.figure_style import (
    BLUE,
    FAINT,
    GREY,
    INK,
    OTHER_LABELS,
    QUIET,
    WIDTH,
    drawable,
    percent_label,
)
from reviewer.figures.row_charts import forest_row, row_places, rows_figure, share_axis
from reviewer.protocols.evaluation import Measure
from reviewer.results.labels.dimensions import ALL
from reviewer.results.outcomes.effect_estimates import AMONG
from reviewer.results.outcomes.effect_rows import COIN, MODEL, EffectRow, EffectTable

_FORWARD, _BACKWARD = OTHER_LABELS[0], BLUE
_ABREAST = 3


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of a figure with its name; ``pooled`` if it sums up the rows above."""

    name: str
    row: EffectRow
    pooled: bool = False


_Lines = Mapping[str, Sequence[_Line]]
"""The rows of a figure under the name of each model."""


def effects_forest(measures: Sequence[Measure], table: EffectTable, *, coin: bool = False) -> Figure:
    """A panel for each measure; under each model its rows, all of it as a diamond; grey bars are noise.

    With ``coin`` a dotted line stands where a coin does.
    """
    lines = _lines(table)
    figure, axes = rows_figure(_names(lines), len(measures))
    for chart, measure in zip(axes, measures, strict=True):
        _panel(chart, measure, list(_placed(lines)), coin=coin)
    for y, line in _placed(lines):
        _at_right(axes[-1], y, _cases(line.row.effects[measure.key].cases for measure in measures))
    return figure


def _cases(numbers: Iterable[int]) -> str:
    """How many cases a row rests on; a range where measures rest on different ones."""
    fewest, *_, most = sorted((*numbers,) * 2)
    return counted(most, "case") if fewest == most else f"{fewest:,} to {counted(most, 'case')}"


def direction_bars(measure: Measure, table: EffectTable) -> Figure:
    """Bars to the right: the share of runs that go forward; to the left: back. Numbers are counts."""
    lines = _lines(table)
    figure, (chart,) = rows_figure(_names(lines), 1)
    bars = [(y, line, line.row.effects[measure.key]) for y, line in _placed(lines)]
    shares = [(bar.forward / (bar.runs or 1), bar.backward / (bar.runs or 1)) for _, _, bar in bars]
    right, left = (max(0.02, *column) for column in zip(*shares, strict=True))
    gap = 0.008 * (right + left)
    for (y, line, bar), (forth, back) in zip(bars, shares, strict=True):
        strong = 1.0 if line.pooled else 0.75
        chart.barh(y, forth, height=0.72, color=_FORWARD, alpha=strong)
        chart.barh(y, -back, height=0.72, color=_BACKWARD, alpha=strong)
        chart.text(forth + gap, y, f"→ {sum_text(bar.forward)}", ha="left", va="center", size=7.5)
        chart.text(-back - gap, y, f"{sum_text(bar.backward)} ←", ha="right", va="center", size=7.5)
        coin = "" if bar.shifted_coin is None else f" · coin {short_number(bar.shifted_coin, 3)}"
        _at_right(chart, y, f"of {counted(bar.runs, 'run')}{coin}")
    chart.axvline(0, color=INK, linewidth=0.8)
    room = 0.13 * (right + left)
    chart.set_xlim(-left - room, right + room)
    share_axis(chart, lambda value: percent_label(abs(value)))
    chart.set_xlabel("← back          share of runs compared          forth →")
    return figure


def tier_charts(measures: Sequence[Measure], tiers: EffectTable) -> Figure:
    """A column for each model, a row for each measure; tiers from left to right, each with its n below."""
    models = {name: [line.row for line in lines] for name, lines in _lines(tiers).items()}
    names = list(models)
    bands = [names[start : start + _ABREAST] for start in range(0, len(names), _ABREAST)]
    columns = min(_ABREAST, len(names))
    size = WIDTH, 0.4 + 1.9 * len(measures) * len(bands)
    figure = Figure(figsize=size, layout="constrained")
    charts = figure.subplots(len(measures) * len(bands), columns, squeeze=False)
    limits = [_reach([row.effects[measure.key].estimate for row in tiers.rows], []) for measure in measures]
    for place, abreast in enumerate(charts):
        band, measure = bands[place // len(measures)], measures[place % len(measures)]
        for chart, name in zip(abreast, [*band, *[None] * (columns - len(band))], strict=True):
            if name is None:
                chart.set_axis_off()
                continue
            _tier_chart(chart, models[name], measure)
            chart.set_ylim(*limits[place % len(measures)])
            if measure is measures[0]:
                chart.set_title(drawable(one_line(name, 26)), size=8.5, weight="bold", loc="left")
        abreast[0].set_ylabel(measure.title)
    return figure


def _panel(chart: Axes, measure: Measure, placed: Sequence[tuple[float, _Line]], *, coin: bool) -> None:
    effects = [line.row.effects[measure.key] for _, line in placed]
    noise = [line.row.noise.value if _is_share_of_changes(measure) else None for _, line in placed]
    shifts = [effect.shifted_coin for effect in effects]
    coins = {value for effect in effects if coin and (value := effect.nulls[COIN]) is not None}
    low, high = _reach([effect.estimate for effect in effects], [*noise, *coins, *shifts])
    chart.axvline(0, color=GREY, linewidth=0.8)
    for value in sorted(coins):
        chart.axvline(value, color=QUIET, linewidth=0.9, linestyle=":")
    for (y, line), effect, mark in zip(placed, effects, noise, strict=True):
        if mark is not None:
            chart.plot([mark, mark], [y - 0.34, y + 0.34], color=GREY, linewidth=2.4, alpha=0.7)
        if (shifted := effect.shifted_coin) is not None:
            chart.plot([shifted, shifted], [y - 0.4, y + 0.4], color=INK, linewidth=1.1, linestyle=":")
        forest_row(chart, y, effect.estimate, pooled=line.pooled, left=low)
    chart.set_xlim(low, high)
    share_axis(chart, percent_label)
    chart.set_title(drawable(one_line(measure.title, 40)), size=8.5, weight="bold", loc="left")
    told = ["grey: noise"] if any(mark is not None for mark in noise) else []
    told += ["dotted: a coin, where not 0"] if any(mark is not None for mark in shifts) else []
    if told:
        chart.set_xlabel("; ".join(told), size=7.5, color=QUIET)


def _lines(table: EffectTable) -> dict[str, list[_Line]]:
    """The rows by model, each named by what it has besides."""
    lines: dict[str, list[_Line]] = {}
    for row in table.rows:
        labels = [label for dimension, label in row.where.items() if dimension != MODEL]
        pooled = ALL in labels and AMONG not in row.where
        lines.setdefault(row.where[MODEL], []).append(_Line(" · ".join(labels), row, pooled))
    return lines


def _names(lines: _Lines) -> dict[str, list[str]]:
    return {model: [line.name for line in each] for model, each in lines.items()}


def _placed(lines: _Lines) -> Iterator[tuple[float, _Line]]:
    placed = row_places([len(each) for each in lines.values()])
    return zip(placed, (line for each in lines.values() for line in each), strict=True)


def _is_share_of_changes(measure: Measure) -> bool:
    """Whether noise stands on the measure's scale: a share of comparisons, without a sign."""
    return bool(measure.over) and measure.least == 0 and measure.most == 1


def _tier_chart(chart: Axes, rows: Sequence[EffectRow], measure: Measure) -> None:
    chart.axhline(0, color=GREY, linewidth=0.8)
    points = [(x, row.effects[measure.key].estimate) for x, row in enumerate(rows)]
    known = [(x, estimate.value) for x, estimate in points if estimate.value is not None]
    chart.plot([x for x, _ in known], [value for _, value in known], color=BLUE, linewidth=0.8, alpha=0.5)
    for x, estimate in points:
        if estimate.value is None:
            chart.text(x, 0, "–", ha="center", va="bottom", color=QUIET)
            continue
        if shown := estimate.shown_interval:
            chart.plot([x, x], [shown.low, shown.high], color=BLUE, linewidth=1.1)
        chart.plot([x], [estimate.value], marker="o", ms=4.6, color=BLUE)
    chart.set_xlim(-0.5, len(rows) - 0.5)
    names = [f"{drawable(row.where['tier'])}\nn {row.effects[measure.key].cases:,}" for row in rows]
    chart.set_xticks(range(len(rows)), names, size=7 if len(rows) < 5 else 5.5)
    chart.yaxis.set_major_formatter(lambda value, _: percent_label(value))
    chart.grid(axis="y", color=FAINT, linewidth=0.6)
    chart.set_axisbelow(True)


def _reach(estimates: Sequence[Estimate], marks: Sequence[float | None]) -> tuple[float, float]:
    """The ends of an axis: 0 and all that is drawn, with a little room."""
    values = [0.0, *(mark for mark in marks if mark is not None)]
    for estimate in estimates:
        values += [] if estimate.value is None else [estimate.value]
        values += [shown.low, shown.high] if (shown := estimate.shown_interval) else []
    low, high = min(values), max(values)
    room = max(0.01, 0.06 * (high - low))
    return low - room, high + room


def _at_right(chart: Axes, y: float, text: str) -> None:
    chart.text(1.03, y, text, transform=chart.get_yaxis_transform(), va="center", color=QUIET, size=7.5)
