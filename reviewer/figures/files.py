"""Every figure of a study or an evaluation run as files.

Nothing but the numbers decides the bytes: no dates, no random ids, matplotlib's own font in every file.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from reviewer.figures.figure_style import STYLE
from reviewer.figures.label_charts import label_histograms, label_matrix, pass_rates
from reviewer.figures.row_charts import coefficients, has_rates, judge_forest, shares
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.disagreements import VotedItem
from reviewer.results.labels.judges_by_label import JudgeByLabel
from reviewer.results.labels.label_spread import LabelSpread

if TYPE_CHECKING:
    from reviewer.protocols.evaluation import Measure
    from reviewer.results.outcomes.effect_rows import EffectTable

FORMATS = ("pdf", "svg", "png")
_NO_DATES: Mapping[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}

Drawn = dict[str, dict[str, bytes]]


def study_figures(
    results: Sequence[AgreementResult],
    found: Sequence[VotedItem],
    spreads: Sequence[LabelSpread] = (),
    judges: Sequence[JudgeByLabel] = (),
) -> Drawn:
    """Every figure in every format, by name and format, from results by question and generator.

    A figure that would be empty is not there.
    """
    makers: dict[str, Callable[[], Figure]] = {
        "agreement": lambda: shares(results),
        **({"pass-rates": lambda: pass_rates(results)} if has_rates(results) else {}),
        "coefficients": lambda: coefficients(results),
    }
    if spreads:
        makers["labels"] = lambda: label_histograms(spreads)
    if judges:
        makers["judges"] = lambda: judge_forest(judges)
    if found:
        makers["disagreements"] = lambda: label_matrix(found)
    return _drawn(makers)


def evaluation_figures(
    measures: "Sequence[Measure]",
    by_condition: "Sequence[Measure]",
    *,
    groups: "EffectTable",
    tiers: "EffectTable",
    conditions: "EffectTable",
    ladder: "EffectTable",
) -> Drawn:
    """Every figure of an evaluation run in every format, by name and format, from tables divided by model.

    ``measures`` are those that matter most, ``by_condition`` those of the figure on conditions. A figure that
    would be empty is not there.
    """
    from reviewer.figures.effect_charts import direction_bars, effects_forest, tier_charts

    makers: dict[str, Callable[[], Figure]] = {"effects": lambda: effects_forest(measures, groups)}
    if signed := next((measure for measure in measures if measure.least < 0), None):
        makers["directions"] = lambda: direction_bars(signed, groups)
    if tiers.rows:
        makers["tiers"] = lambda: tier_charts(measures, tiers)
    makers["position"] = lambda: effects_forest(by_condition, conditions, coin=True)
    if ladder.rows:
        makers["ladder"] = lambda: effects_forest(measures, ladder)
    return _drawn(makers)


def _drawn(makers: Mapping[str, Callable[[], Figure]]) -> Drawn:
    with matplotlib.rc_context():
        # A matplotlibrc in the working directory would change the bytes, or start LaTeX on our texts.
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)  # type: ignore[arg-type]
        return {name: _in_every_format(make()) for name, make in makers.items()}


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
