"""What the agreement screen shows, as plain rows of cells that the screen draws."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from reviewer.core.number_text import DIGITS, leaves_out, number, percent, with_interval
from reviewer.core.question import distances_in_words, families
from reviewer.core.sanitize import counted, enumerated
from reviewer.core.table import Cell, Column, RowType, TableSpec
from reviewer.results.labels.agreement_results import AgreementResult, Method
from reviewer.results.labels.coefficient_choice import KNOWN, coefficient_in_words
from reviewer.results.labels.dimensions import ALL, STRATUM
from reviewer.results.labels.judge_results import JUDGE_DIMENSIONS, JudgeResult, varying
from reviewer.results.labels.label_spread import LabelSpread
from reviewer.results.labels.output_quality import RankedOutput
from reviewer.results.labels.rater_results import BothWays, RaterResult
from reviewer.results.labels.study_statistics import BOOTSTRAP, StudyStatistics
from reviewer.results.tables.agreement_tables import (
    agreement_spec,
    both_ways_spec,
    pass_rates_spec,
    rows_in_words,
)
from reviewer.results.tables.judge_tables import judges_spec
from reviewer.results.tables.label_spread_tables import LABEL_HISTOGRAMS, RANKED_OUTPUTS
from reviewer.results.tables.rater_tables import raters_by, raters_spec
from reviewer.study.design.design_facts import invalid_rates_in_words
from reviewer.study.design.left_out_raters import excluded_in_words
from reviewer.tui.rendering.grid import DrawnEstimate, Grid, GridCell

FIRST_VIEW, PASS_RATES, RATERS = "heat map", "pass rates", "raters"
JUDGES, OUTPUTS = "judges against experts", "ranked outputs"
WEIGHINGS: tuple[tuple[str, Method], ...] = (
    ("quadratic weights", BOOTSTRAP),
    ("linear weights", replace(BOOTSTRAP, weights="linear")),
    ("quadratic weights and none", replace(BOOTSTRAP, unweighted=True)),
)
"""How far labels in order that differ still agree, in words and as a method."""
_FEW_CASES = "Grey: too few cases for an interval."
_LEFT_OUT = "† leaves out subgroups or pairs of raters without a value."
_MEANINGS = {
    "labels": "How often each label was given in each group, and the median where labels have an order.",
    FIRST_VIEW: "Share of items on which all raters gave the same label",
    OUTPUTS: "How good each output is by its rankings: mean rank, share of wins, Bradley-Terry score.",
}
"""What the numbers of a view are, where its columns do not say it."""
_PAIRWISE = "po_pairwise"
_IN_WORDS = {"po_all_agree": "all raters agree"}
"""Coefficients that a sentence names by more than a symbol."""
_BOTH_WAYS = "without and with raters left out"
_FEW = 5
"""Below this number of cases a cell has no colour."""
_SIGNS = {"░": f"fewer than {_FEW} cases", "~": "most labels are equal, so κ is low"}
_LEVELS = "▁▂▃▄▅▆▇█"
_About = tuple[Mapping[str, str] | None, str]


def views_of(numbers: StudyStatistics | None) -> tuple[str, ...]:
    """The views of a study.

    The labels by group are only shown where labels have an order or an answer is a set, and results without
    and with some raters only where the lead left one out.
    """
    views = [FIRST_VIEW, "coefficients", PASS_RATES, RATERS]
    questions = numbers.bundle.questions if numbers else ()
    if any(question.counts_labels for question in questions):
        views.append("labels")
    if any(question.orders_outputs for question in questions):
        views.append(OUTPUTS)
    if numbers and numbers.bundle.excluded:
        views.append(_BOTH_WAYS)
    if numbers and numbers.judged:
        views.append(JUDGES)
    return tuple(views)


def divisions_of(numbers: StudyStatistics) -> tuple[tuple[str, ...], ...]:
    """What the rows of a study can be divided by: what has several values, or else its generator.

    Strata come second: a sample is drawn by strata for the sake of comparing them. Divisions of which every
    part has too few cases come after those that can be read, and after the whole sample.
    """
    several = numbers.divisible
    single = [(name,) for name in ("generator", "group") if name in several]
    parts = [*single[:1], (STRATUM,), *single[1:], ("generator", "group"), ("dataset",)]
    divisions = [part for part in parts if several.keys() >= {*part}]
    readable = [part for part in divisions if min(several[name] for name in part) >= _FEW]
    whole = [] if readable or "generator" in several else [("generator",)]
    return (*readable, *whole, *(part for part in divisions if part not in readable))


def why_whole(numbers: StudyStatistics, division: tuple[str, ...]) -> str:
    """Why the rows show the whole sample although it can be divided; "" if they do not, or it cannot."""
    small = sorted(numbers.divisible)
    if division != ("generator",) or "generator" in small or not small:
        return ""
    return f"each {enumerated(small)} has fewer than {_FEW} cases"


def rows_by(view: str, division: tuple[str, ...]) -> tuple[str, ...]:
    """What the rows of a view are divided by: raters are not divided, and opinions are not by strata."""
    if view in (RATERS, OUTPUTS, "labels"):
        return ()
    return tuple(name for name in division if view != JUDGES or name in JUDGE_DIMENSIONS)


def legend_of(view: str, grid: Grid) -> str:
    """What the signs of a heat map are that it has; "" in other views."""
    if view != FIRST_VIEW:
        return ""
    signs = (f"{sign} {meaning}" for sign, meaning in _SIGNS.items() if grid.shows(sign))
    return "   ".join((f"0% {_LEVELS} 100%", *signs))


def meaning_of(view: str, numbers: StudyStatistics | None, grid: Grid | None = None) -> str:
    """What the numbers of a view are, and the rows and signs of its ``grid``; "" where its columns say it."""
    if view == FIRST_VIEW:
        ordered = "; where labels have an order, the weighted agreement of pairs of raters"
        return f"{_MEANINGS[view]}{ordered if numbers and numbers.ordinal else ''}."
    told = [*(_of_study(view, numbers) if numbers else []), _MEANINGS.get(view, "")]
    if grid is not None:
        told += [_FEW_CASES if grid.has_few else "", grid.note, _LEFT_OUT if grid.shows("†") else ""]
    return " ".join(filter(None, told))


def _of_study(view: str, numbers: StudyStatistics) -> list[str]:
    """What is to be known of a view in this study."""
    if view == _BOTH_WAYS:
        return list(excluded_in_words(numbers.bundle))
    if view == JUDGES:
        asked = {any(item.votes for item in items) for _, items in numbers.judged}
        return [opinions_in_words(given=False in asked, asked=True in asked), *numbers.constant_opinions]
    return list(invalid_rates_in_words(numbers.bundle)) if view == PASS_RATES else []


def opinions_in_words(*, given: bool, asked: bool) -> str:
    """Which opinions the table of judges has: those ``given`` with cases, those of ``asked`` judges."""
    kinds = "Published and measured opinions" if given else "Opinions of judges"
    both = ", and those of judges," if given and asked else ""
    reasons = ", with reasons that were given" if asked else ""
    return (
        f"{kinds}{both} against the experts' final labels; they count in no agreement of raters. Enter: the "
        f"cases on which they differ{reasons}."
    )


def grid_of(
    numbers: StudyStatistics, view: str, division: tuple[str, ...], method: Method = BOOTSTRAP
) -> Grid:
    """One of the views."""
    if view == FIRST_VIEW:
        return _heat_map(numbers, division, method)
    if view == RATERS:
        raters = numbers.raters(method)
        spec_of_raters = raters_spec(raters_by(raters), raters)
        grid = _grid(spec_of_raters, raters, _of_rater)
        return replace(grid, note=spec_of_raters.legend(raters), keys=spec_of_raters.keys)
    if view == "labels":
        return replace(_grid(LABEL_HISTOGRAMS, numbers.spreads(), _of_spread), keys=2)
    if view == OUTPUTS:
        return replace(_grid(RANKED_OUTPUTS, numbers.ranked(method), _of_output), keys=3)
    if view == JUDGES:
        by = rows_by(view, division)
        judged = varying(numbers.judges(by, method))
        return replace(_grid(judges_spec(by, judged), judged, _of_judge), keys=len(by) + 2)
    by = ("question", *division)
    if view == _BOTH_WAYS:
        compared = numbers.both_ways(by, method)
        return replace(_grid(both_ways_spec(by, compared), compared, _of_both_ways), keys=len(by) + 1)
    results = [*numbers.results(by, method), *numbers.weighted(by, method)]
    spec = (agreement_spec if view == "coefficients" else pass_rates_spec)(by, results)
    grid = _grid(spec, results, _of_result)
    pairwise = KNOWN[_PAIRWISE].symbol
    told = f"{pairwise}: {coefficient_in_words(_PAIRWISE)}." if pairwise in grid.heads else ""
    note = " ".join(filter(None, (rows_in_words(results), told)))
    return replace(grid, keys=spec.keys, percent=view == PASS_RATES, note=note)


def _heat_map(numbers: StudyStatistics, division: tuple[str, ...], method: Method) -> Grid:
    """A row for each part of the division and a column for each question; the last of both pool all."""
    questions = [family[0].title for family in families(numbers.bundle.questions)]
    by_both = {
        _at(result, ("question", *division)): result
        for by in (("question", *division), ("question", division[0]))  # the rows, and their subtotals
        for result in numbers.results(by, method)
        if result.kind == "cell"
    }
    by_row = {
        _at(result, division): result
        for result in numbers.results(division, method)
        if result.kind != "mean of cells"
    }
    by_question = {
        _at(result, ("question",)): result
        for result in numbers.results(("question",), method)
        if result.kind != "mean of cells"
    }
    keys = [key for key in by_row if set(key) != {ALL}]
    rows = []
    for key in keys:
        cells = [by_both.get((title, *key)) for title in questions]
        rows.append((_name(" · ".join(key)), *map(_shaded, [*cells, by_row[key]])))
    whole = by_question.get((ALL,)) or next(iter(by_question.values()))
    pooled = [by_question.get((title,)) for title in questions]
    if len(keys) > 1:
        rows.append((_name(ALL), *map(_shaded, [*pooled, whole])))
    return Grid((" · ".join(division), *questions, "all questions"), tuple(rows), percent=True)


def _at(result: AgreementResult, by: Sequence[str]) -> tuple[str, ...]:
    return tuple(result.where.get(dimension, ALL) for dimension in by)


def _name(text: str) -> GridCell:
    return GridCell((text,), text)


def _shaded(result: AgreementResult | None) -> GridCell:
    """A level and a colour for the share of agreement, and a sentence with the coefficients.

    Where labels have an order, all are weighted: labels near each other agree for the most part.
    """
    if result is None:
        return GridCell(("–",))
    agreement = result.of(result.like("po_pairwise" if result.form == "ordinal" else "po_all_agree"))
    share, sentence = agreement.value, _sentence_of_cell(result)
    if share is None:
        return GridCell(("–",), "", result.where, sentence)
    if result.cases < _FEW:
        few = f"░ {counted(result.cases, 'case')}"
        return GridCell((few,), share, result.where, sentence, hatched=True, span=DrawnEstimate.of(agreement))
    level = _LEVELS[min(len(_LEVELS) - 1, int(share * len(_LEVELS)))]
    skewed = " ~" if result.skew else ""
    text, span = f"{level} {percent(share)}{skewed}", DrawnEstimate.of(agreement)
    return GridCell((text,), share, result.where, sentence, share, span=span)


def _sentence_of_cell(result: AgreementResult) -> str:
    """Where the cell is, its agreement and coefficients, and how sure they are."""
    where = " · ".join(result.where.values()) or ALL
    first = "po_pairwise" if result.form == "ordinal" else "po_all_agree"
    others = ("kendall_w", "kendall_tau_b") if result.form == "ranks" else ("fleiss_kappa", "gwet_ac1")
    estimates = {key: result.of(key) for key in map(result.like, (first, *others))}
    few = next((estimate.too_few for estimate in estimates.values() if estimate.too_few), "")
    shown = number if few else with_interval
    numbers = ", ".join(
        f"{_IN_WORDS.get(key, KNOWN[key].symbol)} {shown(estimate) or estimate.reason}"
        for key, estimate in estimates.items()
    )
    no_interval = f"; {few} for intervals" if few else ""
    return f"{where}: {numbers}{no_interval}. {_pass_rate(result)}{_sentence(result)}"


def _pass_rate(result: AgreementResult) -> str:
    """How many items pass, and how sure that is; "" where no label counts as a pass."""
    majority = result.majority
    if majority.value is None:
        return ""
    text = number(majority) if majority.too_few else with_interval(majority)
    return f"Pass rate by majority: {text}. "


def _sentence(result: AgreementResult) -> str:
    """One sentence on a cell: its skew, or else its number of labels and its undefined coefficients."""
    if result.skew:
        sentence = result.skew.in_words()
        return sentence[0].upper() + sentence[1:]
    reasons: dict[str, list[str]] = {}
    for key, estimate in result.coefficients.items():
        if estimate.reason:
            reasons.setdefault(estimate.reason, []).append(KNOWN[key].symbol)
    labels = f"{counted(result.ratings, 'label')} on {counted(result.items, 'item')}"
    missing = f", {result.missing:,} missing" if result.missing else ""
    named = ", ".join(f"{', '.join(symbols)} ({reason})" for reason, symbols in reasons.items())
    undefined = f"; undefined: {named}" if named else ""
    apart = distances_in_words(Counter(result.apart).elements()) if result.form == "ordinal" else ""
    far = f"; labels of an item are {apart} of the items" if apart else ""
    return f"{labels} by {counted(result.raters, 'rater')}{missing}{far}{undefined}."


def _grid(
    spec: TableSpec[RowType],
    rows: Sequence[RowType],
    about: Callable[[RowType, Column[RowType]], _About],
) -> Grid:
    """A declared table. ``about`` says which labels a cell covers, and the sentence on it."""
    columns = spec.visible
    cells = tuple(tuple(_cell(column, row, about) for column in columns) for row in rows)
    fields = tuple(column.fields[0].name if column.fields else "" for column in columns)
    return Grid(tuple(column.head or "" for column in columns), cells, fields=fields)


def _cell(
    column: Column[RowType],
    row: RowType,
    about: Callable[[RowType, Column[RowType]], _About],
) -> GridCell:
    estimate = column.estimate(row) if column.estimate else None
    reason = estimate.reason if estimate else None
    order = column.order(row)
    where, sentence = about(row, column)
    if reason:
        sentence = f"{sentence} There is no value: {reason}."
    few = estimate is not None and bool(estimate.too_few)
    shown = number(estimate) if estimate is not None and few else column.shown(row, DIGITS)
    span = DrawnEstimate.of(estimate) if estimate is not None and column.interval else None
    return GridCell((_text(shown),), "" if order is None else order, where, sentence, hatched=few, span=span)


def _text(shown: Cell) -> str:
    if shown is None:
        return "–"
    return f"{shown:,}" if isinstance(shown, int) else str(shown)


def _of_result(result: AgreementResult, column: Column[AgreementResult]) -> _About:
    marked = column.estimate is not None and leaves_out(column.estimate(result))
    left_out = " †: this mean leaves out subgroups or pairs of raters without a value." if marked else ""
    return result.where, _sentence(result) + left_out


def _of_both_ways(row: BothWays, column: Column[BothWays]) -> _About:
    """The disagreements that count are those without the raters who are left out."""
    return row.result.where if row.without else None, _sentence(row.result)


def _of_spread(spread: LabelSpread, column: Column[LabelSpread]) -> _About:
    """The labels of a row, with their numbers."""
    where = {"question": spread.question.title, "group": spread.group}
    told = ", ".join(f"{label} {count:,}" for label, count in spread.counts.items())
    return where, f"{counted(spread.answers, 'answer')}: {told}."


def _of_output(row: RankedOutput, column: Column[RankedOutput]) -> _About:
    """The rankings behind a row."""
    where = {"question": row.question.title, "group": row.group}
    return where, f"{row.score.output}: {counted(row.rankings, 'ranking')} of {counted(row.cases, 'case')}."


def _of_judge(row: JudgeResult, column: Column[JudgeResult]) -> _About:
    """The cases on which an opinion differs from the final label."""
    where = {"opinion": row.opinion.name, "question": row.question.title, **row.where}
    differing = sum(
        count for (said, final), count in row.confusion.items() if said and final and said != final
    )
    told = (
        f"{row.opinion.shown_name}, {row.question.title}: {counted(row.items, 'item')}, of which it differs "
    )
    told += f"from the final label on {differing:,} and gives no answer to {row.absent + row.unmapped:,}."
    return where, told


def _of_rater(_rater: RaterResult, column: Column[RaterResult]) -> _About:
    """The meaning of the head."""
    return None, f"{column.head}: {column.told or column.fields[0].meaning}."
