"""How counted labels were given: where, when, and with which panes visible, according to the ledger."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from reviewer.study.design.study_bundle import COUNTED
from reviewer.study.session.label_rows import LabelRow
from reviewer.study.session.verdicts import Slot, slot_of
from store.records import Event, GivenBy

IN_THE_APP: tuple[GivenBy, ...] = ("app", "plain", "browser", "pack")
"""Ways in which this program showed the cases, so that it knows what was shown."""


@dataclass(frozen=True)
class LabelProvenance:
    """The labels that were given in one way.

    ``saved`` holds the first and the last day (UTC) on which the labels were saved in a store. Except for
    spreadsheets and imports, these are the days of the answers. ``panes`` counts, by
    question key, the answers for which each pane was visible. ``exchanged`` counts the answers with exchanged
    sides, and the answers that could have them.
    """

    given: GivenBy
    raters: tuple[str, ...]
    labels: int
    saved: tuple[str, str]
    asked: Mapping[str, int]
    panes: Mapping[str, Mapping[str, int]]
    exchanged: tuple[int, int]
    sided: tuple[str, ...]
    """The keys of the questions whose sides could be exchanged."""
    revealed: int
    """The number of these answers after which the rater saw what the answer reveals."""
    second: int
    """The number of second verdicts that followed."""

    @property
    def in_the_app(self) -> bool:
        """Whether this program showed the cases."""
        return self.given in IN_THE_APP


def label_provenance_of(rows: Sequence[LabelRow]) -> list[LabelProvenance]:
    """The ways in which counted labels were given, before any reveal and at the first showing."""
    given = [row.verdict.event for row in rows if _counts(row) and row.verdict.event is not None]
    ways = {way: [event for event in given if event.given == way] for way in get_args(GivenBy)}
    reveals = _Reveals.of(rows)
    return [_way(way, labels, reveals) for way, labels in ways.items() if labels]


@dataclass(frozen=True, slots=True)
class _Reveals:
    """Sets of (rater, first slot): revealed, revealed by a contradiction, with a second verdict."""

    seen: frozenset[tuple[str, Slot]]
    second: frozenset[tuple[str, Slot]]

    @classmethod
    def of(cls, rows: Sequence[LabelRow]) -> "_Reveals":
        after = [row for row in rows if row.verdict.slot.phase == "after"]
        seen = frozenset((row.rater, row.verdict.slot.first) for row in after)
        return cls(
            seen,
            frozenset((row.rater, row.verdict.slot.first) for row in after if row.label is not None),
        )

    @staticmethod
    def count(of: Collection[tuple[str, Slot]], events: Sequence[Event]) -> int:
        """The number of events whose rater and slot are in a set."""
        return sum((event.rater, slot_of(event).first) in of for event in events)


def _counts(row: LabelRow) -> bool:
    slot = row.verdict.slot
    return (
        row.label is not None and row.place.role in COUNTED and slot.showing == 0 and slot.phase == "before"
    )


def _way(way: GivenBy, events: Sequence[Event], reveals: _Reveals) -> LabelProvenance:
    panes: dict[str, Counter[str]] = defaultdict(Counter)
    for event in events:
        panes[event.question].update(event.panes or ())
    sides = [event.swapped for event in events if event.swapped is not None]
    return LabelProvenance(
        given=way,
        raters=tuple(sorted({event.rater for event in events})),
        labels=len(events),
        saved=(min(event.at for event in events)[:10], max(event.at for event in events)[:10]),
        asked=Counter(event.question for event in events),
        panes=panes,
        exchanged=(sum(sides), len(sides)),
        sided=tuple(dict.fromkeys(event.question for event in events if event.swapped is not None)),
        revealed=reveals.count(reveals.seen, events),
        second=reveals.count(reveals.second, events),
    )
