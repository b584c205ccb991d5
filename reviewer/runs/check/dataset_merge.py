"""Merges datasets of several generators into a new dataset without collisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.work_progress import NamedProgress
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.runs.check.dataset_check import CollidingPairs, Placed, colliding_pairs
from reviewer.similarity.text_vectors import Embeddings
from store.case_import import Entry, import_entries
from store.cases import find_dataset, get_dataset, get_measurements
from store.clock import instant, now_ms
from store.database import Database
from store.declarations import definitions_of, joined_definitions, put_definitions
from store.records import Dataset, Membership
from store.revisions import standing_places, withdrawn_places

if TYPE_CHECKING:
    from reviewer.similarity.index_search import Recall


@dataclass(frozen=True, slots=True)
class OmittedPlace:
    """A place that was left out of the new dataset, and the earlier place that was kept instead.

    ``cosine`` is the similarity of the two; None if both hold the same case.
    """

    place: Membership
    instead: Membership
    cosine: float | None


@dataclass(frozen=True, slots=True)
class MergeReport:
    """The number of cases in the new dataset, and the places that were left out, in order.

    ``withdrawn`` cases of the old datasets were left out too. ``recall`` says how many collisions an index
    found; None: all texts were compared.
    """

    kept: int
    left_out: tuple[OmittedPlace, ...]
    withdrawn: int = 0
    recall: "Recall | None" = None


def merge_datasets(
    database: Database,
    names: Sequence[str],
    into: str,
    embeddings: Embeddings | None,
    progress: NamedProgress | None = None,
    *,
    index: bool = False,
) -> MergeReport:
    """Merge datasets in the order given; raises RequestError if one is missing or the new one exists already.

    The new dataset takes the definitions of groups that came with the old ones. Two that define a group in
    different words are refused, like datasets of several protocols.
    A case is left out if an earlier one that was kept is the same or too similar, in any group. Without
    ``embeddings``, and for cases without a text that must be distinct, only the same case is left out. Keys
    are prefixed with the name of their old dataset; generators, runs and published values stay the same.
    With ``index`` an index searches for similar texts, which may miss some.
    """
    protocol, placed, withdrawn = _checked(database, names, into)
    definitions = _definitions(database, names)
    colliding = colliding_places(protocol, placed, embeddings, progress, index=index)
    left_out = duplicate_places(placed, colliding)
    gone = {(omitted.place.dataset, omitted.place.key) for omitted in left_out}
    stay = [pair for pair in placed if (pair[0].dataset, pair[0].key) not in gone]
    header = Dataset(
        name=into, protocol=protocol.reference, source=" + ".join(names), imported_at=instant(now_ms())
    )
    step = None if progress is None else lambda done, total: progress("Storing cases", done, total)
    import_entries(database, header, moved_entries(database, stay, into), step)
    with database.write() as session:
        put_definitions(session, into, definitions)
    return MergeReport(len(stay), tuple(left_out), withdrawn, colliding.recall)


def _checked(database: Database, names: Sequence[str], into: str) -> tuple[Protocol, list[Placed], int]:
    checked_name("dataset", into)
    with database.read() as session:
        if find_dataset(session, into):
            raise RequestError(
                f"dataset {into!r} is in the store already; choose another name for the new one."
            )
        protocols = {}
        for name in names:
            protocols[get_dataset(session, name).protocol] = name
        gone = withdrawn_places(session, names)
        placed = standing_places(session, names)
    if len(protocols) > 1:
        listed = ", ".join(f"{name!r} of {protocol}" for protocol, name in protocols.items())
        raise RequestError(f"datasets of several protocols cannot be joined: {listed}.")
    return protocols_of(database).named(next(iter(protocols))), placed, len(gone)


def _definitions(database: Database, names: Sequence[str]) -> Mapping[str, str]:
    with database.read() as session:
        return joined_definitions(definitions_of(session, names))


def duplicate_places(placed: Sequence[Placed], colliding: CollidingPairs) -> list[OmittedPlace]:
    """The places whose case is the same as an earlier one, or too similar to an earlier one that is kept."""
    nearer: dict[int, list[tuple[int, float | None]]] = {}
    for later, earlier, value in colliding.pairs:
        nearer.setdefault(later, []).append((earlier, value))
    first: dict[str, int] = {}
    omitted: dict[int, OmittedPlace] = {}
    for number, (place, case) in enumerate(placed):
        twin = first.setdefault(case.digest, number)
        rivals: list[tuple[int, float | None]] = [(twin, None)] if twin != number else []
        for earlier, value in (*rivals, *nearer.get(number, ())):
            if earlier not in omitted:
                omitted[number] = OmittedPlace(place, placed[earlier][0], value)
                break
    return list(omitted.values())


def colliding_places(
    protocol: Protocol,
    placed: Sequence[Placed],
    embeddings: Embeddings | None,
    progress: NamedProgress | None = None,
    *,
    index: bool = False,
) -> CollidingPairs:
    """Numbers in ``placed`` (later, earlier) of cases that collide; none without ``embeddings``."""
    if embeddings is None:
        return CollidingPairs()
    plans = {case.digest: protocol.check_plan(case) for _, case in placed}
    known = {digest: plan for digest, plan in plans.items() if plan and plan.distinct}
    numbers = [number for number, (_, case) in enumerate(placed) if case.digest in known]
    compared = [placed[number] for number in numbers]
    found = colliding_pairs(compared, known, embeddings, index=index, progress=progress)
    pairs = tuple((numbers[later], numbers[earlier], value) for later, earlier, value in found.pairs)
    return replace(found, pairs=pairs)


def moved_entries(database: Database, stay: Sequence[Placed], into: str) -> list[Entry]:
    """These places in a new dataset, with the published values; keys begin with the old dataset."""
    with database.read() as session:
        measurements = get_measurements(session, list({case.digest for _, case in stay}))
    entries = []
    for position, (old, case) in enumerate(stay):
        key = f"{old.dataset}/{old.key}"
        moved = {"dataset": into, "key": key}
        published = [value for value in measurements[case.digest] if value.is_at(old)]
        entries.append(
            Entry(
                case,
                old.model_copy(update={**moved, "position": position}),
                tuple(value.model_copy(update=moved) for value in published),
            )
        )
    return entries
