"""The different answers of a run: which outcomes are of the asked part, and which are equal to raters."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import Final

import numpy as np

from reviewer.agreement.clustered_ratios import Bools
from reviewer.core.errors import RequestError
from reviewer.core.names import closest
from reviewer.core.sanitize import one_line
from reviewer.protocols.evaluation import AnswerKind
from reviewer.protocols.name_masking import NameMask, put_in_words
from reviewer.results.outcomes.answer_draw import DifferentAnswer
from reviewer.results.outcomes.comparisons import comparisons_of
from reviewer.results.outcomes.evaluated import UNREADABLE, Evaluation
from store.database import Database
from store.evaluations import Evaluations
from store.records import Case
from store.row_records import portions
from store.studies import cases_with

ALL, UNREADABLE_ANSWERS = "all", "unreadable"
_MEANINGS: Final = {ALL: "all answers", UNREADABLE_ANSWERS: "answers of which no decision could be read"}


def different_answers(
    database: Database, evaluation: Evaluation, where: str = ALL, among: Sequence[str] = ()
) -> list[DifferentAnswer]:
    """The answers of one part of a run, equal ones once; raises RequestError for an unknown part.

    Only those to cases ``among`` these groups (none: all).
    Answers that differ in names of models alone are equal, because raters read them without these.
    """
    chosen, places = _chosen(evaluation, where), {c.key: n for n, c in enumerate(evaluation.conditions)}
    given: dict[tuple[int, str, str | None, str], tuple[str, list[tuple[str, int]]]] = {}
    replies = Evaluations(database).replies(evaluation.run.name)
    for model, case, condition, repeat, label, reason, reply in replies:
        of_model = chosen.get(model)
        if of_model is not None and of_model[case][places[condition]][repeat]:
            _, by = given.setdefault((case, condition, label, reply), (reason, []))
            by.append((model, repeat))
    groups = [case.group for case in evaluation.cases]
    _check_groups(evaluation, groups, among)
    answers = [
        DifferentAnswer(case, groups[case], condition, reply, label, why, tuple(sorted(of) if of[1:] else of))
        for (case, condition, label, reply), (why, of) in given.items()
        if not among or groups[case] in among
    ]
    return [*_equal_without_names(database, evaluation, answers)]


def _check_groups(evaluation: Evaluation, groups: Sequence[str], among: Sequence[str]) -> None:
    if unknown := [name for name in among if name not in groups]:
        raise RequestError(
            f"run {evaluation.run.name!r} has no cases of {one_line(unknown[0])!r}; "
            f"{closest(unknown[0], sorted({*groups}), 'it has')}."
        )


def _equal_without_names(
    database: Database, evaluation: Evaluation, answers: Sequence[DifferentAnswer]
) -> Iterator[DifferentAnswer]:
    """The answers, those that are equal without names of models as one."""
    names, same = NameMask(evaluation.models), defaultdict[tuple[object, ...], list[DifferentAnswer]](list)
    for answer in answers:
        same[answer.case, answer.condition, answer.label].append(answer)
    named = list[list[DifferentAnswer]]()
    for some in same.values():
        if some[1:] and names.may_be_equal([answer.reply for answer in some]):
            named.append(some)
        else:
            yield from some
    put = _put_to_models(database, evaluation, {some[0].case for some in named})
    for some in named:
        equal: dict[str, list[DifferentAnswer]] = {}
        for answer in some:
            equal.setdefault(names.masked(answer.reply, put[answer.case]).text, []).append(answer)
        yield from map(_as_one, equal.values())


def _put_to_models(database: Database, evaluation: Evaluation, places: Collection[int]) -> dict[int, str]:
    """The texts of these cases of the run, by their places."""
    digests = {place: evaluation.cases[place].digest for place in places}
    cases: dict[str, Case] = {}
    with database.read() as session:
        for some in portions([*digests.values()]):
            cases |= cases_with(session, some)
    return {place: put_in_words(cases[digest]) for place, digest in digests.items()}


def _as_one(equal: Sequence[DifferentAnswer]) -> DifferentAnswer:
    """Answers that are equal without names of models, in the words of the one that was given first."""
    first = min(equal, key=attrgetter("given"))
    if not equal[1:]:
        return first
    given = tuple(sorted(chain.from_iterable(answer.given for answer in equal)))
    words = {by: answer.reply for answer in equal for by in answer.given if answer is not first}
    return first._replace(given=given, words=words)


def _chosen(evaluation: Evaluation, where: str) -> dict[str, list[list[list[bool]]]]:
    """Model → case → condition → repeat → whether its answer is of this part."""
    if where == ALL:
        return {model: (labels >= UNREADABLE).tolist() for model, labels in evaluation.labels.items()}
    if where == UNREADABLE_ANSWERS:
        return {model: (labels == UNREADABLE).tolist() for model, labels in evaluation.labels.items()}
    chosen = _of_kind(evaluation, _kind(evaluation, where))
    return {model: part.tolist() for model, part in zip(evaluation.models, chosen, strict=True)}


def outcomes_of(evaluation: Evaluation, where: str) -> frozenset[tuple[str, int, str, int]]:
    """The outcomes of a part of a run: model, place of the case, condition and repeat of each."""
    return frozenset(
        (model, case, evaluation.conditions[condition].key, repeat)
        for model, part in _chosen(evaluation, where).items()
        for case, condition, repeat in np.argwhere(np.array(part)).tolist()
    )


def meaning_of(evaluation: Evaluation, where: str) -> str:
    """Which answers a part of a run has, in words; raises RequestError for an unknown part."""
    return _MEANINGS.get(where) or _kind(evaluation, where).meaning


def _kind(evaluation: Evaluation, where: str) -> AnswerKind:
    kinds = evaluation.plan.answer_kinds
    if where not in kinds:
        raise RequestError(
            f"protocol {evaluation.protocol.name!r} does not say which answers are {one_line(where)!r}; "
            f"{closest(where, [ALL, *kinds, UNREADABLE_ANSWERS], 'it has')}."
        )
    return kinds[where]


def _of_kind(evaluation: Evaluation, kind: AnswerKind) -> Bools:
    """Shape (models, cases, conditions, repeats): which answers the kind picks."""
    measure = next(m for m in evaluation.plan.measures if m.key == kind.measure)
    comparisons = comparisons_of(evaluation, measure)
    runs = comparisons.runs
    picks = (runs.sums > 0) & (runs.weights > 0)
    shape = len(evaluation.models), len(evaluation.cases), len(evaluation.conditions), evaluation.repeats
    chosen = np.zeros(shape, dtype=np.bool_)
    for rest, by in enumerate(comparisons.compared.values()):
        chosen[:, :, evaluation.conditions.index(by[kind.under]), :] |= picks[:, :, rest, :]
    return chosen
