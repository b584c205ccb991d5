"""Sentences that stand where the numbers of a table of effects could mislead."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from reviewer.agreement.clustered_ratios import Bools
from reviewer.agreement.rating_patterns import Ints
from reviewer.core.estimate import FEWEST_CASES
from reviewer.core.number_text import ASSUMED, fixed, percent
from reviewer.core.sanitize import agreeing, counted, enumerated, one_line
from reviewer.protocols.evaluation import Answerer, EvaluationPlan, Measure
from reviewer.results.outcomes.comparisons import stacked_labels
from reviewer.results.outcomes.effect_rows import COIN, EffectRow, EffectTable, clusters_in_words
from reviewer.results.outcomes.evaluated import Evaluation

_CLOSE: Final = 1e-9
_NOTHING_ADDED: Final = 0.8
"""Repeats add almost nothing from this share of the greatest design effect on."""
_NO_LABEL: Final = -99
_MOST_NAMES: Final = 5
_NEARLY_ALWAYS: Final = 0.95
"""The share of a model's answers from which on somebody who does not read is said to answer alike."""


def table_sentences(evaluation: Evaluation, table: EffectTable, chosen: Bools) -> Iterator[str]:
    """What a reader of the whole table must know."""
    facts = [case.facts for case, taken in zip(evaluation.cases, chosen, strict=True) if taken]
    yield from evaluation.plan.cautions(facts, evaluation.conditions)
    yield from _of_fixed_answers(evaluation, chosen)
    yield from _of_guessing(evaluation.plan, table)
    yield from unproven_claims(table)
    yield from _of_few_cases(table)
    if evaluation.repeats > 1 or not evaluation.plan.cluster_noun:  # else several runs are several cases
        yield from _of_repeats(table)
    yield from _of_unreadable(table.rows)
    yield from _of_readers(evaluation)
    yield from _of_assumed(table)
    yield from _of_models_apart(evaluation, chosen)
    stale = sum(case.stale and bool(taken) for case, taken in zip(evaluation.cases, chosen, strict=True))
    if stale:
        was = "was" if stale == 1 else "were"
        yield f"{counted(stale, 'case')} {was} replaced in the dataset after the answers were given."


def _of_models_apart(evaluation: Evaluation, chosen: Bools) -> Iterator[str]:
    """How many cases each model was asked, unless all were asked the same."""
    asked = evaluation.asked[:, chosen]
    if asked.any(axis=0).sum() != asked.all(axis=0).sum():
        numbers = zip(evaluation.models, asked.sum(axis=1).tolist(), strict=True)
        named = ", ".join(f"{one_line(model)} {number:,}" for model, number in numbers)
        yield (
            f"The models were asked different cases, of {counted(int(chosen.sum()), 'case')}: {named}. "
            "--compare model:A,B compares two of them by the cases that both were asked."
        )


def _of_fixed_answers(evaluation: Evaluation, chosen: Bools) -> Iterator[str]:
    """Which models answer like somebody who does not read."""
    if int(chosen.sum()) < FEWEST_CASES or not evaluation.models:
        return
    labels = stacked_labels(evaluation)[:, chosen]
    read = (labels >= 0).sum(axis=(1, 2, 3))
    for answerer in evaluation.plan.answerers:
        same = (labels == _codes(evaluation, answerer)[chosen][..., np.newaxis]).sum(axis=(1, 2, 3))
        for model, alike, total in zip(evaluation.models, same, read, strict=True):
            if total and alike >= _NEARLY_ALWAYS * total:
                share = f"{percent(alike / total, 1)} of its answers"
                yield f"{one_line(model)}: {share} are those of “{answerer.title}”."


def _codes(evaluation: Evaluation, answerer: Answerer) -> Ints:
    """What somebody answers who does not read, as places in the labels of each case, by condition."""
    examples, kind_of = evaluation.kinds
    answers = (
        (case.labels, answerer.answer(case.facts, condition))
        for case in examples
        for condition in evaluation.conditions
    )
    places = [labels.index(label) if label in labels else _NO_LABEL for labels, label in answers]
    codes = np.array(places, dtype=np.int64).reshape(len(examples), len(evaluation.conditions))
    return codes[kind_of]


def _of_guessing(plan: EvaluationPlan, table: EffectTable) -> Iterator[str]:
    """Which measures have their best value in every row for those who answer without reading."""
    by_way: dict[str, list[str]] = {}
    for measure in table.measures:
        ways = {
            "guessing" if key == COIN else "always giving one answer"
            for key in (COIN, *(answerer.key for answerer in plan.answerers))
            if _is_best(measure, [row.effects[measure.key].nulls[key] for row in table.rows])
        }
        if ways:
            by_way.setdefault(" or ".join(sorted(ways, reverse=True)), []).append(measure.title)
    for way, titles in by_way.items():
        yield (
            f"{way[0].upper()}{way[1:]} also gives the best value of {enumerated(titles)} without reading "
            "the cases, so a good value alone proves little."
        )


