"""Whether a store is whole: everything in it that can be recomputed is, and is compared."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import ValidationError

from reviewer.core.errors import InputError
from reviewer.core.plaintext import counted
from reviewer.core.question import Question
from reviewer.study.event_faults import Acceptable
from store.append_only import missing_protection
from store.foreign import ForeignStore
from store.parcel import Parcel
from store.records import Case, Event

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
    faults: list[Fault] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """The result in one line."""
        studies = "1 study" if self.studies == 1 else f"{self.studies} studies"
        looked_at = f"{counted(self.events, 'event')} of {studies}, {counted(self.cases, 'case')}"
        if not self.faults:
            return f"Every verdict is whole: {looked_at}; ids, digests, order, references and triggers hold."
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
    if case != Case.of(case.protocol, case.group, case.payload_version, case.payload):
        yield Fault(_WHOLE_STORE, f"case {case.digest[:12]}", "was altered: its digest is of other content")


def _check_study(file: ForeignStore, parcel: Parcel, found: Soundness) -> None:
    study = parcel.study.name
    try:
        questions = [Question.model_validate(question) for question in parcel.study.questions]
    except ValidationError:
        found.faults.append(Fault(study, "the questions", "were altered: one of them is none"))
        return
    missing = {place.case for place in parcel.sample} - {case.digest for case in parcel.cases}
    found.faults += [Fault(study, f"case {case[:12]}", "is in the sample and not there") for case in missing]
    labels = {question.key: question.labels for question in questions}
    cases = {place.case for place in parcel.sample}
    acceptable = Acceptable(study, parcel.raters, parcel.acts, cases, labels)
    ids, waiting = set[str](), list[tuple[str, str]]()
    for event in file.events(study):
        ids.add(event.id)
        where = f"event {event.id} of {event.rater}"
        if fault := acceptable.fault(event):
            found.faults.append(Fault(study, where, fault.removeprefix("it ")))
        waiting += [(where, other) for other in _referred_to(event) if other not in ids]
    found.events += len(ids)
    found.faults += [
        Fault(study, where, f"refers to event {other}, which is not here")
        for where, other in waiting
        if other not in ids
    ]


def _referred_to(event: Event) -> list[str]:
    return [*event.supersedes, *([event.target] if event.target else [])]
