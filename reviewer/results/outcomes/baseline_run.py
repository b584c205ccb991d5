"""Changed items beside their baseline from another run, asked in the same layouts or refused."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.protocols.evaluation import BaselineItem, Condition, conditions_of
from reviewer.results.outcomes.evaluated import MISSING, EvaluatedCase, Evaluation, Int8Array
from store.database import Database
from store.evaluations import Evaluations

_AGAIN = "ask both in the same layouts, with the same prompts and parameters."
_Matched = tuple[EvaluatedCase, BaselineItem]


def with_baseline(database: Database, changed: Evaluation, baseline: Evaluation) -> Evaluation:
    """The changed items of one run with the answers to their baseline items from another run.

    Items that the baseline lacks count as missing there. Raises RequestError if the two were not asked alike,
    or share no model or no item.
    """
    _check_asked_alike(changed, baseline)
    factor, value = changed.plan.baseline_factor
    if any(put[factor] == value for put in changed.conditions):
        raise RequestError(f"run {changed.run.name!r} asked {factor} {value!r} itself; leave --baseline out.")
    models = tuple(model for model in changed.models if model in baseline.models)
    if not models:
        raise RequestError(f"runs {changed.run.name!r} and {baseline.run.name!r} share no model.")
    matched = _matched(database, changed, baseline)
    _check_layouts(changed, baseline, matched.values())
    chosen = {**changed.settings.conditions, factor: (value, *_values(changed, factor))}
    conditions = conditions_of(changed.plan.factors, chosen)
    labels = {model: _labels(changed, baseline, model, conditions, matched) for model in models}
    return replace(changed, models=models, conditions=conditions, labels=labels)


def _values(evaluation: Evaluation, factor: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(put[factor] for put in evaluation.conditions))


def _check_asked_alike(changed: Evaluation, baseline: Evaluation) -> None:
    """Raise RequestError if prompts, parameters or repeats of the two runs differ."""
    if not changed.plan.baseline_factor[0]:
        raise RequestError(f"cases of protocol {changed.run.protocol!r} are not changed items.")
    one, other = changed.settings, baseline.settings
    same = {
        "prompts": one.prompts == other.prompts,
        "parameters": one.sampling == other.sampling,
        "repeats": one.repeats == other.repeats,
    }
    if differ := [name for name, is_same in same.items() if not is_same]:
        raise RequestError(
            f"runs {changed.run.name!r} and {baseline.run.name!r} were not asked with the same "
            f"{' and '.join(differ)}, so their difference would not show the changes alone; {_AGAIN}"
        )


def _matched(database: Database, changed: Evaluation, baseline: Evaluation) -> dict[int, _Matched]:
    """The baseline item of each changed case by its place; raises RequestError if none has one."""
    plan, evaluations = changed.plan, Evaluations(database)
    contents = evaluations.cases(baseline.run.name)
    items: dict[Hashable, _Matched] = {}
    for case in baseline.cases:
        for known in plan.baseline_items(contents[case.digest]):
            items[known.item] = case, known
    changes = evaluations.cases(changed.run.name)
    matched = {
        case.place: items[item]
        for case in changed.cases
        if (item := plan.changed_item(changes[case.digest])) in items
    }
    if not matched:
        raise RequestError(
            f"run {baseline.run.name!r} has none of the items that run {changed.run.name!r} changed."
        )
    return matched


def _check_layouts(changed: Evaluation, baseline: Evaluation, matched: Iterable[_Matched]) -> None:
    """Raise RequestError unless every item was asked in the same layouts in both runs."""
    factor, _ = changed.plan.baseline_factor
    asked = {put.without(factor) for put in changed.conditions}
    for case, item in matched:
        before = {
            item.conditions[put].without(factor) for put in baseline.conditions if put in item.conditions
        }
        if before != asked:
            raise RequestError(
                f"run {baseline.run.name!r} asked item {one_line(case.key)!r} in the layouts "
                f"{_named(before)}, and run {changed.run.name!r} asked the changed items in "
                f"{_named(asked)}; {_AGAIN}"
            )


def _named(layouts: set[Condition]) -> str:
    return " and ".join(repr(layout.key) for layout in sorted(layouts)) or "none"


def _labels(
    changed: Evaluation,
    baseline: Evaluation,
    model: str,
    conditions: Sequence[Condition],
    matched: Mapping[int, _Matched],
) -> Int8Array:
    """The labels of one model under all conditions: those of the changed run, then those of the baseline."""
    places = {condition: place for place, condition in enumerate(conditions)}
    labels = np.full((len(changed.cases), len(conditions), changed.repeats), MISSING, dtype=np.int8)
    for own, put in enumerate(changed.conditions):
        labels[:, places[put]] = changed.labels[model][:, own]
    before = {case.place: at for at, case in enumerate(baseline.cases)}
    for at, case in enumerate(changed.cases):
        if case.place not in matched:
            continue
        told, item = matched[case.place]
        for there, put in enumerate(baseline.conditions):
            if put in item.conditions:
                codes = baseline.labels[model][before[told.place], there]
                labels[at, places[item.conditions[put]]] = [_code(case, told, item, int(c)) for c in codes]
    return labels


def _code(case: EvaluatedCase, told: EvaluatedCase, item: BaselineItem, code: int) -> int:
    """A baseline's label as a label of the changed case; what is not a label stays as it is."""
    return code if code < 0 else case.labels.index(item.labels[told.labels[code]])
