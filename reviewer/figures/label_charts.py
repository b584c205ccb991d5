"""The labels of raters: a matrix of the items on which they disagree, histograms by group, and heat maps of
pass rates.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from math import ceil

from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import percent, points
from reviewer.core.sanitize import counted, one_line
from reviewer.figures.figure_style import (
    BLUE,
    FAINT,
    GREY,
    INK,
    OTHER_LABELS,
    PALE,
    WIDTH,
    both_ends,
    drawable,
    percent_label,
)
from reviewer.figures.row_charts import by_question
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.dimensions import ALL
from reviewer.results.labels.disagreements import MOST_MATRIX_LINES, VotedItem
from reviewer.results.labels.label_spread import LabelSpread

_ROWS_A_COLUMN = MOST_MATRIX_LINES // 5

_FROM_MEDIAN = (PALE, "#9CC3DE", "#2B7CB0", "#08406B")
_STEPS_FROM_MEDIAN = ("the median", "one step from it", "two steps from it", "three or more")
"""Where labels have an order, the colour says how far a label is from the median of its item."""

_Line = VotedItem | str


def label_matrix(found: Sequence[VotedItem]) -> Figure:
    """Labels where raters disagree: a row for each item, a column for each rater, dissent in colour.

    Where labels have an order, the colour says how far a label is from the median of its item.
    """
    columns = _in_columns(_matrix_lines(found)[:MOST_MATRIX_LINES])
    raters = list(found[0].votes)
    deepest = max(map(len, columns))
    width = 2.0 + 0.3 * len(raters)
    figure = Figure(
        figsize=(max(WIDTH, width * len(columns)), max(2.4, 1.1 + 0.175 * deepest)), layout="constrained"
    )
    charts = figure.subplots(1, len(columns), squeeze=False)[0]
    several = len({item.place.generator for item in found}) > 1
    for chart, part in zip(charts, columns, strict=True):
        _matrix(chart, part, raters, deepest, several)
    _matrix_key(figure, found)
    return figure


def _matrix_lines(found: Sequence[VotedItem]) -> list[_Line]:
    """A head for each question, then its items, the evenest splits first."""
    lines: list[_Line] = []
    for title in dict.fromkeys(each.question.title for each in found):
        lines.append(title)
        items = [each for each in found if each.question.title == title]
        items.sort(key=lambda item: (item.lead, -item.steps))
        lines += items
    return lines


def _in_columns(lines: Sequence[_Line]) -> list[list[_Line]]:
    """The lines in the fewest columns, which are about as long as each other."""
    number = ceil(len(lines) / _ROWS_A_COLUMN)
    split = (_columns_of(lines, depth) for depth in count(ceil(len(lines) / number)))
    return next(columns for columns in split if len(columns) <= number)


def _columns_of(lines: Sequence[_Line], depth: int) -> list[list[_Line]]:
    """The lines in columns of at most so many; each begins with its head, none ends with one."""
    columns: list[list[_Line]] = [[]]
    head = ""
    for line in lines:
        head = line if isinstance(line, str) else head
        if len(columns[-1]) >= depth - (line == head):
            columns.append([] if line == head else [head])
        columns[-1].append(line)
    return columns


def _matrix(chart: Axes, lines: Sequence[_Line], raters: Sequence[str], deepest: int, several: bool) -> None:
    """``several`` says whether there are several generators, so that lines name theirs."""
    boxes: dict[str, list[Rectangle]] = {}
    for y, line in enumerate(lines):
        name, size = (line, 8.0) if isinstance(line, str) else (_item_name(line, several), 6.0)
        weight = "bold" if isinstance(line, str) else "normal"
        chart.text(-0.58, y, drawable(name), weight=weight, va="center", ha="right", size=size)
        for x, label in enumerate(() if isinstance(line, str) else line.votes.values()):
            colour = _matrix_letter(chart, x, y, line, label)
            boxes.setdefault(colour, []).append(Rectangle((x - 0.47, y - 0.42), 0.94, 0.84))
    for colour, patches in boxes.items():
        chart.add_collection(PatchCollection(patches, facecolor=colour, edgecolor="none"))
    chart.set_xlim(-0.5, len(raters) - 0.5)
    chart.set_ylim(deepest - 0.5, -0.5)
    chart.set_yticks([])
    chart.xaxis.tick_top()
    names = [drawable(one_line(rater, 12)) for rater in raters]
    chart.set_xticks(range(len(raters)), names, size=7, rotation=45, ha="left")
    chart.tick_params(length=0, pad=1)
    for spine in chart.spines.values():
        spine.set_visible(False)


def _item_name(line: VotedItem, several: bool) -> str:
    if not several:
        return both_ends(line.place.key, 45)
    return f"{both_ends(line.place.key, 26)} · {both_ends(line.place.generator, 16)}"


def _matrix_letter(chart: Axes, x: int, y: int, line: _Line, label: str | None) -> str:
    """Write the beginning of a dissenting label, a dot for a missing one; returns the box's colour."""
    if label is None or isinstance(line, str):
        chart.text(x, y, "·", ha="center", va="center", color=GREY)
        return "white"
    colour, _ = _shade(line, label)
    if colour != PALE or line.question.ordinal:
        letter = drawable(label[:2] if line.question.ordinal else label[:1].upper())
        ink = INK if colour in (PALE, _FROM_MEDIAN[1]) else "white"
        chart.text(x, y, letter, ha="center", va="center_baseline", color=ink, size=6.5, zorder=3)
    return colour


