"""What the numbers hide: skew, chance agreement, single raters, pairs of them, and other ways to divide."""

from collections.abc import Sequence

from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.report.agreement_remarks import legend, mark_in_words, resample_remarks, unrated_remarks
from reviewer.report.agreement_text import ROW_NAMES, agreement_print, number, raters_text, symbol
from reviewer.report.document import Block, Numbers, Paragraph, Section
from reviewer.report.report_statistics import ReportStatistics
from reviewer.report.second_verdicts import asking_blocks
from reviewer.study.statistics.agreement_results import AgreementResult
from reviewer.study.statistics.rater_results import RaterResult
from reviewer.study.statistics.skew import short_number

_FEW_CASES = 10
"""Below this, resampling cases says little of how much a value would vary."""


def hidden_blocks(statistics: ReportStatistics) -> list[Block]:
    """Tables beside the main one, each with a sentence on what to look for."""
    digits = statistics.look.digits
    return [
        Section("What the numbers hide"),
        Paragraph(
            "Chance-corrected coefficients compare the agreement with what chance alone would give. Where "
            "nearly all labels are the same, chance already gives nearly all of it, and little is left to be "
            "corrected: a low kappa then says that the labels are skewed, not that raters disagree."
        ),
        Numbers(
            "chance",
            "Share of passing labels, and agreement expected by chance",
            _chance(statistics.questions, digits),
            keys=2,
        ),
        *_raters(statistics.raters, digits),
        *_pairs(statistics),
        *_groups(statistics.groups, digits),
        *asking_blocks(statistics.second, statistics.known, digits),
    ]


def _chance(results: Sequence[AgreementResult], digits: int) -> Table:
    keys = [
        key
        for key in results[0].coefficients
        if any(result.coefficients[key].expected is not None for result in results)
    ]
    lines = [
        [
            result.where["question"],
            ROW_NAMES[result.kind],
            number(result.passing_share, digits),
            *(_expected(result, key, digits) for key in keys),
        ]
        for result in results
        if result.kind != "mean of cells"
    ]
    return Table.of(("question", "row", "passing", *(f"chance, {symbol(key)}" for key in keys)), lines)


def _expected(result: AgreementResult, key: str, digits: int) -> str | None:
    expected = result.coefficients[key].expected
    return None if expected is None else short_number(expected, digits)


def _raters(results: Sequence[RaterResult], digits: int) -> list[Block]:
    note = (
        "passing: share of the rater's labels that are the passing one; sec.: median active seconds an "
        "answer; others: mean share of the others who agree; self: the same answer where a case was shown "
        "twice; with a star: the agreement of the others without this rater."
    )
    return [
        Section("Single raters", 2),
        Numbers("raters", "Single raters", raters_text(results, (), digits), (note,)),
    ]


def _pairs(statistics: ReportStatistics) -> list[Block]:
    if len({row.rater for row in statistics.rows}) < 3:
        return []
    cells = statistics.pairs
    table = agreement_print(cells, ("pair",), statistics.look.digits)
    return [
        Section("Pairs of raters", 2),
        Numbers(
            "pairs",
            "Agreement of each pair",
            table,
            (
                legend(cells, printed=True),
                *unrated_remarks(cells, ("pair",)),
                *resample_remarks(cells, ("pair",)),
            ),
            keys=2,
        ),
    ]


def _groups(results: Sequence[AgreementResult], digits: int) -> list[Block]:
    if len(results) < 2:
        return []
    note = "All questions together; intervals resample cases, which carry several questions each."
    fewest = min(result.cases for result in results)
    if fewest < _FEW_CASES:
        note += f" Groups of {counted(fewest, 'case')}: intervals from so few cases say little."
    note += mark_in_words(results)
    notes = (note, *resample_remarks(results, ("group",)))
    loud = tuple(result.kind != "cell" for result in results)
    table = agreement_print(results, ("group",), digits)
    return [Section("Groups", 2), Numbers("groups", "Agreement by group", table, notes, loud, keys=2)]
