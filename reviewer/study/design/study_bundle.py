"""A study with everything that was frozen with it, read from the store in one go."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reviewer.core.errors import RequestError, StoreError
from reviewer.core.question import Question
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.session.verdicts import Slot
from store.cases import get_measurements
from store.database import Database
from store.descriptions import descriptions_of
from store.findings import get_findings
from store.records import (
    Assignment,
    Case,
    CaseRole,
    Finding,
    KnownAnswer,
    Measurement,
    Study,
    StudyAct,
    StudyCase,
    StudyDescription,
)
from store.studies import cases_of, find_study, known_answers_of, raters_of, sample_of, stale_cases
from store.study_log import acts_of

COUNTED: tuple[CaseRole, ...] = ("counted",)
BLIND: tuple[CaseRole, ...] = ("counted", "gold")
"""The cases between which a rater must not be able to tell."""


@dataclass(frozen=True, slots=True)
class ExcludedEvent:
    """An event that no number is made from, as far as it can be named: its id, its rater, and why."""

    event: str
    rater: str
    why: str


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

    known: Mapping[tuple[str, str], KnownAnswer]
    """Answers that are known beforehand, by case and question."""
    left_out: tuple[ExcludedEvent, ...] = ()
    """Events that do not fit the study; filled in where its events are read (``quarantine``)."""
    digest: str = ""
    """The digest over all that the study holds, in a report (``integrity``)."""

    descriptions: tuple[StudyDescription, ...] = ()
    """What the study's lead says for the report, one for each topic at most."""

    @cached_property
    def design(self) -> StudyDesign:
        """How it was drawn, and what raters meet."""
        return StudyDesign.of(self.study)

    @cached_property
    def roles(self) -> Mapping[str, CaseRole]:
        """The role of each case, by digest."""
        return {place.case: place.role for place in self.sample}

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The digests of the cases that are shown twice."""
        return frozenset(self.design.repeated)

    @property
    def counted(self) -> tuple[StudyCase, ...]:
        """The cases that enter agreement, pass rates and reports."""
        return tuple(place for place in self.sample if place.role == "counted")

    def asks(self, question: str, case: str) -> bool:
        """Whether the question is asked about the case; in training, only where its answer is known."""
        if self.roles[case] == "training" and (case, question) not in self.known:
            return False
        return self.protocol.asks(self.question(question), self.cases[case])

    def slots(self, question: Question, roles: Collection[CaseRole] = COUNTED) -> list[Slot]:
        """The question's slots about the cases of these roles, shown once, in the order of the sample."""
        asked = (place.case for place in self.sample if place.role in roles)
        return [Slot(case, question.key) for case in asked if self.asks(question.key, case)]

    def terms(self, digest: str) -> Mapping[str, str]:
        """A case's own words in the questions."""
        return self.protocol.terms(self.cases[digest], self.measurements[digest])

    def question(self, key: str) -> Question:
        """The question of this key."""
        return next(question for question in self.questions if question.key == key)

    def shown_digest(self, slot: Slot) -> str:
        """The digest of the slot's question as it is put for its case."""
        about = slot.question, slot.case
        if about not in self._shown_digests:
            self._shown_digests[about] = self.question(slot.question).digest(self.terms(slot.case))
        return self._shown_digests[about]

    @cached_property
    def _shown_digests(self) -> dict[tuple[str, str], str]:
        """By question and case, as far as they were asked for: every rater's label is compared with one."""
        return {}


def load_study(database: Database, name: str) -> StudyBundle:
    """Read a study whole; raises RequestError where there is none of this name."""
    with database.read() as session:
        study = find_study(session, name)
        if study is None:
            raise RequestError(f"study {name!r} is not in the store; see `reviewer study list`.")
        sample, people = tuple(sample_of(session, name)), raters_of(session, name)
        protocol, cases = protocols_of(database).named(study.protocol), cases_of(session, name)
        _check_cases(protocol, sample, cases)
        return StudyBundle(
            study=study,
            protocol=protocol,
            questions=tuple(Question.model_validate(question) for question in study.questions),
            sample=sample,
            cases=cases,
            measurements=measurements_here(sample, get_measurements(session, [case.case for case in sample])),
            findings=get_findings(session, [case.case for case in sample]),
            raters=tuple(each for each in people if each.role == "rater"),
            adjudicators=tuple(each for each in people if each.role == "adjudicator"),
            acts=tuple(acts_of(session, name)),
            stale=frozenset(stale_cases(session, name)),
            known={(each.case, each.question): each for each in known_answers_of(session, name)},
            descriptions=tuple(descriptions_of(session, name)),
        )


def _check_cases(protocol: Protocol, sample: Sequence[StudyCase], cases: Mapping[str, Case]) -> None:
    """Raise StoreError where the store lacks a case of the sample, or has it in no group that there is."""
    groups = {*protocol.groups_among(case.group for case in cases.values())}
    for place in sample:
        case = cases.get(place.case)
        if case is None or case.group not in groups:
            wrong = "is not in the store" if case is None else f"is of group {one_line(case.group)!r}"
            raise altered_case(place.study, place.case, wrong)


def altered_case(study: str, digest: str, wrong: str) -> StoreError:
    """The sentence on a case that a study cannot do without."""
    return StoreError(
        f"case {digest[:12]} of study {study!r} {wrong}: it was altered or damaged. "
        "`reviewer store check` names everything that is; work with a backup."
    )


def measurements_here(
    sample: Sequence[StudyCase], found: Mapping[str, list[Measurement]]
) -> dict[str, list[Measurement]]:
    """What was measured on each case, and what was published with it at the place it was drawn from."""
    return {
        place.case: [value for value in found[place.case] if not value.came_with_place or value.is_at(place)]
        for place in sample
    }
