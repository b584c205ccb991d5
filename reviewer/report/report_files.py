"""The files of a study's report: one page in three formats, the figures beside it, and its numbers."""

from reviewer.report.pages import CLAIMS_FILE, Figures, drawn, page_files
from reviewer.report.report_claims import report_claims
from reviewer.report.report_statistics import ReportStatistics
from reviewer.report.study_report import study_document


def report_files(statistics: ReportStatistics, *, with_figures: bool = True) -> dict[str, str | bytes]:
    """Every file by its path in the report's folder; raises RequestError where matplotlib is missing."""

    def draw() -> Figures:
        from reviewer.figures.files import study_figures  # matplotlib costs a second to load

        opinions = statistics.opinions
        by_label = opinions.by_label if opinions else ()
        return study_figures(statistics.charted, statistics.disagreements, statistics.spreads, by_label)

    files = page_files(study_document(statistics), drawn(draw) if with_figures else {})
    claims = report_claims(statistics)
    return {**files, CLAIMS_FILE: claims} if claims else files
