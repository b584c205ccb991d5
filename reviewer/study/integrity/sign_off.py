"""Whether each case of a dataset, as it is now, has verdicts of experts: what a change must not lose."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.verdicts import Slot
from store.cases import places_of
from store.database import Database
from store.records import Event, Membership
from store.revisions import withdrawn_places

SignOffState = Literal["signed off", "too few verdicts", "changed since", "never reviewed"]


_Study = tuple[StudyBundle, Sequence[Event]]


@dataclass(frozen=True, slots=True)
class CaseSignOff:
    """A case of a dataset and whether experts have answered about its present content.

    ``verdicts`` is the least number of fresh labels that a question about it has. ``record`` counts from 1.
    """

    place: Membership
    state: SignOffState
    verdicts: int

    @property
    def record(self) -> int:
        """The number of the case in its file, from 1."""
        return self.place.position + 1


def sign_offs(
    database: Database, studies: Sequence[_Study], datasets: Sequence[str], least: int
) -> list[CaseSignOff]:
    """Each case of the datasets, without withdrawn ones; ``least`` labels for each question sign it off.

    Labels of raters who are left out do not count, nor labels on another wording of the question.
    """
    fresh = Counter[str]()
    for bundle, events in studies:
        for case, number in _fresh(bundle, events).items():
            fresh[case] = max(fresh[case], number)
    keys = {place.key for bundle, _ in studies for place in bundle.sample}
    sampled = {place.case for bundle, _ in studies for place in bundle.sample}
    return [
        CaseSignOff(place, _state(place, fresh, sampled, keys, least), fresh[place.case])
        for dataset in datasets
        for place in _places(database, dataset)
    ]


def _places(database: Database, dataset: str) -> list[Membership]:
    with database.read() as session:
        gone = withdrawn_places(session, [dataset])
        return [place for place in places_of(session, dataset) if (dataset, place.key) not in gone]


def _state(
    place: Membership, fresh: Counter[str], sampled: set[str], keys: set[str], least: int
) -> SignOffState:
    if fresh[place.case] >= least:
        return "signed off"
    if place.case in sampled:
        return "too few verdicts"
    return "changed since" if place.key in keys else "never reviewed"


def _fresh(bundle: StudyBundle, events: Sequence[Event]) -> dict[str, int]:
    """Case → the least number of labels that a question about it has, on its present wording."""
    rows = (row for row in label_rows(bundle, events) if _is_fresh(bundle, row))
    given, keys = (
        Counter((row.place.case, row.question.key) for row in rows),
        [q.key for q in bundle.questions],
    )
    cases = [place.case for place in bundle.sample]
    asked = {case: [key for key in keys if bundle.asks(key, case)] for case in cases}
    return {case: min((given[case, key] for key in keys), default=0) for case, keys in asked.items()}


def _is_fresh(bundle: StudyBundle, row: LabelRow) -> bool:
    slot, event = row.verdict.slot, row.verdict.event
    if row.label is None or event is None or (slot.showing, slot.phase) != (0, "before"):
        return False
    return event.question_digest == bundle.shown_digest(Slot(slot.case, slot.question))
