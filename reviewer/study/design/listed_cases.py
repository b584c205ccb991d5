"""Samples that a lead lists case by case, by their keys."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.errors import InputError
from store.records import Case, Membership

Place = tuple[Membership, Case]


@dataclass(frozen=True, slots=True)
class ListedCase:
    """A listed case: its key, its dataset if the list names one, and ``where``, its file and line."""

    where: str
    dataset: str | None
    key: str


@dataclass(frozen=True, slots=True)
class PickedCases:
    """The cases that somebody picked, and the name of the file that lists them."""

    file: str
    cases: tuple[ListedCase, ...]


def listed_places(
    listed: Sequence[ListedCase],
    available: Mapping[str, Sequence[Place]],
    datasets: Sequence[str],
    known: Container[str],
) -> list[Place]:
    """The places of the listed cases, in the list's order. Raises InputError for the first unusable line.

    If a line names no dataset, ``datasets`` are searched. ``known`` holds the digests of training and gold
    cases, which may not be listed. A case may be listed once per question, as in an exported table of labels.
    """
    by_key = {dataset: {place[0].key: place for place in places} for dataset, places in available.items()}
    drawn: dict[str, Place] = {}
    for entry in listed:
        place = _place(entry, by_key, datasets)
        digest = place[1].digest
        if digest in known:
            raise InputError(entry.where, "the case is also in a training or gold file", "list it once")
        first = drawn.setdefault(digest, place)
        if first[0] != place[0]:
            same = f"{first[0].dataset}:{first[0].key}"
            raise InputError(entry.where, f"is the same case as {same}", "list one of the two")
    return list(drawn.values())


def _place(entry: ListedCase, by_key: Mapping[str, Mapping[str, Place]], datasets: Sequence[str]) -> Place:
    searched = [entry.dataset] if entry.dataset else datasets
    holding = [dataset for dataset in searched if entry.key in by_key.get(dataset, {})]
    if len(holding) > 1:
        raise InputError(
            entry.where,
            f"key {entry.key!r} is in datasets {', '.join(holding)}",
            "add a column dataset to the file",
        )
    if not holding:
        raise InputError(
            entry.where,
            f"there is no case {entry.key!r} in dataset {', '.join(searched)}",
            "take keys from `reviewer cases --format csv`",
        )
    return by_key[holding[0]][entry.key]
