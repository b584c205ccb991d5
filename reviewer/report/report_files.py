"""The files of a report: one page in three formats, the figures beside it, and tables."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from reviewer.core.errors import RequestError
from reviewer.report.document import Document
from reviewer.report.pages import html_page, latex_page, latex_table, markdown_page, markdown_table
from reviewer.report.report_claims import report_claims
from reviewer.report.report_statistics import ReportStatistics
from reviewer.report.study_report import study_document

if TYPE_CHECKING:
    from reviewer.report.evaluation_report import SameNumbers
    from reviewer.report.evaluation_report_tables import ReportTable
    from reviewer.results.outcomes.evaluation_statistics import EvaluationStatistics

CLAIMS_FILE = "claims.toml"
"""The numbers of the tables, each with the command that gives it."""
_INSTALL = "pip install 'dilemma-reviewer[figures]'"

Figures = Mapping[str, Mapping[str, bytes]]
"""Every figure by name and format."""


def report_files(statistics: ReportStatistics, *, with_figures: bool = True) -> dict[str, str | bytes]:
    """Every file by its path in the report's folder; raises RequestError where matplotlib is missing."""

    def draw() -> Figures:
        from reviewer.figures.files import study_figures  # matplotlib costs a second to load

        opinions = statistics.opinions
        by_label = opinions.by_label if opinions else ()
        return study_figures(statistics.charted, statistics.disagreements, statistics.spreads, by_label)

    files = _files(study_document(statistics), _drawn(draw) if with_figures else {})
    claims = report_claims(statistics)
    return {**files, CLAIMS_FILE: claims} if claims else files


def evaluation_files(
    statistics: "EvaluationStatistics", commands: "SameNumbers", *, with_figures: bool = True
) -> dict[str, str | bytes]:
    """As ``report_files`` for an evaluation run, with its tables; ``commands`` give their numbers again."""

    def draw() -> Figures:
        from reviewer.figures.files import evaluation_figures  # matplotlib costs a second to load

        return evaluation_figures(
            statistics.headlines,
            statistics.by_condition,
            groups=statistics.groups,
            tiers=statistics.tiers,
            conditions=statistics.conditions,
            ladder=statistics.ladder,
        )

    from reviewer.report.evaluation_report import evaluation_document  # loads where there is an evaluation
    from reviewer.report.evaluation_report_tables import evaluation_claims, report_tables

    tables = report_tables(statistics)
    document = evaluation_document(statistics, tables, commands)
    files = _files(document, _drawn(draw) if with_figures else {})
    files[CLAIMS_FILE] = evaluation_claims(statistics, commands.effects)
    for name, table in tables.items():
        files |= {f"tables/{name}.{form}": text for form, text in _table_files(table).items()}
    return files


def _files(document: Document, drawn: Figures) -> dict[str, str | bytes]:
    names = frozenset(drawn)
    files: dict[str, str | bytes] = {
        "report.html": html_page(document, {name: formats["svg"] for name, formats in drawn.items()}),
        "report.md": markdown_page(document, names),
        "report.tex": latex_page(document, names),
    }
    for name, formats in drawn.items():
        files |= {f"figures/{name}.{form}": content for form, content in formats.items()}
    return files


def _table_files(table: "ReportTable") -> dict[str, str]:
    """One table in four formats: exact for programs, as in the report for people."""
    shown = table.shown
    latex = latex_table(shown.table, shown.caption, f"tab:{shown.name}", shown.notes, keys=shown.keys)
    return {
        "csv": table.exact.to_csv(),
        "json": table.exact.to_json(),
        "md": markdown_table(shown.table),
        "tex": latex,
    }


def _drawn(draw: Callable[[], Figures]) -> Figures:
    try:
        return draw()
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("matplotlib"):
            raise
        raise RequestError(
            f"figures need matplotlib, which is not installed; run {_INSTALL}, or add --no-figures."
        ) from error
