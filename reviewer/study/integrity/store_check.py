"""Checks a whole store: recomputes everything in it that can be recomputed, and compares."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter

from pydantic import ValidationError

from reviewer.core.errors import InputError, RequestError, StoreError
from reviewer.core.question import Question
from reviewer.core.sanitize import counted, one_line
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import PROTOCOLS, Protocols, fault_of
from reviewer.study.design.study_bundle import measurements_here
from reviewer.study.design.study_design import cases_before, panels_of, study_protocol
from reviewer.study.integrity.quarantine import Acceptable
from reviewer.study.integrity.revision_checks import cases_named, histories_of, revision_faults
from reviewer.study.integrity.signed_checks import (
    DatasetChanges,
    HeldEvents,
    StudyCounts,
    study_counts,
)
from reviewer.study.transfer.merge import is_ahead
from reviewer.study.transfer.release_merge import release_fault
from store.append_only import missing_protection
from store.clock import is_event_id, now_ms
from store.records import Case, Event, KeptDeclaration, Measurement, SignedCount, Study
from store.row_records import portions
from store.signed_counts import counted_events
from store.study_rows import StudyRows
from store.untrusted_store import UntrustedStore

_WHOLE_STORE = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A difference from the written data: its study ("" for none), the place, and a description."""

    study: str
    where: str
    wrong: str


@dataclass(frozen=True, slots=True)
class DigestComparison:
    """Whether a store still holds everything that a digest covers, and a sentence on it."""

    holds: bool
    sentence: str


@dataclass
class StoreCheck:
    """The numbers of checked records, and every fault."""

    studies: int = 0
    cases: int = 0
    events: int = 0
    revisions: int = 0
    releases: int = 0
    outdated: int = 0
    """Events that answered a question whose terms (such as published values) have since changed."""
    faults: list[Fault] = field(default_factory=list)
    counts: list[StudyCounts] = field(default_factory=list)
    """Each study compared with its signed counts."""
    remarks: list[str] = field(default_factory=list)
    """Remarks that are not faults: events that were kept aside or have ids in the future."""

    def compared(self, digest: str) -> DigestComparison:
        """Compare the store with a digest that a report or an earlier check printed."""
        for study in self.counts:
            if study.digest == digest:
                return DigestComparison(
                    True, f"Study {study.study!r} is exactly as when {digest} was printed."
                )
            count = next((count for count in study.genuine if count.digest == digest), None)
            if count is not None:
                return _compared(study, count, self.faults)
        return DigestComparison(
            False,
            f"No study here has the digest {digest}, and no signed count records it: it belongs to another "
            "store, or something was deleted or changed.",
        )

    @property
    def sentence(self) -> str:
        """The result in one line."""
        studies = "1 study" if self.studies == 1 else f"{self.studies} studies"
        looked_at = f"{counted(self.events, 'event')} of {studies}, {counted(self.cases, 'case')}"
        looked_at += f", {counted(self.revisions, 'revision')}" if self.revisions else ""
        looked_at += f", {counted(self.releases, 'release')}" if self.releases else ""
        if not self.faults:
            other = f" {self.outdated:,} of them answered an earlier wording of their question."
            return (
                f"Every verdict is whole: {looked_at}; ids, digests, order, references and triggers fit."
                + (other if self.outdated else "")
            )
        first = self.faults[0]
        faults = counted(len(self.faults), "fault")
        return f"NOT whole ({looked_at}): {faults}, the first: {first.where} {first.wrong}."


def _compared(study: StudyCounts, count: SignedCount, faults: Sequence[Fault]) -> DigestComparison:
    newer = study.events - sum(rater["count"] for rater in count.content["parts"]["events"].values())
    if count.digest in study.broken:
        return DigestComparison(
            False, f"Study {study.study!r} lacks something that {count.digest} covers; see above."
        )
    added = f"{counted(newer, 'event')} came later" if newer > 0 else "no event came later"
    when = f"{count.at[:10]}, {count.occasion}"
    complete = f"Study {study.study!r} holds everything that {count.digest} covers ({when}); {added}."
    return DigestComparison(True, complete)


