"""Contradictions between one rater's answers. The rater is asked about each combination once in a study."""

from dataclasses import dataclass, replace

from reviewer.protocols.base import Contradiction
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.verdicts import History, Slot, slot_of
from store.records import Event


@dataclass(frozen=True, slots=True)
class Clash:
    """Two slots whose answers contradict each other, and why. Both slots are those of the first verdicts."""

    here: Slot
    there: Slot
    why: str


class Contradictions:
    """The contradictions that one rater is asked about: each of the protocol's combinations the first time.

    Raters are not asked in training, and never at the second showing of a case, because that would tell them
    that they have seen the case before.
    """

    def __init__(self, bundle: StudyBundle, history: History) -> None:
        self._bundle, self._history = bundle, history
        self._asked: dict[int, str] = {}
        """For each combination (by its index) that was given, the answer that the rater is asked about."""

    def at(self, slot: Slot, label: str | None) -> Clash | None:
        """The contradiction that the rater is asked about if a slot has this label; None if there is none."""
        if label is None or not self._may_ask(slot):
            return None
        clashes = (
            self._clash(index, rule, slot)
            for index, rule in enumerate(self._bundle.protocol.contradictions)
            if rule.answers.get(slot.question) == label
        )
        return next((clash for clash in clashes if clash is not None), None)

    def _may_ask(self, slot: Slot) -> bool:
        return slot.showing == 0 and self._bundle.roles[slot.case] != "training"

    def _clash(self, index: int, rule: Contradiction, slot: Slot) -> Clash | None:
        others = {key: replace(slot, question=key) for key in rule.answers if key != slot.question}
        if not others or not all(self._says(at, rule.answers[key]) for key, at in others.items()):
            return None
        there = next(iter(others.values()))
        if self._was_asked_elsewhere(index, rule, (slot, *others.values())):
            return None
        if self._history.has_explained(slot, there):
            return None
        said = " and ".join(f"{self._bundle.question(key).title} = {rule.answers[key]}" for key in others)
        return Clash(slot, there, f"You also answered {said}. {rule.why}")

    def _says(self, slot: Slot, label: str) -> bool:
        return self._history.verdict(slot).label == label

    def _was_asked_elsewhere(self, index: int, rule: Contradiction, slots: tuple[Slot, ...]) -> bool:
        """Whether the rater gave these answers together before, at another case or at another time."""
        if index not in self._asked and (first := self._first_time(rule)) is not None:
            self._asked[index] = first
        current = (self._history.current_answer(slot) for slot in slots)
        return index in self._asked and self._asked[index] not in {event.id for event in current if event}

    def _first_time(self, rule: Contradiction) -> str | None:
        """The id of the answer that completed the combination for the first time, according to the ledger."""
        replayed = History()
        for key in sorted(self._history.events):
            event = self._history.events[key]
            replayed.add(event)
            answer = replayed.current_answer(slot_of(event))
            if answer is not None and self._completes(event, rule, replayed):
                return answer.id
        return None

    def _completes(self, event: Event, rule: Contradiction, replayed: History) -> bool:
        slot = slot_of(event)
        if event.phase == "after" or event.kind not in ("label", "undo") or not self._may_ask(slot):
            return False
        return event.question in rule.answers and all(
            replayed.verdict(replace(slot, question=key)).label == label
            for key, label in rule.answers.items()
        )