def _is_best(measure: Measure, reached: Sequence[float | None]) -> bool:
    """Whether there are values, and all of them are the measure's best."""
    known = [value for value in reached if value is not None]
    best = measure.best
    return best is not None and bool(known) and all(abs(value - best) < _CLOSE for value in known)


def unproven_claims(table: EffectTable) -> Iterator[str]:
    """Which models the test does not show to be better where a measure claims it."""
    by_model = set(table.by) <= {"model"}  # parts of a model would be many tests of one claim
    for measure in table.measures if by_model else ():
        for row in table.rows if measure.unproven else ():
            effect = row.effects[measure.key]
            value, p = effect.estimate.value, effect.test.p
            if value is None or (value > 0 and p is not None and p < 1 - table.method.level):
                continue
            named = " · ".join(map(one_line, row.where.values()))
            test = "no comparison differs" if p is None else f"p = {fixed(p, 3)}"
            yield (
                f"{named + ': ' if named else ''}{measure.unproven} ({measure.test} paired test: {test}; "
                f"{effect.forward:g} {measure.directions[0]}, {effect.backward:g} {measure.directions[1]})."
            )


def _of_few_cases(table: EffectTable) -> Iterator[str]:
    """How many rows rest on so few of what is resampled that people are shown no interval in them."""
    few = sum(all(effect.estimate.few for effect in row.effects.values()) for row in table.rows)
    if few:
        yield (
            f"{few} of {counted(len(table.rows), 'row')} {agreeing(few, 'has', 'have')} fewer than "
            f"{FEWEST_CASES} {clusters_in_words(table.clusters)}; tables for people show no interval there."
        )


def _of_repeats(table: EffectTable) -> Iterator[str]:
    """The design effect is at most about the number of runs of a cluster, and then repeats add nothing."""
    useless = 0
    for row in table.rows:
        effect = row.effects[table.measures[0].key]
        a_cluster = effect.runs / effect.estimate.n if effect.estimate.n else 0
        useless += a_cluster > 1 and (effect.design_effect or 0) >= _NOTHING_ADDED * a_cluster
    if useless and table.clusters != "none":
        yield (
            f"Repeats add almost nothing in {useless} of {counted(len(table.rows), 'row')}: the design "
            f"effect there is close to the number of runs of a {table.clusters}. More "
            f"{clusters_in_words(table.clusters)} would narrow the intervals."
        )


def _of_assumed(table: EffectTable) -> Iterator[str]:
    """Which measures take unreadable replies for an answer, and where they rest on nothing else."""
    taken = {
        measure.title: sum(row.effects[measure.key].estimate.assumed for row in table.rows)
        for measure in table.measures
    }
    if titles := [title for title, number in taken.items() if number]:
        yield (
            f"{ASSUMED}: {counted(max(taken.values()), 'comparison')} with an unreadable reply "
            f"{agreeing(max(taken.values()), 'counts', 'count')} as an answer in {', '.join(titles)}; a good "
            "value can come from them."
        )
    unread = [row for row in table.rows if any(effect.is_unread for effect in row.effects.values())]
    if unread:
        names = [" · ".join(map(one_line, row.where.values())) or "all cases" for row in unread]
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        yield (
            f"Not one reply can be read for {', '.join(names[:_MOST_NAMES])}{more}: values with {ASSUMED} in "
            f"{agreeing(len(names), 'this row', 'these rows')} say nothing about the model."
        )


def _of_readers(evaluation: Evaluation) -> Iterator[str]:
    """Which version of the reader read the replies."""
    if not evaluation.reader_versions:
        return
    again = ""
    if len(evaluation.reader_versions) > 1:
        again = f" `reviewer outcomes read {one_line(evaluation.run.name)}` reads all with the newest one."
    yield f"The reader of answers read the replies: {evaluation.readers_in_words}.{again}"


def _of_unreadable(rows: Sequence[EffectRow]) -> Iterator[str]:
    effects = [next(iter(row.effects.values())) for row in rows]
    unread, absent = sum(effect.unreadable for effect in effects), sum(effect.absent for effect in effects)
    if unread:
        yield (
            f"{counted(unread, 'comparison')} with an unreadable reply cannot be judged; the bounds say what "
            "they could change."
        )
    if absent:
        yield (
            f"{counted(absent, 'comparison')} cannot be made because a reply is missing or was not asked for."
        )
