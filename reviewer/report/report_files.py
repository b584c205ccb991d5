"""The files of a report: one page in three formats, and the figures beside it."""

from collections.abc import Mapping

from reviewer.core.errors import RequestError
from reviewer.report.pages import html_page, latex_page, markdown_page
from reviewer.report.report_statistics import ReportStatistics
from reviewer.report.study_report import study_document

_INSTALL = "pip install 'dilemma-reviewer[figures]'"


def report_files(statistics: ReportStatistics, *, with_figures: bool = True) -> dict[str, str | bytes]:
    """Every file by its path in the report's folder; raises RequestError where matplotlib is missing."""
    document = study_document(statistics)
    drawn = _drawn(statistics) if with_figures else {}
    names = frozenset(drawn)
    files: dict[str, str | bytes] = {
        "report.html": html_page(document, {name: formats["svg"] for name, formats in drawn.items()}),
        "report.md": markdown_page(document, names),
        "report.tex": latex_page(document, names),
    }
    for name, formats in drawn.items():
        files |= {f"figures/{name}.{form}": content for form, content in formats.items()}
    return files


def _drawn(statistics: ReportStatistics) -> Mapping[str, Mapping[str, bytes]]:
    try:
        from reviewer.figures.files import study_figures  # matplotlib costs a second to load
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("matplotlib"):
            raise
        raise RequestError(
            f"figures need matplotlib, which is not installed; run {_INSTALL}, or add --no-figures."
        ) from error
    return study_figures(statistics.charted, statistics.disagreements, statistics.spreads)
