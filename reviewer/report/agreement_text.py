"""Agreement for a terminal, and notes on its tables: what columns mean, and what a reader could mistake."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from reviewer.core.number_text import DIGITS, interval_text, leaves_out, number, percent
from reviewer.core.question import distances_in_words
from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.core.table import Cell, Column, Table, TableSpec
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.coefficient_choice import KNOWN
from reviewer.results.labels.label_stream import stale_labels
from reviewer.results.tables.agreement_tables import agreement_in_terminal, by_scale
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow

BY_CHANCE = "Agreement expected by chance"
"""The section that says why kappa can be low although raters agree."""
# A terminal of 100 columns has room for five coefficients with intervals beside two dimensions.
_ABREAST = 5
_Columns = Sequence[Column[AgreementResult]]


def agreement_tables(
    results: Sequence[AgreementResult], by: Sequence[str], digits: int = DIGITS
) -> list[Table]:
    """Tables for a terminal: each value with its interval below it, at most five coefficients in each.

    Every table begins and ends with the columns that have no interval. Answers of different kinds have
    tables of their own.
    """
    return [table for part in by_scale(results) for table in _part_tables(part, by, digits)]


def _part_tables(results: Sequence[AgreementResult], by: Sequence[str], digits: int) -> list[Table]:
    columns = agreement_in_terminal(by, results).visible
    first = [*takewhile(lambda column: not column.interval, columns)]
    wide = [column for column in columns if column.interval]
    last = [column for column in columns[len(first) :] if not column.interval]
    parts = [wide[start : start + _ABREAST] for start in range(0, len(wide), _ABREAST)] or [[]]
    return [_terminal_table(results, [*first, *part, *last], digits) for part in parts]


def _terminal_table(results: Sequence[AgreementResult], columns: _Columns, digits: int) -> Table:
    rows: list[list[Cell]] = []
    for result in results:
        rows.append([_value(column, result, digits) for column in columns])
        ends = _ends(columns, result, digits)
        if any(ends):
            rows.append(ends)
    return Table.of([column.short or column.head or "" for column in columns], rows)


def _value(column: Column[AgreementResult], result: AgreementResult, digits: int) -> Cell:
    if column.interval and column.estimate:
        return number(column.estimate(result), digits)
    return column.shown(result, digits)


def _ends(columns: _Columns, result: AgreementResult, digits: int) -> list[Cell]:
    """The intervals of a row, empty for a column or a value without one.

    The first value that has too few cases for an interval says so for the others too.
    """
    ends: list[Cell] = []
    for column in columns:
        estimate = column.estimate(result) if column.interval and column.estimate else None
        text = interval_text(estimate, digits, "–") if estimate else ""
        ends.append("" if estimate and estimate.too_few and text in ends else text)
    return ends


def symbol(key: str) -> str:
    """The short name of a coefficient."""
    return KNOWN[key].symbol


_OF_PAIRED = ("po_all_agree", "po_pairwise")
"""Coefficients whose n counts the items with two labels or more."""
_REST_OF_PASSING = (
    "Without a majority label it is undecided, and does not pass. It passes by unanimity if all of its "
    "labels let it pass."
)
THIRD_IN_WORDS = (
    "Two raters vote on each item, and a third where these differ. An item passes by majority if two of "
    "its votes are the same and this label lets it pass. Without such a majority it is "
    "undecided, and does not pass. Third votes on items on which the two agree count nowhere. A pass rate by "
    "unanimity is not available, because nobody knows what the third would have said where two agree."
)


_WITHOUT_RATES = "No question of the study has a label that counts as a pass, so there are no pass rates."


def passing_in_words(bundle: StudyBundle) -> str:
    """When an item of the study passes."""
    if not any(question.passing for question in bundle.questions):
        return _WITHOUT_RATES
    return THIRD_IN_WORDS if bundle.design.third else f"{majority_in_words(bundle)} {_REST_OF_PASSING}"


def majority_in_words(bundle: StudyBundle) -> str:
    """When an item passes by majority; with the label where it is one and the same for all questions."""
    passing = {question.passing for question in bundle.questions if question.passing}
    only = next(iter(passing)) if len(passing) == 1 else ()
    which = only[0] if len(only) == 1 else "the same, and this label lets it pass"
    return f"An item passes by majority if more than half of its labels are {which}."


def quoted(titles: Sequence[str]) -> str:
    """Titles of questions in a sentence."""
    return enumerated([f"“{title}”" for title in titles])


WEIGHTED_IN_WORDS = (
    "Weighted rates describe all cases that could be drawn. Their difference has an interval "
    "from those of the two rates (MOVER), and no test."
)
_MARKED = "†: this mean leaves out subgroups or pairs of raters without a value; the remarks say how many."


def legend(
    spec: TableSpec[AgreementResult], results: Sequence[AgreementResult], *, narrow: bool = False
) -> str:
    """What the heads of the columns mean, and the mark at a value, in one line."""
    return spec.legend(results, narrow=narrow) + mark_in_words(results) + _forms_in_words(results)


def _forms_in_words(results: Sequence[AgreementResult]) -> str:
    """What holds where there are answers of several forms."""
    forms = {result.form for result in results} - {"mixed"}
    if len(forms) < 2:
        return ""
    told = {
        "ordinal": "where labels have an order, coefficients are weighted",
        "sets": "where answers are sets of labels, alpha has a distance between sets",
        "ranks": "W and τ_b of rankings are means over cases, with cases resampled",
        "spans": "where answers are spans of a text, alpha (uα) compares characters within spans and gaps",
        "text": "answers in free text have no agreement",
    }
    said = "; ".join(words for form, words in told.items() if form in forms)
    return f" {said[0].upper()}{said[1:]}. Each kind of answers has a table of its own."


def mark_in_words(results: Sequence[AgreementResult]) -> str:
    """What the mark at a value means, if a value has it."""
    marked = any(leaves_out(estimate) for result in results for estimate in result.coefficients.values())
    return f" {_MARKED}" if marked else ""


def intervals_in_words(results: Sequence[AgreementResult]) -> str | None:
    """Which intervals the table shows; None if it shows none."""
    sample, dataset = dict[str, dict[str, None]](), dict[str, dict[str, None]]()
    level = None
    for result in results:
        for key, coefficient in result.coefficients.items():
            if interval := coefficient.shown_interval:
                level = interval.level
                methods = dataset if result.kind == "dataset" else sample
                methods.setdefault(interval.method, {})[symbol(key)] = None
    if level is None:
        return None
    words = [*_methods_in_words(sample)]
    words += [f"{method} in weighted rows" for method in dataset]
    return f"Intervals at {percent(level, None)}: {'; '.join(words)}."


def _methods_in_words(symbols: Mapping[str, Mapping[str, None]]) -> Iterator[str]:
    """Each column with its methods, columns with the same ones together; a single method stands alone."""
    if len(symbols) == 1:
        yield from symbols
        return
    columns: dict[tuple[str, ...], list[str]] = {}
    for name in dict.fromkeys(name for method in sorted(symbols) for name in symbols[method]):
        columns.setdefault(tuple(method for method in sorted(symbols) if name in symbols[method]), []).append(
            name
        )
    for methods, names in columns.items():
        yield f"{enumerated(names)}: {_each_method(methods)}"


def _each_method(methods: Sequence[str]) -> str:
    """The methods of one column, Wilson's with the rows that have it if others have another."""
    others = [method for method in methods if method != "Wilson"]
    if len(others) == len(methods) or not others:
        return " or ".join(methods)
    return f"Wilson where each case has one item, otherwise {' or '.join(others)}"


