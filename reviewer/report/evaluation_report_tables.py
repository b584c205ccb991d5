"""The tables of an evaluation run's report, as people and as programs read them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reviewer.core.table import RowType, Table, TableSpec
from reviewer.exchange.claims.claims_file import Claim, claims_of_report, printed_estimate, printed_number
from reviewer.protocols.evaluation import Measure
from reviewer.report.document import Numbers, numbers
from reviewer.results.labels.dimensions import ALL
from reviewer.results.outcomes.case_choice import ALL_CASES
from reviewer.results.outcomes.effect_rows import MODEL, EffectTable
from reviewer.results.outcomes.evaluation_statistics import EvaluationStatistics
from reviewer.results.tables.effect_tables import (
    EffectLine,
    contrasts_spec,
    effect_lines,
    effects_grid,
    effects_spec,
)
from reviewer.results.tables.evaluation_tables import BOUNDS, MODEL_REPLIES, answerers_spec


@dataclass(frozen=True)
class ReportTable:
    """One table as people see it in the report, and as programs read it."""

    shown: Numbers
    exact: Table


def report_tables(statistics: EvaluationStatistics) -> dict[str, ReportTable]:
    """Every table of the report by name; one without rows is not there."""
    return {table.shown.name: table for table in _tables(statistics) if table.exact.rows}


def _tables(statistics: EvaluationStatistics) -> Iterator[ReportTable]:
    heads, digits = statistics.headlines, statistics.digits
    yield _declared("replies", "Replies by model", MODEL_REPLIES, statistics.replies, digits)
    unread = [line for line in effect_lines(statistics.whole, ALL_CASES) if line.effect.unread]
    yield _declared("bounds", "What unreadable replies leave open", BOUNDS, unread, digits)
    yield _of_effects("effects", "Effects by model and group", statistics.groups, heads, digits)
    if statistics.others:
        caption = "Other measures by model and group"
        yield _of_effects("others", caption, statistics.groups, statistics.others, digits)
    yield _of_effects("tiers", "Effects by model and tier", statistics.tiers, heads, digits)
    slopes = "Highest minus lowest tier"
    yield _declared("tier-differences", slopes, contrasts_spec((MODEL,)), statistics.slopes, digits)
    caption = "Effects by model and condition"
    yield _of_effects("position", caption, statistics.conditions, statistics.by_condition, digits)
    spec = answerers_spec(statistics.whole.measures)
    caption = "Models beside those who answer without reading"
    yield _declared("answerers", caption, spec, statistics.answerers, digits)
    yield _of_effects("ladder", "Effects by choice of cases and model", statistics.ladder, heads, digits)
    pairs, caption = contrasts_spec(("first", "second")), "First model minus second model"
    yield _declared("models", caption, pairs, statistics.differences, digits)
    for study in statistics.answers:
        from reviewer.report.answers_section import answer_tables  # needs most of what reads labels

        for name, caption, spec, rows in answer_tables(study):
            yield _declared(name, caption, spec, rows, digits)


def _declared(
    name: str, caption: str, spec: TableSpec[RowType], rows: Sequence[RowType], digits: int
) -> ReportTable:
    return ReportTable(numbers(name, caption, spec, rows, digits), spec.for_programs(rows))


def _of_effects(
    name: str, caption: str, table: EffectTable, measures: Sequence[Measure], digits: int
) -> ReportTable:
    """People see the measures that are named; programs read all."""
    loud = [ALL in row.where.values() and len(row.where) > 1 for row in table.rows]
    grid = effects_grid(replace(table, measures=tuple(measures)))
    shown = numbers(name, caption, grid, table.rows, digits, loud=loud)
    return ReportTable(shown, effects_spec(table).for_programs(effect_lines(table, ALL_CASES)))


def evaluation_claims(statistics: EvaluationStatistics, command: str) -> str:
    """The claims of the effects by model and by group, which ``command`` prints once it has a division."""
    claims = (
        claim
        for table, by in ((statistics.whole, MODEL), (statistics.groups, f"{MODEL},group"))
        for line in effect_lines(table, ALL_CASES)
        if line.effect.measure in statistics.headlines and (by == MODEL or ALL not in line.where.values())
        for claim in _of_effect(line, f"{command} --by {by}", statistics.digits)
    )
    return claims_of_report(claims)


def _of_effect(line: EffectLine, command: str, digits: int) -> Iterator[Claim]:
    place = {**line.where, "measure": line.effect.measure.key}
    about = f"Effects, {' · '.join(place.values())}"
    for name, printed in printed_estimate("value", line.effect.estimate, digits):
        if number := printed_number(printed):
            yield Claim(f"{about}, {name}", printed, number, command, place, name)
