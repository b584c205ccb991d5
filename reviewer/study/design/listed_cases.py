"""Cases that a lead lists by their keys, so that a sample is exactly these."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.errors import InputError
from store.records import Case, Membership

Place = tuple[Membership, Case]


@dataclass(frozen=True, slots=True)
class ListedCase:
    """A case by its key, and its dataset where the list names it; ``where`` names file and line."""

    where: str
    dataset: str | None
    key: str


def listed_places(
    listed: Sequence[ListedCase],
    available: Mapping[str, Sequence[Place]],
    datasets: Sequence[str],
    known: Container[str],
) -> list[Place]:
    """The places of the cases, in the list's order; raises InputError for the first that cannot be drawn.

    ``datasets`` are searched where a line names none; cases whose digest is ``known`` are for training, or
    gold. A case may be listed once for each question, as an exported table of labels does.
    """
    by_key = {dataset: {place[0].key: place for place in places} for dataset, places in available.items()}
    drawn: dict[str, Place] = {}
    for each in listed:
        place = _place(each, by_key, datasets)
        digest = place[1].digest
        if digest in known:
            raise InputError(each.where, "the case is in a training or gold file too", "list it once")
        first = drawn.setdefault(digest, place)
        if first[0] != place[0]:
            same = f"{first[0].dataset}:{first[0].key}"
            raise InputError(each.where, f"is the same case as {same}", "list one of the two")
    return list(drawn.values())


def _place(each: ListedCase, by_key: Mapping[str, Mapping[str, Place]], datasets: Sequence[str]) -> Place:
    wanted = [each.dataset] if each.dataset else datasets
    found = [dataset for dataset in wanted if each.key in by_key.get(dataset, {})]
    if len(found) > 1:
        raise InputError(
            each.where,
            f"key {each.key!r} is in datasets {', '.join(found)}",
            "add a column dataset to the file",
        )
    if not found:
        raise InputError(
            each.where,
            f"there is no case {each.key!r} in dataset {', '.join(wanted)}",
            "take keys from `reviewer cases --format csv`",
        )
    return by_key[found[0]][each.key]