def check_store(file: UntrustedStore, protocols: Protocols = PROTOCOLS) -> StoreCheck:
    """Check a whole store. Rows that cannot be read are faults too."""
    check = StoreCheck(faults=list(_faults_of_file(file)))
    try:
        histories = histories_of(file.revisions())
        named = cases_named(histories)
        cases = set()
        for case in file.cases():
            check.cases += 1
            cases.update(named & {case.digest})
            check.faults += _faults_of_case(case)
        check.revisions = sum(len(history.revisions) for history in histories.values())
        wrong_revisions = revision_faults(histories, file.places(), cases)
        check.faults += [Fault(_WHOLE_STORE, where, wrong) for where, wrong in wrong_revisions]
        changes = DatasetChanges(
            {dataset.name: dataset.imported_at for dataset in file.datasets()}, histories
        )
        kept = file.declarations()
        check.faults += _faults_of_declarations(kept, protocols)
        protocols = protocols.keeping(lambda: kept)
        for study in file.studies():
            check.studies += 1
            _check_study(file, study, check, changes, protocols)
        check.faults += _faults_of_releases(file, check)
        file.read_the_rest()
    except InputError as error:
        check.faults.append(Fault(_WHOLE_STORE, error.where, error.wrong))
    check.faults += [Fault(_WHOLE_STORE, what, "cannot be read") for what in dict.fromkeys(file.unreadable)]
    return check


def _faults_of_file(file: UntrustedStore) -> Iterator[Fault]:
    for wrong in (file.damage, file.orphan):
        if wrong:
            yield Fault(_WHOLE_STORE, "the file", f"is damaged: {wrong}")
    for name in missing_protection(file.definitions("table"), file.definitions("trigger")):
        yield Fault(_WHOLE_STORE, f"trigger {name}", "is missing or altered, so events could be changed")
    for table, gone in file.deleted_rows():
        verb = "was" if gone == 1 else "were"
        wrong = f"lacks {counted(gone, 'row')} that {verb} deleted: the row numbers have gaps"
        yield Fault(_WHOLE_STORE, f"table {table}", wrong)
    for named in file.not_ours:
        yield Fault(_WHOLE_STORE, named, "is not of this program and could change or hide verdicts")


def _faults_of_case(case: Case) -> Iterator[Fault]:
    if not case.is_whole:
        wrong = "was altered: its digest does not match its content"
        yield Fault(_WHOLE_STORE, f"case {case.digest[:12]}", wrong)


def _faults_of_declarations(kept: Sequence[KeptDeclaration], protocols: Protocols) -> Iterator[Fault]:
    for row in kept:
        where = f"the declaration of protocol {one_line(row.reference, 60)}"
        if protocols.is_taken(row.name):
            yield Fault(_WHOLE_STORE, where, "has the name of another protocol, and is not used")
        elif wrong := fault_of(row):
            yield Fault(_WHOLE_STORE, where, f"cannot be used: {wrong}")


def _faults_of_releases(file: UntrustedStore, check: StoreCheck) -> Iterator[Fault]:
    for release in file.releases():
        check.releases += 1
        if wrong := release_fault(release):
            where = f"release {release.name} {one_line(release.version, 40)} of dataset {release.dataset}"
            yield Fault(_WHOLE_STORE, where, wrong)


def _check_study(
    file: UntrustedStore,
    study: Study,
    check: StoreCheck,
    changes: DatasetChanges,
    protocols: Protocols,
) -> None:
    study_rows = file.rows_of_study(study, with_events=False, with_contents=False)
    seen = _check_events(file, study_rows, check, protocols)
    counts = study_counts(
        study_rows, _held_events(file, seen.study), _measurements(file, study_rows), changes
    )
    check.events += seen.events
    check.counts.append(counts)
    check.faults += [Fault(study.name, where, wrong) for where, wrong in counts.faults]
    check.remarks += [*counts.remarks, *_remarks(study_rows, seen)]


