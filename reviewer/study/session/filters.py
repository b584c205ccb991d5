"""Filters on a rater's slots: only open ones, flagged ones, those of one group, and so on."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from reviewer.study.session.blinding import may_filter_by_generator
from reviewer.study.session.review_session import ReviewSession
from reviewer.study.session.verdicts import State

SlotMark = Literal["open", "skipped", "flagged", "commented", "stale"]
SLOT_MARKS: tuple[SlotMark, ...] = get_args(SlotMark)


@dataclass(frozen=True, slots=True)
class SlotFilter:
    """The filter that a rater chose; None means no restriction."""

    state: SlotMark | None = None
    group: str | None = None
    generator: str | None = None

    def __bool__(self) -> bool:
        return any((self.state, self.group, self.generator))

    @property
    def words(self) -> str:
        """The filter for people, such as "flagged, group one"."""
        return ", ".join(filter(None, (self.state, self.group, self.generator)))


class FilteredSlots:
    """The slots of a session that match a filter now."""

    def __init__(self, session: ReviewSession) -> None:
        self._session = session
        self._places = {place.case: place for place in session.bundle.sample}

    def positions(self, wanted: SlotFilter) -> Iterator[int]:
        """The positions that match, in order."""
        return (position for position in range(len(self._session.slots)) if self.holds(position, wanted))

    def holds(self, position: int, wanted: SlotFilter) -> bool:
        """Whether the slot at a position matches."""
        place = self._places[self._session.slots[position].case]
        return (
            wanted.group in (None, place.group)
            and wanted.generator in (None, place.generator)
            and (wanted.state is None or wanted.state in self._marks(position))
        )

    def following(self, wanted: SlotFilter, step: int, here: int | None = None) -> int | None:
        """The next matching position after ``here`` (default: the current); with ``step`` -1, before it."""
        here, end = self._session.position if here is None else here, len(self._session.slots)
        candidates = range(here + 1, end) if step > 0 else range(here - 1, -1, -1)
        return next((position for position in candidates if self.holds(position, wanted)), None)

    def following_open(self, wanted: SlotFilter) -> int | None:
        """The next matching position without a label, continuing from the start after the end."""
        here, end = self._session.position, len(self._session.slots)
        return next(
            (
                position
                for position in (*range(here + 1, end), *range(here))
                if self._session.state_at(position) is not State.LABELLED and self.holds(position, wanted)
            ),
            None,
        )

    def counts(self) -> dict[str, Counter[str]]:
        """How many slots each single filter would match, in order: by "state", "group" and "generator".

        No generator is named if the protocol hides them until the rater has answered and decided everything.
        """
        session = self._session
        named = may_filter_by_generator(
            session.database, session.bundle, session.rater, finished=session.finished
        )
        counts: dict[str, Counter[str]] = {"state": Counter(), "group": Counter(), "generator": Counter()}
        for position, slot in enumerate(self._session.slots):
            place = self._places[slot.case]
            counts["state"].update(self._marks(position))
            counts["group"][place.group] += 1
            if named:
                counts["generator"][place.generator] += 1
        orders = {
            "state": SLOT_MARKS,
            "group": sorted(counts["group"]),
            "generator": sorted(counts["generator"]),
        }
        return {
            name: Counter({value: counts[name][value] for value in order if value in counts[name]})
            for name, order in orders.items()
        }

    def _marks(self, position: int) -> Iterator[SlotMark]:
        session = self._session
        slot, state = session.slots[position], session.state_at(position)
        verdict = session.history.verdict(slot)
        holds: dict[SlotMark, bool] = {
            "open": state is State.OPEN,
            "skipped": state is State.SKIPPED,
            "flagged": verdict.flagged,
            "commented": bool(verdict.comment),
        }
        yield from (mark for mark, does in holds.items() if does)
        if session.is_stale(slot):
            yield "stale"
