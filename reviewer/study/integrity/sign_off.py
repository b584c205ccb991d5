"""Whether each case of a dataset, as it is now, has verdicts of experts: what a change must not lose."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.verdicts import Slot
from store.cases import places_of, values_at_places
from store.database import Database
from store.records import Event, Membership
from store.revisions import withdrawn_places

SignOffState = Literal[
    "signed off", "too few verdicts", "changed since", "published answer changed since", "never reviewed"
]
_Answers = tuple[tuple[str, object], ...]
"""Published values that are opinions on questions, by name."""


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

    Labels of raters who are left out do not count, nor labels on another wording of the question. A published
    answer that is not the one of the study's dataset, such as another right option, is not signed off.
    """
    fresh = Counter[str]()
    for bundle, events in studies:
        for case, number in _fresh(bundle, events).items():
            fresh[case] = max(fresh[case], number)
    keys = {place.key for bundle, _ in studies for place in bundle.sample}
    sampled = {place.case for bundle, _ in studies for place in bundle.sample}
    opinions = {value.name for bundle, _ in studies for value in bundle.protocol.opinions}
    reviewed = _reviewed_answers(database, studies, opinions)
    return [
        CaseSignOff(place, _state(place, fresh, sampled, keys, least, changed), fresh[place.case])
        for dataset in datasets
        for place, changed in _with_changes(database, dataset, opinions, reviewed)
    ]


def _reviewed_answers(
    database: Database, studies: Sequence[_Study], opinions: Set[str]
) -> dict[str, set[_Answers]]:
    """Case → the published answers that it has in the datasets of which studies drew it."""
    answers: dict[str, set[_Answers]] = defaultdict(set)
    for bundle, _ in studies:
        for dataset in bundle.design.datasets:
            drawn = {(place.key, place.case) for place in bundle.sample if place.dataset == dataset}
            for (key, case), told in _answers_in(database, dataset, opinions).items():
                if (key, case) in drawn:
                    answers[case].add(told)
    return answers


def _answers_in(database: Database, dataset: str, opinions: Set[str]) -> dict[tuple[str, str], _Answers]:
    with database.read() as session:
        values = values_at_places(session, dataset)
        places = [(place.key, place.case) for place in places_of(session, dataset)]
    return {
        at: tuple(
            sorted((name, repr(value)) for name, value in values.get(at, {}).items() if name in opinions)
        )
        for at in places
    }


def _with_changes(
    database: Database, dataset: str, opinions: Set[str], reviewed: Mapping[str, set[_Answers]]
) -> Iterator[tuple[Membership, bool]]:
    """Each place, and whether its published answers are others than those of the same case in the studies."""
    answers = _answers_in(database, dataset, opinions)
    for place in _places(database, dataset):
        known = reviewed.get(place.case)
        yield place, known is not None and answers[place.key, place.case] not in known


def _places(database: Database, dataset: str) -> list[Membership]:
    with database.read() as session:
        gone = withdrawn_places(session, [dataset])
        return [place for place in places_of(session, dataset) if (dataset, place.key) not in gone]


def _state(
    place: Membership, fresh: Counter[str], sampled: set[str], keys: set[str], least: int, changed: bool
) -> SignOffState:
    if changed:
        return "published answer changed since"
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