def _shade(line: VotedItem, label: str) -> tuple[str, str]:
    """The colour of a label, and what the key says of it."""
    question = line.question
    if question.ordinal:
        given = [vote for vote in line.votes.values() if vote is not None]
        steps = min(question.steps((label, middle)) for middle in question.median(given))
        at = min(steps, len(_FROM_MEDIAN) - 1)
        return _FROM_MEDIAN[at], _STEPS_FROM_MEDIAN[at]
    if not question.answer_kind.is_label:
        usual = label == line.most_common
        return (PALE, "the most common answer") if usual else (OTHER_LABELS[0], "another answer")
    calm = question.passing or question.labels[:1]
    others = [other for other in question.labels if other not in calm]
    return (PALE if label in calm else OTHER_LABELS[others.index(label) % len(OTHER_LABELS)]), label


def _matrix_key(figure: Figure, found: Sequence[VotedItem]) -> None:
    """The colours: every label of a question, or how far a label is from the median."""
    titles: dict[tuple[str, str], dict[str, None]] = {}
    shades = [
        (*_shade(each, label), each.question.title)
        for each in found
        for label in (
            each.question.labels
            if each.question.answer_kind.is_label
            else [vote for vote in each.votes.values() if vote is not None]
        )
    ]
    for colour, name, title in shades:
        titles.setdefault((name, colour), {})[title] = None
    named = sorted(titles, key=_place_in_key)
    handles = [Rectangle((0, 0), 1, 1, facecolor=colour, edgecolor=FAINT) for _, colour in named]
    twice = {name for name, number in Counter(name for name, _ in named).items() if number > 1}
    # A label may pass one question and not another, and then has a colour of its own there.
    names = [
        drawable(f"{one_line(name, 24)} ({one_line(', '.join(titles[name, colour]), 40)})")
        if name in twice
        else drawable(one_line(name, 24))
        for name, colour in named
    ]
    figure.legend(
        handles,
        names,
        loc="outside lower center",
        ncols=2 if twice else min(6, len(names)),
        frameon=False,
        handlelength=1.0,
    )


def _place_in_key(named: tuple[str, str]) -> int:
    """Distances stand in their order; what else there is keeps its place before them."""
    name, _ = named
    return _STEPS_FROM_MEDIAN.index(name) if name in _STEPS_FROM_MEDIAN else -1


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
