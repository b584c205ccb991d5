"""Compares the values of the checks here with those published with the cases."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from reviewer.protocols.base import MachineCheck, Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.similarity.edit_distance import levenshtein_similarity
from store.cases import Filter, list_places
from store.database import Database
from store.findings import get_findings, published_values
from store.records import Case, JsonValue


@dataclass(frozen=True, slots=True)
class Difference:
    """A published value that differs from the one found here; ``found`` is None if nothing was measured."""

    key: str
    value: str
    published: JsonValue
    found: JsonValue


@dataclass(frozen=True, slots=True)
class PublishedComparison:
    """How one value compares over a dataset: the number of places compared, how many differ, and by how much.

    ``largest`` is the greatest difference among numbers that count as equal (None for values that are not
    numbers). ``line_ends`` of these are equal only with the last line end, which the import removes.
    """

    value: str
    compared: int
    differ: int
    tolerance: float
    largest: float | None
    line_ends: int


@dataclass(frozen=True, slots=True)
class _Pairing:
    """One published value beside the one found here, as it is or with line ends restored."""

    difference: Difference
    off: float | None
    equal: bool
    by_line_end: bool = False


def compare_with_published(
    database: Database, dataset: str
) -> tuple[list[PublishedComparison], list[Difference]]:
    """Every published value that a check measures too, ordered by check, then by place."""
    with database.read() as session:
        placed = list_places(session, Filter(datasets=(dataset,)))
        digests = list({case.digest for _, case in placed})
        findings = get_findings(session, digests)
        protocols = {case.protocol: protocols_of(database).named(case.protocol) for _, case in placed}
        checks = _checks(protocols.values())
        names = sorted({check.published for check in checks.values()})
        values = published_values(session, digests, names)
    published = {
        (value.key, value.name): value.value
        for each in values.values()
        for value in each
        if value.dataset == dataset
    }
    measured = {
        (finding.case, finding.check): finding.value for each in findings.values() for finding in each
    }
    compared, differences = [], []
    for name, check in checks.items():
        pairings = [
            _paired(
                protocols[case.protocol],
                place.key,
                case,
                check,
                published[place.key, check.published],
                measured.get((case.digest, name)),
            )
            for place, case in placed
            if (place.key, check.published) in published
        ]
        compared.append(_summary(check, pairings))
        differences += [pairing.difference for pairing in pairings if not pairing.equal]
    return compared, differences


def _checks(protocols: Iterable[Protocol]) -> dict[str, MachineCheck]:
    return {
        name: check
        for protocol in protocols
        for name, check in protocol.machine_checks.items()
        if check.published
    }


def _paired(
    protocol: Protocol,
    key: str,
    case: Case,
    check: MachineCheck,
    published: JsonValue,
    measured: JsonValue,
) -> _Pairing:
    difference = Difference(key, check.published, published, measured)
    off = _off(published, measured)
    if off is None:
        versions = measured if isinstance(measured, list) else [measured]
        return _Pairing(difference, None, all(value == published for value in versions))
    if off <= check.tolerance:
        return _Pairing(difference, off, True)
    nearest = min(
        (_off(published, other) or 0.0 for other in _with_line_ends(protocol, case, check)), default=off
    )
    return _Pairing(difference, min(off, nearest), nearest <= check.tolerance, nearest <= check.tolerance)


def _off(published: JsonValue, measured: JsonValue) -> float | None:
    """The greatest difference between the published number and the measured ones; None without numbers."""
    values = measured if isinstance(measured, list) else [measured]
    if not values or not all(isinstance(value, int | float) for value in (published, *values)):
        return None
    return max(abs(float(value) - float(published)) for value in values)


def _with_line_ends(protocol: Protocol, case: Case, check: MachineCheck) -> Iterator[float]:
    """The similarities with line ends restored: the import removes them, and published values count them."""
    plan = protocol.check_plan(case)
    for comparison in plan.comparisons if plan else ():
        if comparison.measure == check.published and comparison.kind == "levenshtein":
            first, second = comparison.texts
            for one, other in product(("", "\n"), repeat=2):
                yield levenshtein_similarity(first + one, second + other)


def _summary(check: MachineCheck, pairings: Sequence[_Pairing]) -> PublishedComparison:
    offs = [pairing.off for pairing in pairings if pairing.equal and pairing.off is not None]
    return PublishedComparison(
        value=check.published,
        compared=len(pairings),
        differ=sum(not pairing.equal for pairing in pairings),
        tolerance=check.tolerance,
        largest=max(offs, default=None),
        line_ends=sum(pairing.by_line_end for pairing in pairings),
    )
