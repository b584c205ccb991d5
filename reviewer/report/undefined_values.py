"""The values that a study's report cannot give: where each dash stands, and why."""

from collections.abc import Iterator, Sequence

from reviewer.report.agreement_text import symbol
from reviewer.report.diagnostics import undefined_anchoring, undefined_asking
from reviewer.report.document import Block, undefined_section
from reviewer.report.opinions import undefined_opinions
from reviewer.report.report_statistics import ReportStatistics
from reviewer.report.undefined_reasons import meaning, undefined_of
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.dimensions import ALL, PAIR
from reviewer.results.labels.rater_results import RaterResult
from reviewer.results.tables.agreement_tables import with_numbers


def undefined_blocks(statistics: ReportStatistics) -> list[Block]:
    """Each reason for a dash, with its places."""
    places: dict[str, list[str]] = {}
    for reason, where in _reasons(statistics):
        places.setdefault(reason, []).append(where)
    return undefined_section(places, lambda reason, _at: meaning(reason))


def _reasons(statistics: ReportStatistics) -> Iterator[tuple[str, str]]:
    """Each reason with a place where a value is undefined for it."""
    yield from _of_agreement(statistics)
    yield from _of_rates(statistics)
    yield from _of_raters(statistics.raters)
    yield from undefined_asking(statistics.second, statistics.known)
    yield from undefined_anchoring(statistics.anchored)
    yield from undefined_opinions(statistics.judges, statistics.opinions)


def _of_agreement(statistics: ReportStatistics) -> Iterator[tuple[str, str]]:
    for result, by in _all_results(statistics):
        named = ((symbol(key), estimate) for key, estimate in result.coefficients.items())
        yield from undefined_of((*named, ("passing", result.passing_share)), f"at {result.at(by)}")


def _of_rates(statistics: ReportStatistics) -> Iterator[tuple[str, str]]:
    for result, by in _results_with_rates(statistics):
        rates = (("majority", result.majority), ("unanimity", result.unanimity))
        yield from undefined_of(rates, f"at {result.at(by)}")
    for difference in statistics.differences:
        if difference.test.reason:
            at = " · ".join(difference.where.values()) or ALL
            yield (
                difference.test.reason,
                f"z of {difference.measure} at {at}, {difference.first} against {difference.second}",
            )


def _of_raters(raters: Sequence[RaterResult]) -> Iterator[tuple[str, str]]:
    for rater in raters:
        estimates = {"sec.": rater.seconds, "self": rater.again.agreement, "others": rater.with_others}
        estimates |= {f"{symbol(key)}*": estimate for key, estimate in rater.without.items()}
        yield from undefined_of(estimates.items(), f"of {rater.rater}")


def _all_results(statistics: ReportStatistics) -> Iterator[tuple[AgreementResult, Sequence[str]]]:
    """Every result of the tables, with what it is divided by."""
    yield from _results_with_rates(statistics)
    yield from ((result, statistics.groups_by) for result in with_numbers(statistics.groups))
    yield from ((result, statistics.strata_by) for result in with_numbers(statistics.strata))
    yield from ((result, [PAIR]) for result in statistics.pairs)


def _results_with_rates(
    statistics: ReportStatistics,
) -> Iterator[tuple[AgreementResult, Sequence[str]]]:
    """Every result of the tables that show pass rates, with what it is divided by."""
    by = statistics.look.by
    yield from ((result, by) for result in with_numbers((*statistics.results, *statistics.weighted)))
    yield from ((result, [by]) for by, results in statistics.totals.items() for result in results)
