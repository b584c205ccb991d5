"""Judges against experts: sensitivity, specificity and bias of each opinion, with intervals."""

from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import percent
from reviewer.figures.look import FAINT, GREY
from reviewer.figures.row_charts import forest_row, row_places, rows_figure
from reviewer.results.labels.judges_by_label import JudgeByLabel

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
    chart.xaxis.set_major_formatter(lambda value, _: percent(value))
    chart.grid(axis="x", color=FAINT, linewidth=0.6)
    chart.set_axisbelow(True)
    if left:
        chart.axvline(0, color=GREY, linewidth=0.8)