def _held_events(file: UntrustedStore, study: str) -> HeldEvents:
    by_rater = groupby(file.event_digests(study), key=itemgetter(0))
    counted = {rater: counted_events(event[1:] for event in events) for rater, events in by_rater}
    return HeldEvents(counted, partial(file.events_named, study))


def _measurements(file: UntrustedStore, study_rows: StudyRows) -> Iterator[Measurement]:
    for _case, measurements in file.contents([place.case for place in study_rows.sample]):
        yield from measurements


class _SeenEvents:
    """The readable events of a study, seen one after the other, rater by rater and the smallest id first.

    What an event refers to is nearly always the event just before it. Only other references are held, and
    looked up at the end.
    """

    def __init__(self, file: UntrustedStore, study: str) -> None:
        self.study = study
        self.events = 0
        self.ahead = Counter[str]()
        self._file, self._now, self._last = file, now_ms(), ""
        self._references: list[tuple[str, str]] = []

    def __iter__(self) -> Iterator[Event]:
        for event in self._file.events(self.study):
            self.events += 1
            if is_ahead(event.id, self._now):
                self.ahead[event.rater] += 1
            where = f"event {event.id} of {event.rater}"
            self._references += [(other, where) for other in event.names if other != self._last]
            self._last = event.id
            yield event

    def missing(self, ids: Sequence[str]) -> set[str]:
        """Those of the ids that no readable event of the study has."""
        wanted = sorted(set(ids))
        here = {key for some in portions(wanted) for key in self._file.events_named(self.study, some)}
        return {*wanted} - (here - self._file.unreadable_events)

    def dangling(self, aside: Collection[str]) -> Iterator[tuple[str, str]]:
        """The references to events that are not here, each with the event that refers to it."""
        missing = self.missing([other for other, _ in self._references]) - {*aside}
        return ((where, other) for other, where in self._references if other in missing)


def _remarks(study_rows: StudyRows, seen: _SeenEvents) -> list[str]:
    """Remarks on events that were kept aside or have ids in the future."""
    study, missing = seen.study, seen.missing([row.event for row in study_rows.aside])
    remarks = []
    for row in study_rows.aside:
        if row.event not in missing:
            continue
        named = f"Study {study!r}: event {row.event} of {row.rater} from file {row.source!r}"
        remarks.append(
            f"{named} is kept aside: {row.why}."
            if row.content is not None
            else f"{named} is not here, although later events refer to it: {row.why}."
        )
    remarks += [
        f"Study {study!r}: {counted(count, 'event')} of {rater} with ids in the future: a clock was ahead."
        for rater, count in sorted(seen.ahead.items())
    ]
    return remarks


def _check_events(
    file: UntrustedStore, study_rows: StudyRows, check: StoreCheck, protocols: Protocols
) -> _SeenEvents:
    """See the study's events. Each is checked by itself and against the questions."""
    study = study_rows.study.name
    seen = _SeenEvents(file, study)
    try:
        questions = [Question.model_validate(question) for question in study_rows.study.questions]
        wordings = Wordings(study_protocol(protocols, study_rows.study), study_rows, questions, file)
    except ValidationError:
        wrong = "were altered: one of them is not a question"
    except (RequestError, StoreError, KeyError):
        wrong = "belong to a protocol or a group that this release does not know"
    else:
        _check_each_event(seen, study_rows, check, questions, wordings)
        return seen
    check.faults.append(Fault(study, "the questions", wrong))
    for _ in seen:
        pass
    return seen


