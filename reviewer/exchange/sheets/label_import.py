"""Labels of other tools as events of a study: every label is matched first, then all are stored or none."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.answers import answer_fault, answer_with
from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import checked_name
from reviewer.core.question import Question
from reviewer.core.sanitize import agreeing, counted, shown
from reviewer.core.suggestions import closest
from reviewer.exchange.sheets.foreign_labels import ForeignLabel, ForeignLabels
from reviewer.exchange.sheets.sheet_import import StoredSheets, store_verdicts
from reviewer.exchange.sheets.sheet_matching import SheetVerdict
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.transfer.answer_reports import contradictory_answers, late_answers_refused
from store.database import Database

_CORRECT = "correct it, or leave it out"


@dataclass(frozen=True, slots=True)
class MatchedLabels:
    """The verdicts by rater, raters who are not in the study yet, notices, and what is wrong."""

    verdicts: Mapping[str, Sequence[SheetVerdict]]
    newcomers: tuple[str, ...]
    notices: tuple[str, ...]
    problems: tuple[InputError, ...]

    @property
    def count(self) -> int:
        """The number of labels."""
        return sum(map(len, self.verdicts.values()))


def match_labels(
    bundle: StudyBundle,
    foreign: ForeignLabels,
    *,
    rater: str | None = None,
    renamed: Mapping[str, str] | None = None,
    add_raters: bool = False,
) -> MatchedLabels:
    """The case, question, rater and label of every answer; nothing is written.

    ``rater`` is for files that name none. ``renamed`` gives our names for those of the file. Raises
    RequestError if the study is closed.
    """
    if bundle.study.closed_at is not None:
        raise RequestError(late_answers_refused(bundle.study.name, bundle.study.closed_at))
    matching = _Matching(bundle, rater, renamed or {}, add_raters)
    verdicts: dict[str, list[SheetVerdict]] = defaultdict(list)
    problems = list(foreign.problems)
    for label in foreign.labels:
        try:
            name, verdict = matching.match(label)
        except InputError as error:
            problems.append(error)
        else:
            if verdict is not None:
                verdicts[name].append(verdict)
    newcomers = tuple(name for name in verdicts if name not in matching.known)
    notices = (*foreign.notices, *_stale(bundle, verdicts))
    return MatchedLabels(dict(verdicts), newcomers, notices, tuple(problems))


def store_labels(database: Database, bundle: StudyBundle, matched: MatchedLabels) -> StoredSheets:
    """Store all labels in one transaction; those that are current already change nothing."""
    return store_verdicts(database, bundle, matched.verdicts, "import")


def _stale(bundle: StudyBundle, verdicts: Mapping[str, Sequence[SheetVerdict]]) -> Iterator[str]:
    stale = sum(verdict.case in bundle.stale for some in verdicts.values() for verdict in some)
    if stale:
        are = agreeing(stale, "is", "are")
        yield (
            f"{counted(stale, 'label')} {are} stale: the dataset holds other content than the study, and the "
            "file does not say which of the two was labelled"
        )


class _Matching:
    """What a study knows its cases, questions and raters by."""

    def __init__(
        self, bundle: StudyBundle, rater: str | None, renamed: Mapping[str, str], add_raters: bool
    ) -> None:
        self._bundle, self._rater, self._renamed, self._add = bundle, rater, renamed, add_raters
        self.known = {person.rater for person in bundle.raters}
        self._adjudicators = {person.rater for person in bundle.adjudicators}
        self._cases: dict[str, set[str]] = defaultdict(set)
        for place in bundle.sample:
            for name in (place.key, place.case, f"{place.dataset}:{place.key}"):
                self._cases[name].add(place.case)
        self._questions = {
            name.casefold(): question
            for question in bundle.questions
            for name in (question.title, question.key)
        }
        self._given: dict[tuple[str, str, str], tuple[str, str]] = {}

    def match(self, label: ForeignLabel) -> tuple[str, SheetVerdict | None]:
        """The rater and the verdict, None for one that repeats an earlier one; raises InputError."""
        rater, case = self._rater_of(label), self._case_of(label)
        question = self._question_of(label)
        if not self._bundle.asks(question.key, case):
            raise InputError(label.where, f"answers {question.key!r}, which the case is not asked", _CORRECT)
        if not self._bundle.design.asks_of(rater, case):
            raise InputError(label.where, f"is of a case that {shown(rater)!r} is not asked about", _CORRECT)
        value = self._value_of(label, question)
        place = (rater, case, question.key)
        before, where = self._given.setdefault(place, (value, label.where))
        if before != value:
            wrong = contradictory_answers(f"{where} and {label.where}")
            raise InputError(label.where, wrong, "leave one of the two out")
        if where != label.where:
            return rater, None
        return rater, SheetVerdict(question, case, value, label.comment, label.where, 0)

    def _rater_of(self, label: ForeignLabel) -> str:
        said = self._ours(label.rater) if label.rater is not None else self._rater
        if said is None:
            raise InputError(label.where, "names no rater", "name the rater of the file with --rater")
        # Prodigy puts the name of the dataset before the annotator's.
        name = next((name for name in (said, said.rpartition("-")[2]) if name in self.known), said)
        if name in self.known:
            return name
        if name in self._adjudicators:
            raise InputError(label.where, f"{shown(name)!r} adjudicates in this study", _CORRECT)
        if not self._add or self._bundle.design.raters_declared:
            raise self._stranger(label, name)
        try:
            return checked_name("rater", name)
        except RequestError as error:
            raise InputError(label.where, str(error).rstrip("."), "give --rename") from None

    def _stranger(self, label: ForeignLabel, name: str) -> InputError:
        """Nobody can be added to a study whose raters were named when it was made."""
        declared = self._bundle.design.raters_declared
        wrong = f"rater {shown(name)!r} is not in study {self._bundle.study.name!r}"
        wrong += ", whose raters were named when it was made" if declared else ""
        remedy = (
            f"give --rename {shown(name)}=NAME for the name that the rater has here "
            f"({', '.join(sorted(self.known)) or 'nobody so far'}), or "
        )
        remedy += "make a study without --rater, which anybody may join" if declared else "give --add-raters"
        return InputError(label.where, wrong, remedy)

    def _case_of(self, label: ForeignLabel) -> str:
        names = [f"{label.dataset}:{key}" if label.dataset else key for key in label.keys]
        cases = [self._cases[name] for name in names if name in self._cases]
        if not cases:
            wrong = (
                f"has the key {shown(names[0])!r}, which is not a case of the study"
                if names
                else "has no key"
            )
            raise InputError(
                label.where, wrong, "name the field that holds the key of a case with --key-field"
            )
        if len(cases[0]) > 1:
            raise InputError(label.where, f"has a key of {len(cases[0])} cases", "add a column dataset")
        return next(iter(cases[0]))

    def _question_of(self, label: ForeignLabel) -> Question:
        questions = self._bundle.questions
        if label.question is None or (name := self._ours(label.question).casefold()) not in self._questions:
            if len(questions) == 1 and label.question is None:
                return questions[0]
            keys = [question.key for question in questions]
            if label.question is None:
                raise InputError(label.where, "names no question", f"add a question: {', '.join(keys)}")
            wrong = f"answers {shown(label.question)!r}, which the study does not ask"
            remedy = closest(label.question, keys, "give --rename THEIRS=OURS with one of")
            raise InputError(label.where, wrong, remedy)
        return self._questions[name]

    def _value_of(self, label: ForeignLabel, question: Question) -> str:
        if question.kind == "text":
            answer = "\n".join(label.values)
        else:
            chosen = self._labels_of(label, question)
            answer = answer_with(question, chosen) if question.kind == "labels" else chosen[0]
            if question.kind == "label" and len(chosen) != 1:
                raise InputError(
                    label.where, f"chooses {len(chosen)} labels of {question.key!r}", "choose one"
                )
        if fault := answer_fault(question, answer):
            raise InputError(label.where, fault, _CORRECT)
        return answer

    def _labels_of(self, label: ForeignLabel, question: Question) -> list[str]:
        """Our labels for the values, or for the names beside them if these are the labels."""
        ours = {known.casefold(): known for known in question.labels}

        def all_of(names: Sequence[str]) -> list[str | None]:
            return [ours.get(self._ours(name).strip().casefold()) for name in names]

        for names in (label.from_labels, label.values):
            found = all_of(names)
            if found and all(found):
                return [name for name in found if name is not None]
        strange = next((name for name in label.values if not all_of([name])[0]), "")
        wrong = f"says {shown(strange)!r}, which is not a label of {question.key!r}"
        remedy = closest(strange, question.labels, "give --rename THEIRS=OURS with one of")
        raise InputError(label.where, wrong, remedy)

    def _ours(self, name: str) -> str:
        return self._renamed.get(name, name)
