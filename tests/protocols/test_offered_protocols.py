"""Protocols of other packages: found once, loaded when asked for, and named if they fail."""

import pytest

from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import Offered, Protocols
from tests.tiny_protocol.protocol import Tiny


class Impostor(Tiny):
    name = "impostor"


NOT_A_PROTOCOL = 3
TINY = Offered("tiny", "tests.tiny_protocol.protocol:Tiny", "tiny-one")
WAYS_TO_FAIL = {
    "missing": ("no_such_module:Pick", "ModuleNotFoundError: No module named 'no_such_module'"),
    "nameless": ("tests.protocols.test_offered_protocols:Absent", "AttributeError"),
    "number": ("tests.protocols.test_offered_protocols:NOT_A_PROTOCOL", "is not a protocol"),
    "other": ("tests.protocols.test_offered_protocols:Impostor", "it calls itself 'impostor'"),
    "abstract": ("reviewer.protocols.base:Protocol", "TypeError"),
    "probe-swe": ("tests.tiny_protocol.protocol:Tiny", "this release has one of that name"),
}


@pytest.mark.parametrize(("name", "place", "why"), [(name, *way) for name, way in WAYS_TO_FAIL.items()])
def test_a_package_whose_protocol_fails_to_load_harms_nothing_else(name: str, place: str, why: str) -> None:
    offers = (
        Offered(name, place, "theirs"),
        Offered("tiny", "tests.tiny_protocol.protocol:Tiny", "tiny-one"),
    )
    protocols = Protocols(
        Offered("probe-swe", "reviewer.protocols.probe_swe.dilemma_protocol:ProbeSwe"), offered=lambda: offers
    )
    assert list(protocols) == ["probe-swe", "tiny"]
    assert all(isinstance(protocol, Protocol) for protocol in protocols.values())
    (fault,) = protocols.faults
    assert fault.startswith(f"protocol '{name}' of the package 'theirs' cannot be used: ")
    assert why in fault
    assert "\n" not in fault
    assert protocols["probe-swe"].title == "PROBE-SWE"


def test_two_packages_with_one_name_are_both_refused() -> None:
    offers = [Offered("tiny", "tests.tiny_protocol.protocol:Tiny", package) for package in ("one", "two")]
    protocols = Protocols(offered=lambda: offers)
    assert list(protocols) == []
    assert "several packages offer one of that name" in str(protocols.fault("tiny"))


def test_packages_are_looked_through_once_and_only_for_a_name_that_the_release_lacks() -> None:
    looked = list[int]()

    def offered() -> tuple[Offered, ...]:
        looked.append(1)
        return (TINY,)

    protocols = Protocols(
        Offered("probe-swe", "reviewer.protocols.probe_swe.dilemma_protocol:ProbeSwe"), offered=offered
    )
    assert protocols["probe-swe"]
    assert looked == []
    kept = protocols.keeping(lambda: ())
    assert kept["tiny"] is kept["tiny"]
    assert protocols["tiny"]
    assert looked == [1]
