"""Whether a store is whole: everything in it that can be recomputed is, and is compared."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError

from reviewer.core.errors import InputError, RequestError
from reviewer.core.plaintext import counted
from reviewer.core.question import Question
from reviewer.protocols.registry import protocol_named
from reviewer.study.bundle import measurements_here
from reviewer.study.event_faults import Acceptable
from store.append_only import missing_protection
from store.foreign import ForeignStore
from store.parcel import Parcel
from store.records import Case, Event, Measurement

_WHOLE_STORE = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it was written: in which study ("" for none), where, and what is wrong."""

    study: str
    where: str
    wrong: str


@dataclass
class Soundness:
    """What was looked at, in numbers, and every fault."""

    studies: int = 0
    cases: int = 0
    events: int = 0
    outdated: int = 0
    """Events that answered a question whose terms (published values, say) are others by now."""
    faults: list[Fault] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """The result in one line."""
        studies = "1 study" if self.studies == 1 else f"{self.studies} studies"
        looked_at = f"{counted(self.events, 'event')} of {studies}, {counted(self.cases, 'case')}"
        if not self.faults:
            other = f" {self.outdated:,} of them answered other wording than is asked now."
            return (
                f"Every verdict is whole: {looked_at}; ids, digests, order, references and triggers hold."
                + (other if self.outdated else "")
            )
        first = self.faults[0]
        faults = counted(len(self.faults), "fault")
        return f"NOT whole ({looked_at}): {faults}, the first: {first.where} {first.wrong}."


def soundness_of(file: ForeignStore) -> Soundness:
    """Check a whole store; what cannot even be read is a fault like any other."""
    found = Soundness(faults=list(_faults_of_file(file)))
    try:
        for case in file.cases():
            found.cases += 1
            found.faults += _faults_of_case(case)
        for study in file.studies():
            found.studies += 1
            _check_study(file, file.parcel(study, with_events=False), found)
    except InputError as error:
        found.faults.append(Fault(_WHOLE_STORE, error.where, error.wrong))
    found.faults += [Fault(_WHOLE_STORE, what, "cannot be read") for what in file.unreadable]
    return found


def _faults_of_file(file: ForeignStore) -> Iterator[Fault]:
    for wrong in (file.damage, file.orphan):
        if wrong:
            yield Fault(_WHOLE_STORE, "the file", f"is damaged: {wrong}")
    for name in missing_protection(file.definitions("table"), file.definitions("trigger")):
        yield Fault(_WHOLE_STORE, f"trigger {name}", "is missing or altered, so that events could be changed")


def _faults_of_case(case: Case) -> Iterator[Fault]:
    if not _is_whole(case):
        yield Fault(_WHOLE_STORE, f"case {case.digest[:12]}", "was altered: its digest is of other content")


def _is_whole(case: Case) -> bool:
    return case == Case.of(case.protocol, case.group, case.payload_version, case.payload)


def _check_study(file: ForeignStore, parcel: Parcel, found: Soundness) -> None:
    study = parcel.study.name
    try:
        questions = [Question.model_validate(question) for question in parcel.study.questions]
        wordings = Wordings(parcel, questions)
    except ValidationError:
        found.faults.append(Fault(study, "the questions", "were altered: one of them is none"))
        return
    except (RequestError, KeyError):
        wrong = "are of a protocol, or about a group, that this release does not know"
        found.faults.append(Fault(study, "the questions", wrong))
        return
    missing = {place.case for place in parcel.sample} - {case.digest for case in parcel.cases}
    found.faults += [Fault(study, f"case {case[:12]}", "is in the sample and not there") for case in missing]
    labels = {question.key: question.labels for question in questions}
    cases = {place.case for place in parcel.sample}
    acceptable = Acceptable(study, parcel.raters, parcel.acts, cases, labels)
    ids, waiting = set[str](), list[tuple[str, str]]()
    for event in file.events(study):
        ids.add(event.id)
        wordings.see(event)
        where = f"event {event.id} of {event.rater}"
        if fault := acceptable.fault(event):
            found.faults.append(Fault(study, where, fault.removeprefix("it ")))
        waiting += [(where, other) for other in _referred_to(event) if other not in ids]
    found.events += len(ids)
    found.outdated += wordings.outdated
    found.faults += [Fault(study, f"question {key!r}", wrong) for key, wrong in wordings.forged]
    found.faults += [
        Fault(study, where, f"refers to event {other}, which is not here")
        for where, other in waiting
        if other not in ids
    ]


class Wordings:
    """Whether events answered the questions that a study has.

    What is asked about a case may change with what is known of it, so single events may have answered other
    wording. A question that none of its events answered, whatever was known, was never asked.
    """

    def __init__(self, parcel: Parcel, questions: Sequence[Question]) -> None:
        protocol = protocol_named(parcel.study.protocol)
        measured = defaultdict[str, list[Measurement]](list)
        for measurement in parcel.measurements:
            measured[measurement.case].append(measurement)
        here = measurements_here(parcel.sample, measured)
        self._digests = {
            (question.key, case.digest): [question.digest(protocol.terms(case, known)) for known in knowns]
            for case in parcel.cases
            if _is_whole(case) and (knowns := _at_all_times(here[case.digest]))
            for question in questions
        }
        self._answered = {question.key: Counter[str]() for question in questions}

    def see(self, event: Event) -> None:
        """Compare the question that an event says it answered."""
        if (event.question, event.case) in self._digests:
            now, *before = self._digests[event.question, event.case]
            digest = event.question_digest
            self._answered[event.question][
                "now" if digest == now else "before" if digest in before else "never"
            ] += 1

    @property
    def forged(self) -> list[tuple[str, str]]:
        """The questions that no event answered, by key, each with what is wrong."""
        return [
            (
                key,
                f"is not what any of its {counted(seen['never'], 'event')} answered; "
                "it, or what is published of its cases, was altered",
            )
            for key, seen in self._answered.items()
            if [*seen] == ["never"]
        ]

    @property
    def outdated(self) -> int:
        """How many events answered other wording than is asked now."""
        return sum(seen.total() - seen["now"] for seen in self._answered.values() if [*seen] != ["never"])


def _at_all_times(measurements: Sequence[Measurement]) -> list[list[Measurement]]:
    """What may have been known of a case: what is now, what was before an audit, and nothing."""
    return [[*measurements], [value for value in measurements if value.source == "published"], []]


def _referred_to(event: Event) -> list[str]:
    return [*event.supersedes, *([event.target] if event.target else [])]
