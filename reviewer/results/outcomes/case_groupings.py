"""Tiers of a measurement, and families of cases that are so alike that they are not independent cases."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from reviewer.core.errors import RequestError
from reviewer.core.work_progress import NamedProgress
from reviewer.protocols.base import Protocol
from reviewer.results.outcomes.effect_rows import Clusters, Tiers
from reviewer.results.outcomes.evaluated import Evaluation
from reviewer.runs.check.dataset_merge import colliding_places, duplicate_places
from reviewer.similarity.near_texts import collisions_among
from reviewer.similarity.text_vectors import Embeddings
from store.cases import Filter, list_places, values_at_places
from store.database import Database
from store.findings import cases_in, measured_in
from store.records import JsonValue
from store.revisions import withdrawn_places

FAMILY_COSINE: Final = 0.80


def tiers_of(
    database: Database,
    evaluation: Evaluation,
    measurement: str = "",
    embeddings: Embeddings | None = None,
    progress: NamedProgress | None = None,
) -> Tiers:
    """Quartiles of a measurement over all cases of the run's datasets, each case counted once.

    Duplicates are left out as a merge of the datasets leaves them out; without ``embeddings``, only the same
    case is one. Raises RequestError if no case has a number under that name.
    """
    name = measurement or evaluation.plan.tiers_by
    if not name:
        raise RequestError("this protocol names no measurement for tiers; name one.")
    datasets = evaluation.settings.datasets
    with database.read() as session:
        placed = [pair for dataset in datasets for pair in list_places(session, Filter(datasets=(dataset,)))]
        gone = set(withdrawn_places(session, datasets))
        brought = {dataset: values_at_places(session, dataset) for dataset in datasets}
        measured = {dataset: measured_in(session, dataset, name) for dataset in datasets}
    placed = [pair for pair in placed if (pair[0].dataset, pair[0].key) not in gone]
    colliding = colliding_places(evaluation.protocol, placed, embeddings, progress)
    omitted = duplicate_places(placed, colliding)
    left_out = {(case.place.dataset, case.place.key) for case in omitted}
    sizes = []
    for place, case in placed:
        if (place.dataset, place.key) in left_out:
            continue
        here = brought[place.dataset].get((place.key, case.digest), {})
        size = here.get(name, _first(measured[place.dataset].get(case.digest, {})))
        if isinstance(size, int | float) and not isinstance(size, bool):
            sizes.append(float(size))
    if not sizes:
        raise RequestError(f"no case of these datasets has a number {name!r}; run `reviewer audit` first.")
    low, middle, high = (float(value) for value in np.percentile(sizes, [25, 50, 75]))
    return Tiers(name, (low, middle, high))


def _first(by_variant: Mapping[str, JsonValue]) -> JsonValue:
    """What was measured on the variant that was stored first."""
    return next(iter(by_variant.values()), None)


def families_of(
    database: Database,
    evaluation: Evaluation,
    embeddings: Embeddings,
    progress: NamedProgress | None = None,
) -> Clusters:
    """Families: cases of one group connected by a cosine of .80 or more between their distinct texts."""
    texts = _distinct_texts(database, evaluation.protocol, evaluation.settings.datasets)
    cases = [(place, texts.get(case.digest)) for place, case in enumerate(evaluation.cases)]
    compared = [(place, text) for place, text in cases if text is not None]
    family = list(range(len(evaluation.cases)))

    def root(place: int) -> int:
        while family[place] != place:
            family[place] = family[family[place]]
            place = family[place]
        return place

    step = None if progress is None else lambda done, total: progress("Encoding texts", done, total)
    vectors = embeddings.of([text for _, text in compared], step)
    for hit in collisions_among(vectors, FAMILY_COSINE) if compared else ():
        one, other = compared[hit.new][0], compared[hit.approved][0]
        if evaluation.cases[one].group == evaluation.cases[other].group:
            family[root(one)] = root(other)
    return Clusters("family", [root(place) for place in range(len(family))])


def _distinct_texts(database: Database, protocol: Protocol, datasets: Sequence[str]) -> dict[str, str]:
    """Digest → the text of the case that must differ from that of others."""
    with database.read() as session:
        cases = [case for dataset in datasets for case in cases_in(session, dataset)]
    plans = {case.digest: protocol.check_plan(case) for case in cases}
    return {digest: plan.distinct for digest, plan in plans.items() if plan and plan.distinct}
