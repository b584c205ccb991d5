"""Every figure of a study as files. Nothing but the numbers decides the bytes: no dates, no random ids,
matplotlib's own font in every file.
"""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from reviewer.figures.heat_maps import pass_rates
from reviewer.figures.histograms import label_histograms
from reviewer.figures.label_matrix import label_matrix
from reviewer.figures.look import STYLE
from reviewer.figures.rows import coefficients, percent_agreement
from reviewer.study.statistics.agreement_results import AgreementResult
from reviewer.study.statistics.disagreements import Disagreement
from reviewer.study.statistics.label_spread import LabelSpread

FORMATS = ("pdf", "svg", "png")
_NO_DATES: Mapping[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "ModDate": None, "Producer": None, "Creator": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}

Drawn = dict[str, dict[str, bytes]]


def study_figures(
    results: Sequence[AgreementResult],
    found: Sequence[Disagreement],
    spreads: Sequence[LabelSpread] = (),
) -> Drawn:
    """Every figure in every format, by name and format, from results by question and generator.

    A figure that would be empty is not there.
    """
    with matplotlib.rc_context():
        # A matplotlibrc in the working directory would change the bytes, or start LaTeX on our texts.
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)  # type: ignore[arg-type]
        figures = {"agreement": percent_agreement(results), "pass-rates": pass_rates(results)}
        figures["coefficients"] = coefficients(results)
        if spreads:
            figures["labels"] = label_histograms(spreads)
        if found:
            figures["disagreements"] = label_matrix(found)
        return {name: _in_every_format(figure) for name, figure in figures.items()}


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
