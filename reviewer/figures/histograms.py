"""Histograms of labels: a row for each question, a chart for each of its groups."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reviewer.core.number_text import percent
from reviewer.core.sanitize import counted, one_line
from reviewer.figures.look import BLUE, FAINT, GREY, WIDTH, drawable
from reviewer.results.labels.label_spread import LabelSpread

_ABREAST = 4


def label_histograms(spreads: Sequence[LabelSpread]) -> Figure:
    """The share of each label by question and group, the labels in their order; the median in grey."""
    titles = dict.fromkeys(spread.question.title for spread in spreads)
    lines = [
        row
        for title in titles
        for row in _rows([spread for spread in spreads if spread.question.title == title])
    ]
    figure = Figure(figsize=(WIDTH, 0.4 + 1.55 * len(lines)), layout="constrained")
    charts = figure.subplots(len(lines), _ABREAST, squeeze=False)
    for row, line in zip(charts, lines, strict=True):
        for place, chart in enumerate(row):
            if place < len(line):
                _histogram(chart, line[place], first=place == 0)
            else:
                chart.set_axis_off()
    return figure


def _rows(spreads: Sequence[LabelSpread]) -> list[Sequence[LabelSpread]]:
    return [spreads[start : start + _ABREAST] for start in range(0, len(spreads), _ABREAST)]


def _histogram(chart: Axes, spread: LabelSpread, *, first: bool) -> None:
    labels, answers = list(spread.counts), max(1, spread.answers)
    shares = [count / answers for count in spread.counts.values()]
    colours = [GREY if label in spread.median else BLUE for label in labels]
    chart.bar(range(len(labels)), shares, color=colours, width=0.82)
    chart.set_ylim(0, max(0.5, *shares) * 1.05)
    names = [drawable(one_line(label, 8)) for label in labels]
    chart.set_xticks(range(len(labels)), names, size=6, rotation=0 if max(map(len, names)) < 4 else 60)
    chart.yaxis.set_major_formatter(lambda value, _: percent(value))
    chart.tick_params(axis="y", labelsize=6)
    chart.grid(axis="y", color=FAINT, linewidth=0.6)
    chart.set_axisbelow(True)
    told = f"{one_line(spread.group, 18)} ({counted(spread.answers, 'answer')})"
    chart.set_title(drawable(told), size=6.5, loc="left")
    if first:
        chart.set_ylabel(drawable(one_line(spread.question.title, 18)), size=7.5, weight="bold")
