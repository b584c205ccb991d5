"""What the effects screen shows: one measure large and others small, rows of cases by columns of models."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import ASSUMED, marks, p_value, percent, points, short_number, sum_text
from reviewer.core.sanitize import agreeing, counted
from reviewer.protocols.evaluation import RUNS_EITHER_WAY, EvaluationPlan, Measure
from reviewer.results.outcomes.effect_rows import COIN, Effect, EffectRow, EffectTable, titles_without_reading
from reviewer.tui.rendering.grid import DrawnEstimate, Grid, GridCell

MODEL = "model"
_LINES = 4  # lines of a row: three with numbers, one empty
_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns after the first: models, then those who answer without reading, by key with title."""

    models: tuple[str, ...]
    answerers: Mapping[str, str]


def grid_of_effects(table: EffectTable, plan: EvaluationPlan, measure: Measure, title: str) -> Grid:
    """The rows of a table that is divided by one dimension and by model.

    ``title`` is the head of the first column. Every cell of a model lists its cases.
    """
    models = tuple(dict.fromkeys(row.where[MODEL] for row in table.rows))
    columns = _Columns(models, titles_without_reading(plan))
    by_label: dict[str, dict[str, EffectRow]] = {}
    for row in table.rows:
        by_label.setdefault(_label(row), {})[row.where[MODEL]] = row
    rows = (_row(label, rows, measure, columns) for label, rows in by_label.items())
    heads = (COIN, *(f"always {answerer.key.replace('_', ' ')}" for answerer in plan.answerers))
    return Grid((title, *models, *heads), tuple(rows), height=_LINES, percent=_is_share(measure))