def stale_in_words(rows: Sequence[LabelRow]) -> list[str]:
    """A sentence on labels that are stale, if any are."""
    return stale_count_in_words(stale_labels(rows))


def stale_count_in_words(stale: int) -> list[str]:
    """The same, from the number of stale labels."""
    verb = "is" if stale == 1 else "are"
    why = "the case or the question changed afterwards"
    return [f"{counted(stale, 'verdict')} {verb} stale: {why}."] if stale else []


_BY_CHANCE = (
    "Raters who rank at random have on average a W of 1 divided by their number (.33 with three raters), and "
    "a τ_b of 0."
)


def low_kappas(questions: Sequence[AgreementResult]) -> list[str]:
    """The questions on which kappa is low because most labels are the same, although raters agree."""
    skewed = (result for result in questions if result.kind == "cell" and result.skew)
    return [result.where["question"] for result in skewed if result.skew and result.skew.raters_agree]


def remarks(
    results: Sequence[AgreementResult], by: Sequence[str], digits: int = DIGITS, *, in_report: bool = False
) -> list[str]:
    """A sentence for all that a reader could mistake: undefined values, skew, missing labels.

    A report has sections of its own on the first two.

    Rows over several kinds of answers show no coefficient that one of the kinds lacks, so they need none.
    """
    told = [result for result in results if result.form != "mixed"] or results
    return [
        *([_BY_CHANCE] if any(result.form == "ranks" for result in told) else []),
        *(sentence for result in told for sentence in _remarks_on(result, by, digits, in_report=in_report)),
        *resample_remarks([result for result in told if result.kind != "mean of cells"], by),
    ]


