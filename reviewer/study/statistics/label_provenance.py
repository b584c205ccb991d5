"""How the labels that count were given: where, when, and with which panes in sight, as the ledger has it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from reviewer.study.design.study_bundle import COUNTED
from reviewer.study.session.verdicts import Slot, slot_of
from reviewer.study.statistics.label_rows import LabelRow
from store.records import Event, GivenBy

WAYS: tuple[GivenBy | None, ...] = ("app", "plain", "browser", "pack", "spreadsheet", None)
"""In the order in which a report tells of them; None is "not recorded"."""

IN_THE_APP: tuple[GivenBy, ...] = ("app", "plain", "browser", "pack")
"""Ways in which this program showed the cases, and knows what it showed."""


@dataclass(frozen=True)
class LabelProvenance:
    """One way in which labels were given, None where that was not recorded.

    ``saved`` are the first and the last day (UTC) on which the labels came into a store: the days of the
    answers, except for spreadsheets and where nothing was recorded. ``panes`` counts, by question key, in
    how many answers each pane was visible; ``exchanged`` in how many the sides were, of how many that could.
    """

    given: GivenBy | None
    raters: tuple[str, ...]
    labels: int
    saved: tuple[str, str]
    asked: Mapping[str, int]
    panes: Mapping[str, Mapping[str, int]]
    exchanged: tuple[int, int]
    revealed: int
    """After how many of these answers the rater saw what the answer reveals."""

    @property
    def in_the_app(self) -> bool:
        """Whether this program showed the cases."""
        return self.given in IN_THE_APP


def label_provenance_of(rows: Sequence[LabelRow]) -> list[LabelProvenance]:
    """Every way in which counted labels were given, before any reveal and at their first showing."""
    seen = {(row.rater, row.verdict.slot.first) for row in rows if row.verdict.slot.phase == "after"}
    given = [row.verdict.event for row in rows if _counts(row) and row.verdict.event is not None]
    ways = {way: [event for event in given if event.given == way] for way in WAYS}
    return [_way(way, labels, seen) for way, labels in ways.items() if labels]


def _counts(row: LabelRow) -> bool:
    slot = row.verdict.slot
    return (
        row.label is not None and row.place.role in COUNTED and slot.showing == 0 and slot.phase == "before"
    )


def _way(way: GivenBy | None, events: Sequence[Event], seen: Collection[tuple[str, Slot]]) -> LabelProvenance:
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
        revealed=sum((event.rater, slot_of(event).first) in seen for event in events),
    )
