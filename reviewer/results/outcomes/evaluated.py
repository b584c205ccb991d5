"""An evaluation run as arrays of labels: what effects, tables, screens and reports are made from.

Changed items can be set beside their baseline from another run that asked in the same layouts.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from reviewer.agreement.clustered_ratios import Bools
from reviewer.agreement.rating_patterns import Ints
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, one_line
from reviewer.protocols.base import Protocol
from reviewer.protocols.evaluation import BaselineItem, Condition, EvaluationPlan, conditions_of
from reviewer.protocols.registry import Protocols
from reviewer.runs.evaluation.evaluation_settings import EvaluationSettings, evaluation_settings, plan_as_set
from store.database import Database
from store.evaluations import CodedOutcome, Evaluations
from store.records import Case, JsonValue, Measurement, OutcomeState, Run, SampledCase

Int8Array = npt.NDArray[np.int8]
UNREADABLE: Final = -1
MISSING: Final = -2
"""No reply came, or none was asked for yet."""
NOT_ASKED: Final = -3
"""The protocol does not put the case under this condition."""
_CODES: Final[Mapping[OutcomeState, int]] = {
    "unreadable": UNREADABLE,
    "missing": MISSING,
    "not_asked": NOT_ASKED,
}


@dataclass(frozen=True, slots=True)
class EvaluatedCase:
    """A case of the sample with everything that tables divide and measures judge by.

    ``sizes`` are its numeric values by name, those that came with the case first. It is ``stale`` if its
    place holds another case now, or none. A coin takes each of its ``guesses`` equally often (none: each
    label). ``cluster`` is what it shares with others, if the plan says that cases share something.
    """

    place: int
    dataset: str
    key: str
    digest: str
    group: str
    generator: str
    facts: Hashable
    labels: tuple[str, ...]
    sizes: Mapping[str, float]
    stale: bool
    guesses: tuple[str, ...] = ()
    cluster: Hashable = None


Kinds = tuple[list[EvaluatedCase], Ints]
"""One case of each kind, and the kind of each case."""


@dataclass(frozen=True)
class Evaluation:
    """An evaluation run with its outcomes as labels.

    ``labels`` holds for each model an array of shape (cases, conditions, repeats). Values from 0 are places
    in the ``labels`` of the case; negative ones are UNREADABLE, MISSING and NOT_ASKED.
    """

    run: Run
    settings: EvaluationSettings
    protocol: Protocol
    plan: EvaluationPlan
    cases: tuple[EvaluatedCase, ...]
    models: tuple[str, ...]
    conditions: tuple[Condition, ...]
    labels: Mapping[str, Int8Array]
    reader_versions: Mapping[int, int] = field(default_factory=dict)
    """How many replies each version of the reader of answers read."""

    @property
    def readers_in_words(self) -> str:
        """Which versions of the reader read the replies; "" if the outcomes came with their labels."""
        if len(self.reader_versions) == 1:
            return f"version {next(iter(self.reader_versions))}"
        parts = [
            f"version {version} ({count:,} {agreeing(count, 'reply', 'replies')})"
            for version, count in self.reader_versions.items()
        ]
        return ", ".join(parts)

    @property
    def repeats(self) -> int:
        """How often each case is put to each model under each condition."""
        return self.settings.repeats

    def of_models(self, names: Sequence[str]) -> "Evaluation":
        """The run with these models alone (none: all); raises RequestError for one that it did not ask."""
        if unknown := [name for name in names if name not in self.models]:
            raise RequestError(
                f"run {self.run.name!r} asked no model {one_line(unknown[0])!r}; it asked "
                f"{', '.join(map(one_line, self.models))}. The model that compares texts is chosen with "
                "--sentence-model."
            )
        labels = {model: self.labels[model] for model in self.models if model in names}
        return replace(self, models=tuple(labels), labels=labels) if names else self

    @cached_property
    def kinds(self) -> Kinds:
        """The cases by kind."""
        return kinds_of(self.cases)

    @cached_property
    def judged(self) -> dict[str, Any]:
        """What ``comparisons_of`` has made of all outcomes, by measure, for all tables."""
        return {}

    @cached_property
    def asked(self) -> Bools:
        """Which model was asked which case, under any condition; of shape (models, cases)."""
        labels = [(self.labels[model] != NOT_ASKED).any(axis=(1, 2)) for model in self.models]
        return np.array(labels, dtype=np.bool_).reshape(len(self.models), len(self.cases))

    @cached_property
    def stale(self) -> tuple[EvaluatedCase, ...]:
        """The cases whose place holds other content now."""
        return tuple(case for case in self.cases if case.stale)


def kinds_of(cases: Sequence[EvaluatedCase]) -> Kinds:
    """The cases by kind: those with equal facts, labels and guesses are of one."""
    numbers: dict[Hashable, int] = {}
    examples, kind_of = [], np.zeros(len(cases), dtype=np.int64)
    for place, case in enumerate(cases):
        key = case.facts, case.labels, case.guesses
        if key not in numbers:
            numbers[key] = len(numbers)
            examples.append(case)
        kind_of[place] = numbers[key]
    return examples, kind_of


def read_evaluation(database: Database, protocols: Protocols, name: str) -> Evaluation:
    """The evaluation run of this name; raises RequestError."""
    evaluations = Evaluations(database)
    run = evaluations.run(name)
    protocol = protocols.named(run.protocol)
    plan = protocol.procedure(EvaluationPlan)
    settings = evaluation_settings(run)
    content, sample = evaluations.cases(name), evaluations.sample(name)
    plan = plan_as_set(plan, settings, [content[sampled.digest] for sampled in sample])
    cases = _evaluated_cases(evaluations, plan, name, sample, content)
    models = tuple(model.model for model in evaluations.models(name))
    conditions = conditions_of(plan.factors, settings.conditions)
    labels = _arrays(evaluations.coded(name), cases, models, conditions, settings.repeats)
    versions = evaluations.reader_versions(name)
    return Evaluation(run, settings, protocol, plan, cases, models, conditions, labels, versions)


def _evaluated_cases(
    evaluations: Evaluations,
    plan: EvaluationPlan,
    run: str,
    sample: Sequence[SampledCase],
    cases: Mapping[str, Case],
) -> tuple[EvaluatedCase, ...]:
    measured, stale = evaluations.values(run), evaluations.stale(run)
    evaluated = []
    for sampled in sample:
        case, values = cases[sampled.digest], _values_at(sampled, measured.get(sampled.digest, ()))
        numbers = {
            name: float(value)
            for name, value in values.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
        evaluated.append(
            EvaluatedCase(
                sampled.place,
                sampled.dataset,
                sampled.key,
                sampled.digest,
                case.group,
                sampled.generator,
                plan.facts(case, values),
                plan.labels(case),
                numbers,
                sampled.place in stale,
                plan.guesses(case),
                plan.cluster(case),
            )
        )
    return tuple(evaluated)


def _values_at(sampled: SampledCase, measurements: Sequence[Measurement]) -> dict[str, JsonValue]:
    """Values by name: what came with the case at its place, else elsewhere, else what was measured last.

    Among values measured on several variants, those of the variant that was stored first count.
    """
    measured = [value for value in measurements if not value.came_with_place]
    brought = [value for value in measurements if value.came_with_place]
    here = [value for value in brought if (value.dataset, value.key) == (sampled.dataset, sampled.key)]
    first: dict[str, str] = {}
    for value in measured:
        first.setdefault(value.name, value.variant)
    values = {value.name: value.value for value in measured if value.variant == first[value.name]}
    return values | {value.name: value.value for value in (*brought, *here)}


def _arrays(
    outcomes: Sequence[CodedOutcome],
    cases: Sequence[EvaluatedCase],
    models: Sequence[str],
    conditions: Sequence[Condition],
    repeats: int,
) -> dict[str, Int8Array]:
    shape = len(cases), len(conditions), repeats
    arrays = {model: np.full(shape, MISSING, dtype=np.int8) for model in models}
    place_of = {condition.key: place for place, condition in enumerate(conditions)}
    codes = [{label: place for place, label in enumerate(case.labels)} for case in cases]
    for model, case, condition, repeat, state, label in outcomes:
        code = codes[case].get(label, UNREADABLE) if label is not None else _CODES[state]
        arrays[model][case, place_of[condition], repeat] = code
    return arrays


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
