"""A study with everything that was frozen with it, read from the store in one transaction."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from reviewer.core.errors import RequestError, StoreError
from reviewer.core.question import Question
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.study.design.drawn_answers import answers_at
from reviewer.study.design.late_values import LateValues
from reviewer.study.design.study_design import StudyDesign, cases_before, study_protocol
from reviewer.study.session.verdicts import Slot
from store.cases import get_measurements, places_of
from store.database import Database
from store.descriptions import descriptions_of
from store.findings import get_findings
from store.records import (
    Assignment,
    Case,
    CaseRole,
    Finding,
    KeptDeclaration,
    KnownAnswer,
    Measurement,
    ReleaseOrigin,
    Study,
    StudyAct,
    StudyCase,
    StudyDescription,
)
from store.row_records import OpenReading, portions
from store.studies import (
    cases_of,
    cases_with,
    find_study,
    groups_by_case,
    known_answers_of,
    raters_of,
    sample_of,
    stale_cases,
)
from store.study_log import acts_of

if TYPE_CHECKING:
    from reviewer.study.session.machine_rater import MachineRater

COUNTED: tuple[CaseRole, ...] = ("counted",)
BLIND: tuple[CaseRole, ...] = ("counted", "gold")
"""Roles that raters must not be able to tell apart."""


@dataclass(frozen=True, slots=True)
class ExcludedEvent:
    """An event that is left out of all numbers: its id, its rater ("" if unknown), and why."""

    event: str
    rater: str
    why: str


@dataclass(frozen=True, slots=True)
class StudyRelease:
    """A release that has cases of a study: the dataset's name in it, its version and seal, and how many.

    Its ``origin`` says whether the dataset was imported from it, or it was made of the dataset here.
    """

    name: str
    version: str
    seal: str
    origin: ReleaseOrigin
    cases: int


@dataclass(frozen=True, slots=True)
class AskedQuestions:
    """The questions that the protocol asks about a case; by key the digest of each as worded for it, and the
    labels with which it passes."""

    asked: frozenset[str]
    digests: tuple[tuple[str, str], ...]
    passing: tuple[tuple[str, tuple[str, ...]], ...]
    entries: tuple[tuple[str, str], ...] = ()
    """By key the entries of a list that questions are about, where there are such questions."""
    marked: tuple[tuple[str, str], ...] = ()
    """By key the texts that questions of spans are about."""


@dataclass(frozen=True)
class StudyBundle:
    """A study, its protocol and questions, its sample and cases (by digest), its people and history."""

    study: Study
    protocol: Protocol
    questions: tuple[Question, ...]
    sample: tuple[StudyCase, ...]
    cases: dict[str, Case]
    measurements: Mapping[str, list[Measurement]]
    findings: Mapping[str, list[Finding]]
    raters: tuple[Assignment, ...]
    adjudicators: tuple[Assignment, ...]
    acts: tuple[StudyAct, ...]
    stale: frozenset[str]
    """Digests of cases whose place in the dataset now holds other content."""

    known: Mapping[tuple[str, str], KnownAnswer]
    """Answers that are known in advance, by case and question."""
    left_out: tuple[ExcludedEvent, ...] = ()
    """Events that do not fit the study. ``quarantine`` fills this in when it reads the events."""
    declarations: tuple[KeptDeclaration, ...] = ()
    """The declaration of its protocol, if it was declared; packs take it along."""
    owed_elsewhere: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Cases, each with a question about it that this person still owes in another study → that study."""
    digest: str = ""
    """The digest over everything that the study holds, for a report; "" elsewhere (see ``integrity``)."""

    releases: tuple[StudyRelease, ...] = ()
    """The releases that its cases are in, for a report; () elsewhere."""

    descriptions: tuple[StudyDescription, ...] = ()
    """The lead's texts for the report, at most one per topic."""
    parts: "tuple[StudyBundle, ...]" = ()
    """The studies that are pooled in this one (see ``pooled_studies``); () for any other."""
    before: Mapping[str, Case] = field(default_factory=dict)
    """Digest of a case → its content before its repair, if raters see it beside the new one."""
    machine: "MachineRater | None" = None
    """Who answers for the machine rater, in the session of a rater; None elsewhere."""
    later_lists: tuple[tuple[str, ...], ...] = ()
    """The lists of cases that this rater was asked about later, in their order (see ``as_asked``)."""
    same_case: Mapping[str, str] = field(default_factory=dict)
    """Digest of an answer → the case of the run that it answers, in a study with several answers of a case.

    Such answers depend on each other, and intervals resample what they answer. {} in any other study.
    """
    outline: Mapping[str, AskedQuestions] = field(default_factory=dict)
    """What is asked about each case, in place of ``cases``, ``measurements`` and ``findings``, which are then
    empty (see ``load_outline``)."""

    @cached_property
    def design(self) -> StudyDesign:
        """How the sample was drawn, and the options that raters see."""
        return StudyDesign.of(self.study).with_third_lists(self.acts)

    @cached_property
    def roles(self) -> Mapping[str, CaseRole]:
        """The role of each case, by digest."""
        return {place.case: place.role for place in self.sample}

    @cached_property
    def places(self) -> Mapping[str, StudyCase]:
        """Each case's place in the sample, by digest."""
        return {place.case: place for place in self.sample}

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The digests of the cases that are shown twice."""
        return frozenset(self.design.repeated)

    @cached_property
    def leads(self) -> tuple[str, ...]:
        """Who leads the study: its maker, if that was recorded, and everybody who was named since."""
        named = (act.subject for act in self.acts if act.kind == "lead")
        return tuple(dict.fromkeys(lead for lead in named if lead is not None))

    @cached_property
    def excluded(self) -> Mapping[str, StudyAct]:
        """Each rater whose answers count in no number, with the act that says why."""
        last = {act.subject: act for act in self.acts if act.kind in ("exclude", "include") and act.subject}
        left_out = {rater: act for rater, act in last.items() if rater and act.kind == "exclude"}
        return {**left_out, **self.withdrawn}

    @cached_property
    def withdrawn(self) -> Mapping[str, StudyAct]:
        """Each rater whose labels are withdrawn from releases and numbers, with the act that says why."""
        return {act.subject: act for act in self.acts if act.kind == "withdraw" and act.subject}

    @property
    def stoppable(self) -> list[str]:
        """The name of the study, or those of pooled ones, that could be stopped by looking."""
        return [each.study.name for each in self.parts or (self,) if each.design.stop is not None]

    @property
    def counted(self) -> tuple[StudyCase, ...]:
        """The cases that enter agreement, pass rates and reports."""
        return tuple(place for place in self.sample if place.role == "counted")

    def as_asked(self, rater: str) -> "StudyBundle":
        """The study with the cases that this rater is asked about, and no others."""
        sample = tuple(place for place in self.sample if self.design.asks_of(rater, place.case))
        lists = self.design.third_lists.get(rater, ())
        if len(sample) == len(self.sample) and not lists:
            return self
        cases = {place.case: self.cases[place.case] for place in sample}
        return replace(self, sample=sample, cases=cases, later_lists=lists)

    def asks(self, question: str, case: str) -> bool:
        """Whether the question is asked about the case. In training, it needs a known answer."""
        if self.roles[case] == "training" and (case, question) not in self.known:
            return False
        if case in self.outline:
            return question in self.outline[case].asked
        return self.protocol.asks(self.question(question), self.cases[case])

    def slots(self, question: Question, roles: Collection[CaseRole] = COUNTED) -> list[Slot]:
        """The question's first-showing slots on the cases of these roles, in the order of the sample."""
        asked = (place.case for place in self.sample if place.role in roles)
        return [Slot(case, question.key) for case in asked if self.asks(question.key, case)]

    def passing(self, question: Question, case: str) -> tuple[str, ...]:
        """The labels with which the case passes the question: the one place that every number asks."""
        if case in self.outline:
            return dict(self.outline[case].passing)[question.key]
        return self.protocol.passing(question, self.measurements[case])

    def terms(self, digest: str) -> Mapping[str, str]:
        """The case's own terms, which its questions are worded with."""
        return self.protocol.terms(self.cases[digest], self.measurements[digest])

    def entry_text(self, question: Question, case: str) -> str:
        """The entry of the case's list that the question is about; "" if it is about none."""
        if not question.entry:
            return ""
        if case in self.outline:
            return dict(self.outline[case].entries).get(question.key, "")
        return self.protocol.entry_text(question, self.cases[case])

    def marked_text(self, question: Question, case: str) -> str | None:
        """The text of the case that a question of spans is about; None if its content is not here."""
        if case in self.outline:
            return dict(self.outline[case].marked).get(question.key)
        return self.protocol.marked_text(question, self.cases[case]) if case in self.cases else None

    def question(self, key: str) -> Question:
        """The question with this key."""
        return next(question for question in self.questions if question.key == key)

    def shown_digest(self, slot: Slot) -> str:
        """The digest of the slot's question as it is worded for its case."""
        if slot.case in self.outline:
            return dict(self.outline[slot.case].digests)[slot.question]
        about = slot.question, slot.case
        if about not in self._shown_digests:
            self._shown_digests[about] = self.question(slot.question).digest(self.terms(slot.case))
        return self._shown_digests[about]

    @cached_property
    def _shown_digests(self) -> dict[tuple[str, str], str]:
        """A cache by question and case, because every rater's label is compared with one of these digests."""
        return {}


