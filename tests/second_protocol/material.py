"""Dialogues of the second protocol, and a store that holds some."""

from collections.abc import Sequence

from reviewer.protocols.probe_swe.dilemma_protocol import ProbeSwe
from reviewer.protocols.registry import Protocols
from store.case_import import Entry, import_entries
from store.database import Database
from store.records import Case, Dataset, JsonValue, Measurement, Membership
from tests.studies import AT
from tests.tiny_protocol.protocol import Tiny

TINY = Tiny()
PROTOCOLS = Protocols(TINY, ProbeSwe())
"""Both: what one of them does must not show in the other."""
GROUPS = ("trains", "tea")
"""Not in the order of the alphabet: groups stand as the data has them."""


def a_payload(number: int, group: str = "tea", **changed: JsonValue) -> dict[str, JsonValue]:
    """A dialogue that no check finds anything in."""
    replies = [f"Reply {variant} about {group} number {number}." for variant in range(1, 6)]
    turns = [["user", f"What of {group} {number}?"], ["assistant", "What of it?"], ["user", "Tell me."]]
    return {"turns": turns, "replies": replies} | changed


def a_dialogue(number: int, group: str = "tea", **changed: JsonValue) -> Case:
    return TINY.case(group, a_payload(number, group, **changed))


SAME = ["Take the early one."] * 2 + ["Take the late one.", "Walk there at once.", "Stay at home today."]
SHORT = ["Yes.", "Take it with milk.", "Take it with lemon.", "Take it with nothing.", "Have none at all."]


def dialogues() -> list[Case]:
    """Three of each group; one has a reply twice, and one has a short reply."""
    return [
        a_dialogue(1, "trains", replies=SAME),
        a_dialogue(2, "trains"),
        a_dialogue(3, "trains"),
        a_dialogue(1, "tea", replies=SHORT),
        a_dialogue(2, "tea"),
        a_dialogue(3, "tea"),
    ]


def fill_tiny(database: Database, dataset: str, cases: Sequence[Case], origin: str = "generated") -> None:
    header = Dataset(name=dataset, protocol="tiny", source="a test", imported_at=AT)
    import_entries(database, header, [_entry(dataset, *numbered, origin) for numbered in enumerate(cases)])


def _entry(dataset: str, position: int, case: Case, origin: str) -> Entry:
    key = f"{case.group}/{position}"
    place = Membership.model_validate(
        {
            "dataset": dataset,
            "key": key,
            "case": case.digest,
            "position": position,
            "generator": "model-1",
            "origin": origin,
        }
    )
    votes = Measurement(
        case=case.digest, name="votes", source="published", dataset=dataset, key=key, value=[1, {"of": 7}]
    )
    return Entry(case, place, (votes,))
