"""The figures of a study: agreement, pass rates, coefficients, disagreements; the only home of matplotlib.

Nothing but the numbers decides the bytes: no dates, no random ids, matplotlib's own font in every file. The
colours stay apart for colour-blind eyes and in grey (Okabe, M. and Ito, K. (2008), Color Universal Design).
"""

import io
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PatchCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.patches import Rectangle

from reviewer.core.estimate import Estimate
from reviewer.core.plaintext import one_line
from reviewer.study.dimensions import ALL
from reviewer.study.disagreements import Disagreement
from reviewer.study.results import KNOWN, Result

FORMATS = ("pdf", "svg", "png")
BLUE, GREY, INK, QUIET, FAINT = "#0072B2", "#8A9199", "#1F2328", "#57606A", "#D5DAE0"
OTHER_LABELS = ("#D55E00", "#E69F00", "#56B4E9", "#CC79A7", "#009E73")
_PALE = "#EEF2F6"
_WIDTH = 7.2
_ROWS_A_COLUMN = 28
MOST_LINES = 5 * _ROWS_A_COLUMN
"""Of the label matrix; more of them nobody reads."""
_STYLE: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 8.5,
    "axes.unicode_minus": False,  # what lies beyond Latin-1 makes matplotlib embed a second font
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.edgecolor": FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "pdf.fonttype": 42,  # TrueType, whole: journals refuse Type 3
    "svg.fonttype": "path",
    "svg.hashsalt": "dilemma-reviewer",
    "figure.dpi": 160,
    "figure.constrained_layout.w_pad": 0.07,
    "figure.constrained_layout.h_pad": 0.07,
}
_NO_DATES: Mapping[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
_SHADES: Colormap = LinearSegmentedColormap.from_list(
    "paper to blue", ["#F6F8FA", "#9CC3DE", "#2B7CB0", "#08406B"]
)

Drawn = dict[str, dict[str, bytes]]


def study_figures(results: Sequence[Result], found: Sequence[Disagreement]) -> Drawn:
    """Every figure in every format, by name and format, from results by question and generator.

    A figure that would be empty is not there.
    """
    with matplotlib.rc_context(_STYLE):  # type: ignore[arg-type]
        figures = {"agreement": percent_agreement(results), "pass-rates": pass_rates(results)}
        figures["coefficients"] = coefficients(results)
        if found:
            figures["disagreements"] = label_matrix(found)
        return {name: _in_every_format(figure) for name, figure in figures.items()}


def percent_agreement(results: Sequence[Result]) -> Figure:
    """Po by question and generator: bars from 0 to 100% with their intervals, the pooled value in grey."""
    groups = _by_question(results)
    figure, axes = _rows_figure(groups, 1)
    chart = axes[0]
    for y, result in _positions(groups):
        estimate = result.coefficients["po_all_agree"]
        pooled = result.kind == "pooled"
        if estimate.value is None:
            _say_undefined(chart, y, estimate, 0.01)
            continue
        chart.barh(y, estimate.value, height=0.72, color=GREY if pooled else BLUE, alpha=0.75)
        _whisker(chart, y, estimate, INK)
        agreed = round(estimate.value * estimate.n)
        chart.text(1.02, y, _percent(estimate.value), ha="left", va="center", weight="bold")
        chart.text(1.125, y, f"{agreed} of {estimate.n}", ha="left", va="center", color=QUIET, size=7.5)
    chart.set_xlim(0, 1)
    chart.set_xlabel("items on which all raters agree (Po)")
    chart.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    chart.grid(axis="x", color=FAINT, linewidth=0.6)
    chart.set_axisbelow(True)
    return figure


def pass_rates(results: Sequence[Result]) -> Figure:
    """Majority and unanimity pass rates side by side on one scale: questions down, generators across."""
    groups = _by_question(results)
    columns = list(dict.fromkeys(result.where["generator"] for group in groups.values() for result in group))
    rates = [rate for group in groups.values() for each in group for rate in (each.majority, each.unanimity)]
    least = min((rate.value for rate in rates if rate.value is not None), default=0.0)
    scale = Normalize(min(0.9, int(least * 10) / 10), 1.0)
    height = max(2.4, 1.5 + 0.52 * len(groups))
    figure = Figure(figsize=(max(_WIDTH, 2.4 + 1.5 * len(columns)), height), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for chart, measure, title in ((left, "majority", "majority"), (right, "unanimity", "unanimity")):
        _heat_map(chart, groups, columns, measure, scale)
        chart.set_title(f"pass by {title}", size=9.5, weight="bold", loc="left")
    bar = figure.colorbar(ScalarMappable(scale, _SHADES), ax=[left, right], shrink=0.8, pad=0.02, aspect=18)
    bar.ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    bar.outline.set_visible(False)
    return figure


def coefficients(results: Sequence[Result]) -> Figure:
    """A forest plot: each chance-corrected coefficient with its interval, pooled values as diamonds."""
    keys = [key for key in results[0].coefficients if not key.startswith("po_")]
    groups = _by_question(results)
    figure, axes = _rows_figure(groups, len(keys))
    ends = [
        estimate.interval.low
        for _, each in _positions(groups)
        for key in keys
        if (estimate := each.coefficients[key]).interval
    ]
    low = max(-1.0, min([-0.1, *ends]) - 0.05)
    for chart, key in zip(axes, keys, strict=True):
        for y, result in _positions(groups):
            _forest_row(chart, y, result.coefficients[key], pooled=result.kind == "pooled", left=low)
        chart.axvline(0, color=GREY, linewidth=0.8)
        chart.set_xlim(low, 1.04)
        chart.set_title(KNOWN[key].title, size=8.5, weight="bold", loc="left")
        chart.set_xticks((0, 0.25, 0.5, 0.75, 1), ("0", ".25", ".5", ".75", "1"))
        chart.grid(axis="x", color=FAINT, linewidth=0.6)
        chart.set_axisbelow(True)
    return figure


def label_matrix(found: Sequence[Disagreement]) -> Figure:
    """Who said what where raters disagree: a row an item, a column a rater, dissenting labels in colour."""
    lines = _matrix_lines(found)[:MOST_LINES]
    columns = [lines[start : start + _ROWS_A_COLUMN] for start in range(0, len(lines), _ROWS_A_COLUMN)]
    raters = list(found[0].votes)
    deepest = max(map(len, columns))
    width = 2.0 + 0.3 * len(raters)
    figure = Figure(
        figsize=(max(_WIDTH, width * len(columns)), max(2.6, 1.3 + 0.19 * deepest)), layout="constrained"
    )
    charts = figure.subplots(1, len(columns), squeeze=False)[0]
    for chart, part in zip(charts, columns, strict=True):
        _matrix(chart, part, raters, deepest)
    _matrix_key(figure, found)
    return figure


def _by_question(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Cells of each question by generator, then what they pool to where there are several."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        question = result.where["question"]
        if result.kind == "cell" or (result.kind == "pooled" and question != ALL):
            groups.setdefault(question, []).append(result)
    return groups


def _positions(groups: Mapping[str, Sequence[Result]]) -> list[tuple[float, Result]]:
    """Rows from the top (0) down, with a gap before each question for its name."""
    placed, y = [], 0.0
    for group in groups.values():
        y += 1.15
        for result in group:
            placed.append((y, result))
            y += 1
    return placed


def _rows_figure(groups: Mapping[str, Sequence[Result]], panels: int) -> tuple[Figure, list[Axes]]:
    """Panels side by side that share rows: a bold name for each question, a tick for each generator."""
    placed = _positions(groups)
    last = placed[-1][0]
    figure = Figure(figsize=(_WIDTH, max(1.8, 0.9 + 0.21 * (last + 1))), layout="constrained")
    axes = list(figure.subplots(1, panels, sharey=True, squeeze=False)[0])
    names = [_drawable(one_line(_generator_name(result), 26)) for _, result in placed]
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
        name = _drawable(one_line(question, 40))
        axes[0].text(-0.015, y - 0.85, name, transform=shared, weight="bold", va="center", ha="right", size=9)
    return figure, axes


def _generator_name(result: Result) -> str:
    return "all generators" if result.kind == "pooled" else result.where["generator"]


def _whisker(chart: Axes, y: float, estimate: Estimate, color: str, left: float = 0.0) -> None:
    """The interval; an end beyond the left edge of the chart has no cap."""
    if not estimate.interval:
        return
    low, high = max(left, estimate.interval.low), max(left, estimate.interval.high)
    cap = 0.0 if low > estimate.interval.low else 0.17
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


def _heat_map(
    chart: Axes,
    groups: Mapping[str, Sequence[Result]],
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
    names = ["all" if name == ALL else _drawable(one_line(name, 16)) for name in columns]
    chart.set_xticks(range(len(columns)), names, size=7.5, rotation=20 if max(map(len, names)) > 8 else 0)
    chart.set_yticks(range(len(groups)), [_drawable(one_line(name, 24)) for name in groups])
    chart.tick_params(length=0)
    for spine in chart.spines.values():
        spine.set_visible(False)


def _heat_cell(chart: Axes, x: int, y: int, rate: Estimate, scale: Normalize) -> None:
    shade = _PALE if rate.value is None else _SHADES(scale(rate.value))
    chart.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=shade, edgecolor="none"))
    if rate.value is None:
        chart.text(x, y, "-", ha="center", va="center")
        return
    ink = "white" if scale(rate.value) > 0.55 else INK
    share = _percent(rate.value)
    chart.text(x, y - 0.1, share, ha="center", va="center", color=ink, size=9.5, weight="bold")
    if rate.interval:
        ends = f"{100 * rate.interval.low:.0f} to {100 * rate.interval.high:.0f}"
        chart.text(x, y + 0.26, ends, ha="center", va="center", color=ink, size=6.5)


_Line = Disagreement | str


def _matrix_lines(found: Sequence[Disagreement]) -> list[_Line]:
    """A head for each question, then its items, the deepest splits first."""
    lines: list[_Line] = []
    for title in dict.fromkeys(each.question.title for each in found):
        lines.append(title)
        items = [each for each in found if each.question.title == title]
        items.sort(key=_dissenters, reverse=True)
        lines += items
    return lines


def _dissenters(each: Disagreement) -> int:
    return each.dissenters


def _matrix(chart: Axes, lines: Sequence[_Line], raters: Sequence[str], deepest: int) -> None:
    boxes: dict[str, list[Rectangle]] = {}
    for y, line in enumerate(lines):
        name, size = (line, 8.0) if isinstance(line, str) else (_item_name(line), 6.0)
        weight = "bold" if isinstance(line, str) else "normal"
        chart.text(-0.58, y, _drawable(name), weight=weight, va="center", ha="right", size=size)
        for x, label in enumerate(() if isinstance(line, str) else line.votes.values()):
            colour = _matrix_letter(chart, x, y, line, label)
            boxes.setdefault(colour, []).append(Rectangle((x - 0.47, y - 0.42), 0.94, 0.84))
    for colour, patches in boxes.items():
        chart.add_collection(PatchCollection(patches, facecolor=colour, edgecolor="none"))
    chart.set_xlim(-0.5, len(raters) - 0.5)
    chart.set_ylim(deepest - 0.5, -0.5)
    chart.set_yticks([])
    chart.xaxis.tick_top()
    names = [_drawable(one_line(rater, 12)) for rater in raters]
    chart.set_xticks(range(len(raters)), names, size=7, rotation=45, ha="left")
    chart.tick_params(length=0, pad=1)
    for spine in chart.spines.values():
        spine.set_visible(False)


def _item_name(line: Disagreement) -> str:
    return f"{_both_ends(line.place.key, 26)} · {_both_ends(line.place.generator, 16)}"


def _matrix_letter(chart: Axes, x: int, y: int, line: _Line, label: str | None) -> str:
    """Write the first letter of a dissenting label, a dot for a missing one; returns the box's colour."""
    if label is None or isinstance(line, str):
        chart.text(x, y, "·", ha="center", va="center", color=GREY)
        return "white"
    colour = _label_colours(line)[label]
    if colour != _PALE:
        letter = _drawable(label[:1].upper())
        chart.text(x, y, letter, ha="center", va="center_baseline", color="white", size=6.5, zorder=3)
    return colour


def _label_colours(line: Disagreement) -> dict[str, str]:
    """Pale for the label that passes (else the first), a colour for each other one."""
    calm = line.question.passing or line.question.labels[0]
    others = [label for label in line.question.labels if label != calm]
    return {calm: _PALE} | {label: OTHER_LABELS[at % len(OTHER_LABELS)] for at, label in enumerate(others)}


def _matrix_key(figure: Figure, found: Sequence[Disagreement]) -> None:
    colours = {label: colour for each in found for label, colour in _label_colours(each).items()}
    handles = [Rectangle((0, 0), 1, 1, facecolor=colour, edgecolor=FAINT) for colour in colours.values()]
    names = [_drawable(one_line(label, 20)) for label in colours]
    figure.legend(
        handles, names, loc="outside lower center", ncols=min(6, len(names)), frameon=False, handlelength=1.0
    )


def _both_ends(text: str, width: int) -> str:
    """On one line, cut in the middle: keys differ at their ends."""
    line = one_line(text, 1000)
    return line if len(line) <= width else f"{line[: width // 2]}…{line[-(width - width // 2 - 1) :]}"


def _percent(share: float) -> str:
    return f"{share:.1%}".replace(".0%", "%")


def _drawable(text: str) -> str:
    """The text with a box for each character that the figures' font does not have."""
    return "".join(letter if ord(letter) in _characters() else "▯" for letter in text)


@cache
def _characters() -> frozenset[int]:
    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())


def _in_every_format(figure: Figure) -> dict[str, bytes]:
    drawn = {"png": _bytes(figure, "png")}  # which lays the figure out
    figure.set_layout_engine("none")
    return {form: drawn[form] if form in drawn else _bytes(figure, form) for form in FORMATS}


def _bytes(figure: Figure, form: str) -> bytes:
    """The file; ``savefig`` would draw once more to lay the figure out again, which takes as long."""
    file = io.BytesIO()
    if form == "pdf":
        FigureCanvasPdf(figure).print_pdf(file, metadata=_NO_DATES[form])  # type: ignore[no-untyped-call]
    elif form == "svg":
        FigureCanvasSVG(figure).print_svg(file, metadata=_NO_DATES[form])  # type: ignore[no-untyped-call]
    else:
        FigureCanvasAgg(figure).print_png(file, metadata=_NO_DATES[form])  # type: ignore[no-untyped-call]
    return file.getvalue()