def load_study(database: Database, name: str, *, late: bool = False) -> StudyBundle:
    """Read a whole study; raises RequestError if there is none of this name.

    ``late``: measurements and findings are read case by case, when somebody looks at them.
    """
    with database.read() as session:
        bundle = _without_contents(session, database, name)
        sample, cases, before = bundle.sample, cases_of(session, name), cases_before(bundle.study)
        _check_cases(bundle, {digest: case.group for digest, case in cases.items()})
        earlier = cases_with(session, before.values())
        digests = [place.case for place in sample]
        return replace(
            bundle,
            cases=cases,
            measurements=(
                LateValues(database, digests, partial(_measurements_here, bundle.places))
                if late
                else measurements_here(sample, get_measurements(session, digests))
            ),
            findings=LateValues(database, digests, get_findings) if late else get_findings(session, digests),
            before={new: earlier[old] for new, old in before.items() if old in earlier and new in cases},
        )


def load_frame(database: Database, name: str) -> StudyBundle:
    """A study without its cases and their data; raises RequestError if there is none."""
    with database.read() as session:
        return _without_contents(session, database, name)


def load_outline(database: Database, name: str) -> StudyBundle:
    """A study as numbers need it: what is asked about each case, whose contents are read in portions.

    Raises RequestError if there is no such study, and StoreError for a case that was altered.
    """
    with database.read() as session:
        return outline_of(session, database, name)


