"""A new dataset of the cases that a model answered wrongly under every condition of an evaluation run."""

from collections.abc import Iterator
from dataclasses import dataclass

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name, closest
from reviewer.core.sanitize import counted, one_line
from reviewer.results.outcomes.evaluated import EvaluatedCase, Evaluation
from reviewer.runs.check.dataset_merge import moved_entries
from store.case_import import import_entries
from store.cases import find_dataset
from store.clock import instant, now_ms
from store.database import Database
from store.declarations import definitions_of, joined_definitions, put_definitions
from store.records import Case, Dataset, Membership
from store.revisions import standing_places


@dataclass(frozen=True, slots=True)
class HardCases:
    """How many cases were kept, of how many that were answered, and how many other cases were left out."""

    kept: int
    answered: int
    unknown: int
    unanswered: int
    changed: int
    source: str


def make_hard_dataset(database: Database, evaluation: Evaluation, model: str, into: str) -> HardCases:
    """Store the hard cases under a new name; the source of the dataset says how they were selected.

    Raises RequestError if nothing is hard, the run asked under one condition only, or the name is taken.
    """
    checked_name("dataset", into)
    if model not in evaluation.models:
        remedy = closest(model, list(evaluation.models), "use one of")
        raise RequestError(f"run {evaluation.run.name!r} asked no model {one_line(model)!r}; {remedy}.")
    one = evaluation.of_models((model,))
    if len(one.conditions) < 2:
        raise RequestError(
            f"run {one.run.name!r} asked under one condition only ({one.conditions[0].key}); a case is hard "
            "if it is answered wrongly under several, such as in both orders."
        )
    verdicts = {case.place: _is_hard(one, model, case, at) for at, case in enumerate(one.cases)}
    known = [case for case in one.cases if _knows(one, case)]
    answered = [case for case in known if verdicts[case.place] is not None]
    hard = [case for case in answered if verdicts[case.place]]
    placed = list(_standing(database, hard))
    if not placed:
        raise RequestError(
            f"model {one_line(model)!r} answered none of {counted(len(answered), 'case')} wrongly under "
            "every condition, so there is nothing to store."
        )
    source = (
        f"{', '.join(one.settings.datasets)}: {len(placed):,} of {counted(len(answered), 'answered case')}, "
        f"selected by the errors of {one_line(model)} (wrong under each of {len(one.conditions)} conditions "
        f"of run {one.run.name})"
    )
    _store(database, one, placed, into, source)
    return HardCases(
        len(placed),
        len(answered),
        len(one.cases) - len(known),
        len(known) - len(answered),
        len(hard) - len(placed),
        source,
    )


def _knows(evaluation: Evaluation, case: EvaluatedCase) -> bool:
    """Whether the right answer of a case is known."""
    first = evaluation.conditions[0]
    return evaluation.plan.is_wrong(case.facts, first, case.labels[0]) is not None


def _is_hard(evaluation: Evaluation, model: str, case: EvaluatedCase, at: int) -> bool | None:
    """Whether every answer is wrong; None if one is missing or has no label."""
    codes = evaluation.labels[model][at]
    if (codes < 0).any():
        return None
    return all(
        evaluation.plan.is_wrong(case.facts, condition, case.labels[int(code)])
        for condition, row in zip(evaluation.conditions, codes, strict=True)
        for code in row
    )


def _standing(database: Database, hard: list[EvaluatedCase]) -> Iterator[tuple[Membership, Case]]:
    """The places that still hold what the model was asked, without withdrawn ones."""
    asked = {(case.dataset, case.key): case.digest for case in hard}
    datasets = {case.dataset for case in hard}
    with database.read() as session:
        places = standing_places(session, sorted(datasets))
    for place, case in places:
        if asked.get((place.dataset, place.key)) == case.digest:
            yield place, case


def _store(
    database: Database,
    evaluation: Evaluation,
    placed: list[tuple[Membership, Case]],
    into: str,
    source: str,
) -> None:
    with database.read() as session:
        if find_dataset(session, into):
            raise RequestError(
                f"dataset {into!r} is in the store already; choose another name for the new one."
            )
        definitions = joined_definitions(definitions_of(session, evaluation.settings.datasets))
    header = Dataset(
        name=into, protocol=evaluation.protocol.reference, source=source, imported_at=instant(now_ms())
    )
    import_entries(database, header, moved_entries(database, placed, into))
    with database.write() as session:
        put_definitions(session, into, definitions)