def _check_each_event(
    seen: _SeenEvents,
    study_rows: StudyRows,
    check: StoreCheck,
    questions: Sequence[Question],
    wordings: "Wordings",
) -> None:
    study = seen.study
    check.faults += _missing_cases(study_rows, wordings.missing)
    check.faults += [
        Fault(study, f"act {one_line(act.id, 40)}", "has an id that no release writes")
        for act in study_rows.acts
        if not is_event_id(act.id)
    ]
    cases = {place.case for place in study_rows.sample}
    panels = panels_of(study_rows.study, study_rows.acts)
    people, acts = study_rows.raters, study_rows.acts
    acceptable = Acceptable(study, people, acts, cases, questions, panels, wordings.text_of)
    for event in seen:
        wordings.see(event)
        if fault := acceptable.fault(event):
            where = f"event {event.id} of {event.rater}"
            check.faults.append(Fault(study, where, fault.removeprefix("it ")))
    check.faults += [
        Fault(study, where, f"refers to event {one_line(other, 64)}, which is not here")
        for where, other in seen.dangling([row.event for row in study_rows.aside])
    ]
    check.outdated += wordings.outdated
    check.faults += [Fault(study, f"question {key!r}", wrong) for key, wrong in wordings.forged]


def _missing_cases(study_rows: StudyRows, missing: Collection[str]) -> Iterator[Fault]:
    """A fault for each case of the sample that is ``missing``, and for each missing earlier content."""
    before = {*cases_before(study_rows.study).values()} - {case.digest for case in study_rows.before}
    for digests, wrong in (
        (missing, "is in the sample but missing"),
        (before, "is shown beside its repair but missing"),
    ):
        for case in digests:
            yield Fault(study_rows.study.name, f"case {case[:12]}", wrong)


_Digests = tuple[tuple[str, tuple[str, ...]], ...]
"""Each question's key, with its digests for a case: as the case is worded now, and as it may have been."""


class Wordings:
    """Compares events with the wording of the study's questions.

    The wording for a case may change with its published values, so single events may have answered an earlier
    wording. If no event answered any possible wording of a question, the question was altered.
    """

    def __init__(
        self,
        protocol: Protocol,
        study_rows: StudyRows,
        questions: Sequence[Question],
        file: UntrustedStore,
    ) -> None:
        self._digests: dict[str, _Digests] = {}
        self._texts: dict[str, Mapping[str, str]] = {}
        self._answered = {question.key: Counter[str]() for question in questions}
        shared: dict[_Digests, _Digests] = {}  # most cases of a group have the same wordings
        places = {place.case: place for place in study_rows.sample}
        self.missing = {*places}
        """The cases of the sample that are not in the store."""
        for case, measured in file.contents([*places]):
            self.missing.discard(case.digest)
            if case.is_whole:
                self._texts[case.digest] = protocol.marked_texts(questions, case)
                here = measurements_here([places[case.digest]], {case.digest: measured})[case.digest]
                terms = [protocol.terms(case, known) for known in _at_all_times(here)]
                digests = tuple(
                    (question.key, tuple(question.digest(words) for words in terms)) for question in questions
                )
                self._digests[case.digest] = shared.setdefault(digests, digests)

    def text_of(self, question: Question, case: str) -> str | None:
        """The text of a case that a question of spans is about; None if the case is not whole or not here."""
        return self._texts.get(case, {}).get(question.key)

    def see(self, event: Event) -> None:
        """Compare an event's question digest with the possible wordings."""
        digests = next((of for key, of in self._digests.get(event.case, ()) if key == event.question), None)
        if digests is not None:
            now, *before = digests
            digest = event.question_digest
            self._answered[event.question][
                "now" if digest == now else "before" if digest in before else "never"
            ] += 1

    @property
    def forged(self) -> list[tuple[str, str]]:
        """Keys of questions that no event answered, each with a description of the fault."""
        return [
            (
                key,
                f"was altered, or its published values were: none of its {counted(seen['never'], 'event')} "
                "answered the stored wording",
            )
            for key, seen in self._answered.items()
            if [*seen] == ["never"]
        ]

    @property
    def outdated(self) -> int:
        """The number of events that answered an earlier wording."""
        return sum(seen.total() - seen["now"] for seen in self._answered.values() if [*seen] != ["never"])


def _at_all_times(measurements: Sequence[Measurement]) -> list[list[Measurement]]:
    """The measurements that a case may have had when asked: those of now, those before an audit, or none."""
    return [[*measurements], [value for value in measurements if value.came_with_place], []]