def outline_of(session: OpenReading, database: Database, name: str) -> StudyBundle:
    """The same within a reading of this store."""
    bundle = _without_contents(session, database, name)
    _check_cases(bundle, groups_by_case(session, name))
    outline: dict[str, AskedQuestions] = {}
    shared: dict[AskedQuestions, AskedQuestions] = {}  # most cases of a group are asked about alike
    for places in portions(bundle.sample):
        digests = [place.case for place in places]
        measured = measurements_here(places, get_measurements(session, digests))
        for case in cases_with(session, digests).values():
            if not case.is_whole:
                raise altered_case(name, case.digest, "has content that does not match its digest")
            asked = _asked_questions(bundle, case, measured[case.digest])
            outline[case.digest] = shared.setdefault(asked, asked)
    return replace(bundle, outline=outline)


def _asked_questions(bundle: StudyBundle, case: Case, measurements: Sequence[Measurement]) -> AskedQuestions:
    terms = bundle.protocol.terms(case, measurements)
    return AskedQuestions(
        frozenset(q.key for q in bundle.questions if bundle.protocol.asks(q, case)),
        tuple((question.key, question.digest(terms)) for question in bundle.questions),
        tuple((q.key, bundle.protocol.passing(q, measurements)) for q in bundle.questions),
        tuple((q.key, bundle.protocol.entry_text(q, case)) for q in bundle.questions if q.entry),
        tuple(bundle.protocol.marked_texts(bundle.questions, case).items()),
    )