def _remarks_on(result: AgreementResult, by: Sequence[str], digits: int, *, in_report: bool) -> list[str]:
    if result.kind == "mean of cells":
        return _remarks_on_mean(result, by)
    place, sentences = result.at(by), []
    reasons = {f"{symbol(key)} ({e.reason})" for key, e in result.coefficients.items() if e.reason}
    if reasons and result.ratings and not in_report:
        verb = "is" if len(reasons) == 1 else "are"
        sentences.append(f"{place}: {', '.join(sorted(reasons))} {verb} undefined.")
    if result.skew and not in_report:
        sentences.append(f"{place}: {result.skew.in_words(digits)}")
    elif result.form == "ordinal" and (apart := distances_in_words(Counter(result.apart).elements())):
        sentences.append(f"{place}: labels of an item are {apart} of {counted(result.items, 'item')}.")
    sentences += _unrated_in_words(result, place)
    if pairs := _pairs_left_out(result):
        sentences.append(f"{place}: {pairs}.")
    if result.missing:
        verb = "is" if result.missing == 1 else "are"
        owed = counted(result.missing + result.ratings, "label")
        sentences.append(f"{place}: {result.missing} of {owed} {verb} missing.")
    return sentences


def unrated_remarks(results: Sequence[AgreementResult], by: Sequence[str]) -> list[str]:
    """A sentence for each cell in which some items have fewer than two labels."""
    cells = [result for result in results if result.kind == "cell"]
    return [sentence for cell in cells for sentence in _unrated_in_words(cell, cell.at(by))]


def _unrated_in_words(result: AgreementResult, place: str) -> list[str]:
    """How many items have the two labels that agreement needs."""
    estimate = next((result.coefficients[key] for key in _OF_PAIRED if key in result.coefficients), None)
    if estimate is None or not result.ratings or estimate.n >= result.items:
        return []
    if not estimate.n:
        return [
            f"{place}: none of {counted(result.items, 'item')} has two or more labels, so no agreement is "
            "computed."
        ]
    verb, these = ("has", "this one") if estimate.n == 1 else ("have", "these")
    return [
        f"{place}: {estimate.n:,} of {counted(result.items, 'item')} {verb} two or more labels; agreement "
        f"is computed from {these}."
    ]


def _pairs_left_out(result: AgreementResult) -> str:
    """Which coefficients are means over rater pairs that leave some out."""
    return ", ".join(
        f"{symbol(key)} leaves out {counted(estimate.left_out or 0, 'pair')} of raters without a value"
        for key, estimate in result.coefficients.items()
        if leaves_out(estimate)
    )


def _remarks_on_mean(result: AgreementResult, by: Sequence[str]) -> list[str]:
    """Which means leave out cells: often these are the cells on which all raters agree."""
    short = {
        key: mean for key, mean in result.coefficients.items() if mean.value is not None and mean.left_out
    }
    named = ", ".join(
        f"over {e.n} of {e.n + (e.left_out or 0)} subgroups for {symbol(key)}" for key, e in short.items()
    )
    return [f"{result.at(by)}: the mean is {named}; the other subgroups have no value."] if short else []


def resample_remarks(results: Sequence[AgreementResult], by: Sequence[str]) -> list[str]:
    """A sentence on the resamples that intervals leave out; none where they leave out none."""
    shares = ((result.at(by), _undefined_resamples(result)) for result in results)
    named = [f"{place} ({remark})" for place, remark in shares if remark]
    left_out = "Intervals leave out the resamples in which a coefficient is undefined: "
    return [f"{left_out}{', '.join(named)}."] if named else []


def undecided_remarks(results: Sequence[AgreementResult], by: Sequence[str]) -> list[str]:
    """A sentence for each cell with items that have no majority label."""
    cells = [result for result in results if result.kind == "cell" and result.undecided]
    return [
        f"{cell.at(by)}: {counted(cell.undecided, 'item')} {agreeing(cell.undecided, 'has', 'have')} no "
        f"majority label: undecided{'' if cell.majority.value is None else ', and not passed'}."
        for cell in cells
    ]


def _undefined_resamples(result: AgreementResult) -> str:
    """Which intervals leave out at least one resample in a hundred."""
    shares = {
        symbol(key): share
        for key, estimate in result.coefficients.items()
        if estimate.shown_interval is not None and (share := estimate.undefined_share or 0.0) >= 0.01
    }
    by_share: dict[str, list[str]] = {}
    for name, share in shares.items():
        by_share.setdefault(percent(share), []).append(name)
    return ", ".join(f"{share} for {enumerated(names)}" for share, names in by_share.items())
