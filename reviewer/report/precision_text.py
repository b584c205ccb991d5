"""How precise a study is: widths of intervals and power in words; in an appendix, cases for more."""

from collections.abc import Callable, Iterator, Sequence

from reviewer.agreement.sample_sizes import USUAL_POWER, detectable_rates
from reviewer.core.estimate import FEWEST_CASES, Estimate, Interval
from reviewer.core.number_text import percent, short_number, significant, width_in_points
from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.report.agreement_text import symbol
from reviewer.report.document import Block, Numbers, Paragraph, Section
from reviewer.results.labels.agreement_results import AgreementResult, Method
from reviewer.results.labels.dimensions import ALL, PAIR
from reviewer.results.labels.sample_size import CellPlan, planned

PLANNED_WIDTH = 0.1
_PO, _ALL_AGREE = "po_all_agree", "the share on which all raters agree"


def plan_blocks(results: Sequence[AgreementResult], by: Sequence[str], method: Method) -> list[Block]:
    """The cases that narrower intervals need, as an appendix; empty where no plan has a number."""
    summed = [result for result in results if result.kind == "pooled" and by and result.where[by[0]] != ALL]
    parts = summed or [result for result in results if result.kind == "cell"]
    plans = planned(parts, PLANNED_WIDTH, method.level)
    if not any(_needed(plan) for plan in plans):
        return []
    return [
        Section("Cases needed for narrower intervals", appendix=True),
        Paragraph(
            f"For each coefficient, the table gives the total number of cases like these with which its "
            f"interval would be about {2 * PLANNED_WIDTH:g} wide. It is estimated from standard errors, so "
            "it can differ from the width of an interval above."
        ),
        needed_cases(by[:1] if summed else by, plans),
    ]


def needed_cases(by: Sequence[str], plans: Sequence[CellPlan]) -> Numbers:
    """A row for what a plan is about, with a column for each coefficient."""
    keys = dict.fromkeys(plan.coefficient for plan in plans)
    rows: dict[str, dict[str, CellPlan]] = {}
    for plan in plans:
        rows.setdefault(" · ".join(plan.where[name] for name in by) or ALL, {})[plan.coefficient] = plan
    cells = [
        (about, next(iter(planned.values())).cases, *(_needed(planned.get(key)) for key in keys))
        for about, planned in rows.items()
    ]
    reasons = dict.fromkeys(_why_not(plan) for plan in plans if _needed(plan) is None)
    note = [f"–: {'; '.join(reasons)}."] if reasons else []
    table = Table.of(("about", "cases", *map(symbol, keys)), cells)
    return Numbers("plans", "Cases needed", table, tuple(note))


def _needed(plan: CellPlan | None) -> int | None:
    """The cases that the plan asks for, which too few at hand do not tell."""
    return None if plan is None or plan.cases < FEWEST_CASES else plan.plan.cases


def _why_not(plan: CellPlan) -> str:
    small = f"fewer than {FEWEST_CASES} cases at hand do not tell"
    return small if plan.cases < FEWEST_CASES else plan.plan.reason or "no value"


def interval_widths(
    rows: Sequence[AgreementResult], by: Sequence[str], *, stopped: bool = False
) -> Iterator[str]:
    """The width of the interval over all items, and the widest of the other rows; or why there is none.

    Intervals of shares are seldom symmetric, so half a width would promise too little at one end. A study
    that could be ``stopped`` by looking has no valid interval of its pass rate here.
    """
    picks: tuple[tuple[str, Callable[[AgreementResult], Estimate]], ...] = (
        (_ALL_AGREE, lambda row: row.of(_PO)),
        ("the pass rate by majority", lambda row: row.majority),
    )
    for name, pick in picks[: 1 if stopped else 2]:
        if any(pick(row).value is not None for row in rows):
            yield _widths_in_words(name, pick, rows, by)


def _widths_in_words(
    name: str,
    pick: Callable[[AgreementResult], Estimate],
    rows: Sequence[AgreementResult],
    by: Sequence[str],
) -> str:
    # Resamples that never vary do not tell how much other cases would vary: 0 would be a false promise.
    widths = [(shown, row) for row in rows if (shown := pick(row).shown_interval)]
    wide = [(interval, row) for interval, row in widths if interval.width]
    if not wide:
        few = any(pick(row).too_few for row in rows)
        none = f"no row rests on {FEWEST_CASES} cases" if few else "no interval was computed"
        why = "every resample has the same value" if widths else none
        return f"The width of the interval of {name} is not given, because {why}."
    widest, row = max(wide, key=lambda pair: pair[0].width)
    whole = pick(rows[-1]).shown_interval
    told = f"The {percent(widest.level, None)} interval of {name} is"
    if not (whole and whole.width):
        none = " Over all items it is not given, because every resample has the same value." if whole else ""
        return f"{told} at most {_in_points(widest)} wide in a row of the main table (“{row.at(by)}”).{none}"
    at_most = "" if row is rows[-1] else f", and at most {_points(widest)} in a row"
    place = f" (“{row.at(by)}”)" if at_most else ""
    return f"{told} {_in_points(whole)} wide over all items{at_most}{place}."


def _in_points(interval: Interval) -> str:
    return f"{_points(interval)} percentage points"


def _points(interval: Interval) -> int:
    return width_in_points(interval.low, interval.high)


def power_in_words(
    results: Sequence[AgreementResult], by: Sequence[str], method: Method, digits: int
) -> Iterator[str]:
    """What a test of two cells that differ in the last dimension could find.

    If the whole study has no pass rate, because questions differ in their labels, each value of the first
    dimension has a sentence of its own.
    """
    cells = [result for result in results if result.kind == "cell" and result.majority.n]
    compared = []
    for whole, place in _wholes(results, by):
        parts = [cell for cell in cells if place.items() <= cell.where.items()]
        if by and by[-1] != PAIR and len({cell.where[by[-1]] for cell in parts}) > 1:
            compared.append((whole, parts, f" for {' · '.join(place.values())}" if place else ""))
    for whole, parts, place_words in compared:
        yield _power_words(whole, parts, place_words, by[-1], method, digits)


def _wholes(
    results: Sequence[AgreementResult], by: Sequence[str]
) -> Iterator[tuple[AgreementResult, dict[str, str]]]:
    """The pooled results that have a pass rate, the widest only, and the values that they are about."""
    if results[-1].majority.value is not None:
        yield results[-1], {}
        return
    for result in results:
        if result.kind == "pooled" and result.majority.value is not None and result.where[by[0]] != ALL:
            yield result, {by[0]: result.where[by[0]]}


def _power_words(
    whole: AgreementResult,
    parts: Sequence[AgreementResult],
    place: str,
    last: str,
    method: Method,
    digits: int,
) -> str:
    rate, few = whole.majority.value or 0.0, min(cell.majority.n for cell in parts)
    below, above = detectable_rates(rate, few, few, method.level)
    others = [
        f"{short_number(end, digits)} or {word}"
        for end, word in ((below, "less"), (above, "more"))
        if end is not None
    ]
    other = f"only from one of {', or of '.join(others)}" if others else "from no other one, not even 0 or 1"
    return (
        f"Power{place}: if two values of {last} have {counted(few, 'item')} each (the fewest in any "
        f"subgroup), a two-sided test at {significant(1 - method.level, 2)} with a power of "
        f"{percent(USUAL_POWER, None)} can tell a pass rate by majority of {short_number(rate, digits)} "
        f"{other} (arcsine approximation for independent samples). Smaller differences may go unnoticed."
    )