def _without_contents(session: OpenReading, database: Database, name: str) -> StudyBundle:
    """A study without its cases and their measurements; raises RequestError if there is none."""
    study = find_study(session, name)
    if study is None:
        raise RequestError(f"study {name!r} is not in the store; see `reviewer study list`.")
    people, protocols = raters_of(session, name), protocols_of(database)
    sample = tuple(sample_of(session, name))
    return StudyBundle(
        study=study,
        protocol=study_protocol(protocols, study),
        declarations=protocols.declarations_of(study.protocol),
        questions=tuple(Question.model_validate(question) for question in study.questions),
        sample=sample,
        same_case=_answered_cases(session, StudyDesign.of(study), sample),
        cases={},
        measurements={},
        findings={},
        raters=tuple(person for person in people if person.role == "rater"),
        adjudicators=tuple(person for person in people if person.role == "adjudicator"),
        acts=tuple(acts_of(session, name)),
        stale=frozenset(stale_cases(session, name)),
        known={(answer.case, answer.question): answer for answer in known_answers_of(session, name)},
        descriptions=tuple(descriptions_of(session, name)),
    )


def _answered_cases(session: OpenReading, design: StudyDesign, sample: Sequence[StudyCase]) -> dict[str, str]:
    """Digest of an answer → the case of the run that it answers, where a case may have several."""
    if design.answers is None or design.answers.per_case == 1:
        return {}
    places = {
        (name, place.key): answers_at(place) for name in design.datasets for place in places_of(session, name)
    }
    return {
        drawn.case: f"{given[0]['dataset']}:{given[0]['key']}"
        for drawn in sample
        if (given := places.get((drawn.dataset, drawn.key)))
    }


def _check_cases(bundle: StudyBundle, groups: Mapping[str, str]) -> None:
    """Raise StoreError if the sample is empty, or if a case of it is missing or its group does not exist."""
    name, known = bundle.study.name, {*bundle.protocol.groups_among(groups.values())}
    if not bundle.sample:
        raise StoreError(f"study {name!r} has no cases: {_ALTERED}")
    for place in bundle.sample:
        group = groups.get(place.case)
        if group is None or group not in known:
            wrong = "is not in the store" if group is None else f"is of group {one_line(group)!r}"
            raise altered_case(name, place.case, wrong)


_ALTERED = "it was altered or damaged. Run `reviewer store check` to list all damage, and work with a backup."


def altered_case(study: str, digest: str, wrong: str) -> StoreError:
    """The error for a damaged case of a study."""
    return StoreError(f"case {digest[:12]} of study {study!r} {wrong}: {_ALTERED}")


def _measurements_here(
    places: Mapping[str, StudyCase], session: OpenReading, digests: Sequence[str]
) -> dict[str, list[Measurement]]:
    return measurements_here([places[digest] for digest in digests], get_measurements(session, digests))


def measurements_here(
    sample: Sequence[StudyCase], found: Mapping[str, list[Measurement]]
) -> dict[str, list[Measurement]]:
    """Each case's measurements. Published ones count only if they belong to the place it was drawn from."""
    return {
        place.case: [value for value in found[place.case] if not value.came_with_place or value.is_at(place)]
        for place in sample
    }
