"""What a closed study came to for each of its cases: the one definition of passed, failed and undecided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reviewer.core.errors import RequestError
from reviewer.results.labels.final_labels import FinalLabel, final_labels
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from store.database import Database
from store.records import Event

CaseResult = Literal["failed", "undecided", "not reviewed", "passed"]
"""What a closed study came to for a case. An undecided one was judged, and has no final label somewhere."""

_RESULTS: Mapping[bool | None, CaseResult] = {True: "passed", False: "failed", None: "undecided"}


@dataclass(frozen=True)
class ClosedStudy:
    """A closed study with its events and its final labels."""

    bundle: StudyBundle
    events: tuple[Event, ...]
    finals: tuple[FinalLabel, ...]

    def outcomes(self) -> Mapping[str, bool | None]:
        """Digest of each counted case → whether it passed on every question; None if one is undecided.

        Questions without a passing label decide nothing.
        """
        labels: dict[str, list[bool | None]] = {place.case: [] for place in self.bundle.counted}
        for final in self.finals:
            if final.question.passing:
                labels[final.place.case].append(final.passes)
        return {case: _together(some) for case, some in labels.items()}

    def results(self) -> Mapping[str, CaseResult]:
        """Digest of each counted case → what the study came to; without any vote it was not reviewed."""
        judged = {
            final.place.case
            for final in self.finals
            if final.question.passing and (final.item_votes.votes or final.adjudicated is not None)
        }
        return {
            case: _RESULTS[passed] if passed is not None or case in judged else "not reviewed"
            for case, passed in self.outcomes().items()
        }

    @property
    def contradicted(self) -> Mapping[str, frozenset[str]]:
        """Title of an opinion with ``must_agree`` → the cases whose passing label contradicts it."""
        cases: dict[str, set[str]] = {}
        for final in self.finals:
            for opinion in self.bundle.protocol.must_agree(final.question):
                said = opinion.answer_in(self.bundle.measurements[final.place.case], final.question)
                if final.label in final.question.passing and said not in (None, final.label):
                    cases.setdefault(opinion.shown_name, set()).add(final.place.case)
        return {title: frozenset(digests) for title, digests in cases.items()}


def read_closed_study(database: Database, name: str) -> ClosedStudy:
    """A study that counts for releases; raises RequestError if it is open."""
    bundle, events = read_study(database, name)
    if bundle.study.closed_at is None:
        raise RequestError(
            f"study {name!r} is open, so its labels are not final; close it first with "
            f"`reviewer study close {name}`."
        )
    return ClosedStudy(bundle, tuple(events), tuple(final_labels(bundle, events)))


def _together(passed: Sequence[bool | None]) -> bool | None:
    """False if one failed, else None if one is undecided or nothing was asked, else True."""
    if False in passed:
        return False
    return None if None in passed or not passed else True
