"""A study with everything that was frozen with it, read from the store in one go."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.errors import RequestError
from reviewer.core.question import Question
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocol_named
from reviewer.study.verdicts import Slot
from store.acts import acts_of
from store.cases import get_measurements
from store.database import Database
from store.findings import get_findings
from store.records import Assignment, Case, Finding, Measurement, Study, StudyAct, StudyCase
from store.studies import cases_of, find_study, raters_of, sample_of, stale_cases


@dataclass(frozen=True)
class StudyBundle:
    """A study, its protocol and questions, its sample and cases (by digest), its people and history."""

    study: Study
    protocol: Protocol
    questions: tuple[Question, ...]
    sample: tuple[StudyCase, ...]
    cases: dict[str, Case]
    measurements: dict[str, list[Measurement]]
    findings: dict[str, list[Finding]]
    raters: tuple[Assignment, ...]
    adjudicators: tuple[Assignment, ...]
    acts: tuple[StudyAct, ...]
    stale: frozenset[str]
    """Digests of cases whose place in the dataset holds other content by now."""

    def slots(self, question: Question) -> list[Slot]:
        """The question's slots, in the order of the sample."""
        asked = (case for case in self.sample if self.protocol.asks(question, self.cases[case.case]))
        return [Slot(case.case, question.key) for case in asked]

    def terms(self, digest: str) -> Mapping[str, str]:
        """A case's own words in the questions."""
        return self.protocol.terms(self.cases[digest], self.measurements[digest])

    def question(self, key: str) -> Question:
        """The question of this key."""
        return next(question for question in self.questions if question.key == key)

    def shown_digest(self, slot: Slot) -> str:
        """The digest of the slot's question as it is put for its case."""
        return self.question(slot.question).digest(self.terms(slot.case))

    @property
    def slot_count(self) -> int:
        """How many verdicts a rater who has finished has given."""
        return sum(len(self.slots(question)) for question in self.questions)


def load_study(database: Database, name: str) -> StudyBundle:
    """Read a study whole; raises RequestError where there is none of this name."""
    with database.read() as session:
        study = find_study(session, name)
        if study is None:
            raise RequestError(f"study {name!r} is not in the store; see `reviewer study list`.")
        sample, people = tuple(sample_of(session, name)), raters_of(session, name)
        return StudyBundle(
            study=study,
            protocol=protocol_named(study.protocol),
            questions=tuple(Question.model_validate(question) for question in study.questions),
            sample=sample,
            cases=cases_of(session, name),
            measurements=_measurements_here(
                sample, get_measurements(session, [case.case for case in sample])
            ),
            findings=get_findings(session, [case.case for case in sample]),
            raters=tuple(each for each in people if each.role == "rater"),
            adjudicators=tuple(each for each in people if each.role == "adjudicator"),
            acts=tuple(acts_of(session, name)),
            stale=frozenset(stale_cases(session, name)),
        )


def _measurements_here(
    sample: Sequence[StudyCase], found: Mapping[str, list[Measurement]]
) -> dict[str, list[Measurement]]:
    """What was measured on each case, and what was published with it at the place it was drawn from."""
    return {
        place.case: [
            value
            for value in found[place.case]
            if value.source == "measured" or (value.dataset, value.key) == (place.dataset, place.key)
        ]
        for place in sample
    }
