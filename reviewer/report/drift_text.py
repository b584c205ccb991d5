"""Raters over time in a report."""

from collections.abc import Sequence

from reviewer.report.document import Block, Paragraph, Section, numbers
from reviewer.results.labels.rater_drift import FEWEST_ANSWERS, rater_drift
from reviewer.results.tables.drift_tables import DRIFT
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow


def drift_blocks(bundle: StudyBundle, rows: Sequence[LabelRow], level: float, digits: int) -> list[Block]:
    """Each rater by quarter of their answers."""
    quarters = rater_drift(bundle, rows, level)
    few = f"Raters with fewer than {FEWEST_ANSWERS} answers have no quarters."
    if not quarters:
        return [Section("Raters over time", 2), Paragraph(few)]
    return [
        Section("Raters over time", 2),
        Paragraph(
            "The table divides each rater's answers into quarters, in the order in which they were given. "
            "Intervals of shares are Wilson's, those of median times lie between two order statistics. "
            f"Quarters hold different cases, so a difference alone does not show that a rater changed. {few}"
        ),
        numbers("drift", "Raters by quarter of their answers", DRIFT, quarters, digits),
    ]