def shown_together(shown: Measure, measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """The measures that a cell shows: the large one, the next of the same comparison, and one with a sign."""
    alike = [measure for measure in measures if measure.over == shown.over and measure.key != shown.key]
    signed = [measure for measure in (shown, *alike) if measure.least < 0]
    return tuple(dict.fromkeys((shown, *alike[:1], *signed[:1])))


def meaning_of_effects(measure: Measure, measures: Iterable[Measure], level: float, grid: Grid) -> str:
    """What the numbers and signs are that the ``grid`` has, which shows a measure large, of these."""
    unit = "In percent" if _is_share(measure) else "As scored"
    ends = any(cell.span is not None and cell.span.low is not None for row in grid.rows for cell in row)
    signed = next((each for each in shown_together(measure, measures) if each.least < 0), None)
    signs = {
        "✓": f"✓ Holm p < {short_number(_ALPHA)}",
        "→": _arrows(signed) if signed else "",
        "?": "? unreadable",
        ASSUMED: f"{ASSUMED} unreadable ones counted as an answer",
    }
    told = [meaning for sign, meaning in signs.items() if meaning and grid.shows(sign)]
    interval = f", interval at {percent(level, None)}" if ends else ""
    return f"{measure.meaning} {'; '.join([f'{unit}{interval}', *told])}."


def _arrows(signed: Measure) -> str:
    if signed.directions == RUNS_EITHER_WAY:
        return "→ ← runs that changed forward and back"
    forward, back = signed.directions
    return f"→ {forward}, ← {back}"


def in_points(value: float | None, measure: Measure) -> str:
    """A value of a measure as text: a share in percent without its sign, any other as it is."""
    if value is None:
        return "–"
    if not _is_share(measure):
        return short_number(value)
    return points(value)


def _is_share(measure: Measure) -> bool:
    return measure.least >= -1 and measure.most <= 1


def _label(row: EffectRow) -> str:
    """The row's value of the dimension that divides the rows; "all" without one."""
    return next((value for name, value in row.where.items() if name != MODEL), "all")


def _row(
    label: str, rows: Mapping[str, EffectRow], measure: Measure, columns: _Columns
) -> tuple[GridCell, ...]:
    one = next(iter(rows.values()))
    fewest, most = (pick(row.cases for row in rows.values()) for pick in (min, max))
    cases = counted(most, "case") if fewest == most else f"{fewest:,} to {most:,} cases"
    lines, sentence = [label, cases], f"{label}: {cases}."
    for shown in shown_together(measure, (effect.measure for effect in one.effects.values())):
        if (coin := one.effects[shown.key].shifted_coin) is not None:
            lines.append(f"coin {in_points(coin, shown)}, not 0")
            sentence += (
                f" A coin's {shown.title} here is {in_points(coin, shown)}: compare with it, not with 0."
            )
            break
    name = GridCell(tuple(lines), label, sentence=sentence)
    models = (_cell(rows.get(model), measure) for model in columns.models)
    nulls = (_null_cell(one, key, title, measure) for key, title in columns.answerers.items())
    return (name, *models, *nulls)


def _null_cell(row: EffectRow, key: str, title: str, shown: Measure) -> GridCell:
    """What somebody reaches who answers without reading, exactly: the measures of the other cells."""
    measures = shown_together(shown, (effect.measure for effect in row.effects.values()))[:2]
    values = {measure: row.effects[measure.key].nulls.get(key) for measure in measures}
    lines = tuple(in_points(value, measure) for measure, value in values.items())
    said = ", ".join(f"{measure.title} {in_points(value, measure)}" for measure, value in values.items())
    value = values[shown]
    return GridCell(lines, "" if value is None else value, sentence=f"{title}: {said}, exactly.")


def _cell(row: EffectRow | None, measure: Measure) -> GridCell:
    if row is None:
        return GridCell(("–",), sentence="This model has no runs here.")
    effect = row.effects[measure.key]
    estimate = effect.estimate
    lines = tuple(filter(None, (_large(effect), _beside(row, measure), _below(row, effect))))
    order = "" if estimate.value is None else estimate.value
    coin = effect.nulls.get(COIN) if effect.shifted_coin is None else effect.shifted_coin
    return GridCell(lines, order, row.where, _sentence(row, effect), span=DrawnEstimate.of(estimate, coin))


def _large(effect: Effect) -> str:
    """The value with its interval, and a sign where it differs from 0 after Holm's correction."""
    estimate, measure = effect.estimate, effect.measure
    if estimate.value is None:
        return f"– {estimate.reason}"
    ends = estimate.shown_interval
    interval = (
        f"{in_points(ends.low, measure)}, {in_points(ends.high, measure)}" if ends else estimate.too_few
    )
    sure = "  ✓" if effect.holm is not None and effect.holm < _ALPHA else ""
    return f"{_marked(estimate, measure)}{f' [{interval}]' if interval else ''}{sure}"


def _marked(estimate: Estimate, measure: Measure) -> str:
    return f"{in_points(estimate.value, measure)}{marks(estimate)}"


def _beside(row: EffectRow, shown: Measure) -> str:
    """The next measure of the same comparison, and the runs that go either way."""
    _, *others = shown_together(shown, (effect.measure for effect in row.effects.values()))
    parts = [
        f"{measure.title} {_marked(row.effects[measure.key].estimate, measure)}" for measure in others[:1]
    ]
    signed = next((measure for measure in (shown, *others) if measure.least < 0), None)
    if signed is not None:
        effect = row.effects[signed.key]
        parts.append(f"{sum_text(abs(effect.forward))}→ {sum_text(abs(effect.backward))}←")
    return " · ".join(parts)


def _below(row: EffectRow, effect: Effect) -> str:
    noise = row.noise.value
    parts = [] if noise is None else [f"noise {points(noise)}"]
    return " · ".join([*parts, *([f"{effect.unread:,} ?"] if effect.unread else [])])


def _behind(row: EffectRow) -> str:
    """Over how many clusters noise, changes and their difference are; "" if over the same number."""
    parts = {"noise": row.noise, "changes": row.cross, "difference": row.above_noise}
    if len({estimate.n for estimate in parts.values()}) == 1:
        return ""
    return f" ({', '.join(f'{name} n {estimate.n:,}' for name, estimate in parts.items())})"


def _sentence(row: EffectRow, effect: Effect) -> str:
    """Everything about a cell that its three lines have no room for."""
    return "; ".join(_said(row, effect)) + "."


def _said(row: EffectRow, effect: Effect) -> Iterator[str]:
    estimate, measure = effect.estimate, effect.measure
    behind = f" behind the value, of {row.cases:,}" if effect.cases != row.cases else ""
    yield f"{counted(effect.cases, 'case')}{behind}, {counted(effect.runs, 'run')}"
    if estimate.reason:
        yield f"no value: {estimate.reason}"
    if effect.test.z is None and effect.test.p is not None:
        yield f"exact p {p_value(effect.test.p)}, Holm p {p_value(effect.holm)}"
    if effect.test.z is not None:
        yield f"z {short_number(effect.test.z)}, p {p_value(effect.test.p)}, Holm p {p_value(effect.holm)}"
    if effect.design_effect is not None:
        yield f"design effect {short_number(effect.design_effect)}"
    if row.above_noise.value is not None:
        side = "below" if row.above_noise.value < 0 else "above"
        yield f"changes lie {points(abs(row.above_noise.value))} points {side} noise{_behind(row)}"
    if effect.unread:
        low, high = (in_points(bound, measure) for bound in effect.bounds)
        leave = agreeing(effect.unread, "leaves", "leave")
        taken = ", taken for an answer," if estimate.assumed else ""
        yield f"{effect.unread:,} unreadable{taken} {leave} {low} to {high}"
    if effect.absent:
        yield f"{effect.absent:,} without a reply"
