"""Labels of other tools as events of a study: every label is matched first, then all are stored or none.

The key and the texts of a record must name the same case.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from reviewer.core.errors import InputError, RequestError
from reviewer.core.question import Question
from reviewer.core.sanitize import agreeing, counted, shown, text_fault
from reviewer.core.spans import kept_spans
from reviewer.exchange.labels.answer_matching import CORRECT_OR_LEAVE, AnswerMatching, RaterMatching, Renaming
from reviewer.exchange.labels.foreign_files import ForeignLabels, kinds_in_words, one_each
from reviewer.exchange.labels.foreign_label import ForeignLabel, KeyCandidate, LabelledItem
from reviewer.exchange.labels.verdict_storing import IncomingVerdict, StoredVerdicts, store_verdicts
from reviewer.exchange.sheets.sheet_import import unguarded_text
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.verdicts import Slot
from reviewer.study.transfer.answer_reports import contradictory_answers, late_answers_refused
from store.database import Database


@dataclass(frozen=True, slots=True)
class BookingOptions:
    """A person's statements about the labels of a file.

    ``rater`` and ``question`` are for labels that name none. ``renamed`` gives our names for those of the
    file. ``none_if_absent``: a record without an answer to a question of several labels means that none of
    them was chosen.
    """

    rater: str | None = None
    question: str | None = None
    renamed: Mapping[str, str] | None = None
    add_raters: bool = False
    none_if_absent: bool = False


AS_NAMED = BookingOptions()


@dataclass(frozen=True, slots=True)
class MatchedLabels:
    """The verdicts by rater, raters who are not in the study yet, notices, and faults."""

    verdicts: Mapping[str, Sequence[IncomingVerdict]]
    newcomers: tuple[str, ...]
    notices: tuple[str, ...]
    problems: tuple[InputError, ...]

    @property
    def count(self) -> int:
        """The number of labels."""
        return sum(verdict.label is not None for some in self.verdicts.values() for verdict in some)


def match_labels(
    bundle: StudyBundle, foreign: ForeignLabels, options: BookingOptions = AS_NAMED
) -> MatchedLabels:
    """The case, question, rater and label of every answer; nothing is written.

    Raises RequestError if the study is closed.
    """
    if bundle.study.closed_at is not None:
        raise RequestError(late_answers_refused(bundle.study.name, bundle.study.closed_at))
    booking = _Booking(bundle, foreign, options)
    for label in foreign.labels:
        booking.take(label)
    return booking.result()


def store_labels(database: Database, bundle: StudyBundle, matched: MatchedLabels) -> StoredVerdicts:
    """Store all labels in one transaction; those that are current already change nothing."""
    return store_verdicts(database, bundle, matched.verdicts, "import", meant=matched.newcomers)


class _Booking:
    """A file whose labels are matched one after the other."""

    def __init__(self, bundle: StudyBundle, foreign: ForeignLabels, options: BookingOptions) -> None:
        self._bundle, self._foreign, self._options = bundle, foreign, options
        self._renaming = Renaming(options.renamed or {}, bundle.questions)
        self._cases = CaseMatching(bundle)
        self._raters = RaterMatching(bundle, self._renaming, options.rater, add=options.add_raters)
        names = [label.rater for label in foreign.labels if label.rater is not None]
        self._raters.cut(foreign.session_prefix, names)
        self._answers = AnswerMatching(bundle.questions, self._renaming, options.question)
        self._problems = list(foreign.problems)
        self._verdicts: dict[str, list[IncomingVerdict]] = defaultdict(list)
        self._first: dict[tuple[str, Slot], IncomingVerdict] = {}
        self._counts = Counter[str]()
        self._records: dict[tuple[str, str, str], set[str]] = defaultdict(set)

    def take(self, label: ForeignLabel) -> None:
        """Match one label, or keep its fault."""
        try:
            self._match(label)
        except InputError as error:
            self._problems.append(error)

    def _match(self, label: ForeignLabel) -> None:
        if not self._answers.takes(label):
            self._counts["span"] += len(label.spans.spans) if label.spans else 0
            self._counts["whole-text label"] += label.beside_spans
            return
        rater, case = self._raters.rater_of(label), self._cases.case_of(label.item)
        question = self._answers.question_of(label)
        answered = self._records[label.where, rater, case]
        self._counts["by text"] += self._cases.is_by_text(label.item)
        if question is None:
            self._counts["empty"] += not (self._foreign.whole_answers and self._options.none_if_absent)
            return
        answered.add(question.key)
        self._check_asked(label, rater, case, question)
        if label.spans is not None and not question.answer_kind.is_marked:
            wrong = f"marks spans, and {question.key!r} is answered by {question.answer_kind.words}"
            raise InputError(
                label.where, wrong, "name the question of spans with --question, or leave it out"
            )
        answer = self._answers.answer_to(question, label, self._text(question, case))
        if answer is None and label.values is not None:
            self._counts["empty"] += 1
            return
        if fault := text_fault(label.comment):
            raise InputError(label.where, f"its comment {fault[0]}", f"{fault[1]}, or leave it out")
        self._book(
            rater, IncomingVerdict(question, case, answer, label.comment, label.where, (), label.details)
        )

    def _text(self, question: Question, case: str) -> str:
        return self._bundle.protocol.marked_text(question, self._bundle.cases[case])

    def _check_asked(self, label: ForeignLabel, rater: str, case: str, question: Question) -> None:
        if not self._bundle.asks(question.key, case):
            raise InputError(
                label.where, f"answers {question.key!r}, which the case is not asked", CORRECT_OR_LEAVE
            )
        if not self._bundle.design.asks_of(rater, case):
            raise InputError(
                label.where, f"is of a case that {shown(rater)!r} is not asked about", CORRECT_OR_LEAVE
            )
        if label.details.showing and case not in self._bundle.repeated:
            raise InputError(
                label.where, "is of a second showing of a case that is shown once", CORRECT_OR_LEAVE
            )

    def _book(self, rater: str, verdict: IncomingVerdict) -> None:
        """Add a verdict. One that repeats an earlier one adds nothing but a comment."""
        first = self._first.setdefault((rater, verdict.place), verdict)
        if first is verdict:
            self._verdicts[rater].append(verdict)
            return
        comments = {one.comment for one in (first, verdict) if one.comment}
        if first.label != verdict.label or len(comments) > 1:
            wrong = contradictory_answers(f"{first.where} and {verdict.where}")
            raise InputError(verdict.where, wrong, "leave one of the two out")
        self._counts["repeated"] += 1
        if verdict.comment and not first.comment:
            self._first[rater, verdict.place] = verdict
            self._verdicts[rater].append(replace(verdict, label=None))

    def result(self) -> MatchedLabels:
        """What was matched, with notices on all that was read in a way that may not be expected."""
        absent = list(self._absent()) if self._foreign.whole_answers else []
        if self._options.none_if_absent:
            for rater, verdict in absent:
                self._book(rater, verdict)
        newcomers = tuple(name for name in self._verdicts if name not in self._raters.known)
        notices = (*self._foreign.notices, *self._notices(absent))
        problems = tuple(one_each(self._problems))
        return MatchedLabels(dict(self._verdicts), newcomers, notices, problems)

    def _absent(self) -> Iterator[tuple[str, IncomingVerdict]]:
        """An empty set for each question of several labels that the file has and a record does not answer."""
        used = {key for answered in self._records.values() for key in answered}
        kinds = ((question, question.answer_kind) for question in self._bundle.questions)
        several = [q for q, kind in kinds if (kind.any_number or kind.is_marked) and q.key in used]
        for (where, rater, case), answered in self._records.items():
            for question in several:
                if question.key not in answered and self._bundle.asks(question.key, case):
                    text = self._text(question, case)
                    none = kept_spans(len(text), ()) if question.answer_kind.is_marked else "[]"
                    yield rater, IncomingVerdict(question, case, none, "", where)

    def _notices(self, absent: Sequence[tuple[str, IncomingVerdict]]) -> Iterator[str]:
        left_out = Counter(self._foreign.left_out)
        left_out["empty"] += self._counts["empty"]
        left_out["span"] += self._counts["span"]
        left_out["whole-text label"] += self._counts["whole-text label"]
        if left_out := +left_out:
            yield kinds_in_words(left_out)
        if repeated := self._counts["repeated"]:
            repeats = agreeing(repeated, "repeats", "repeat")
            yield f"{counted(repeated, 'label')} {repeats} another one of the file"
        if number := self._counts["by text"]:
            yield f"{counted(number, 'label')} without a key of a case, matched by its text"
        if absent:
            yield _absent_in_words(len(absent), booked=self._options.none_if_absent)
        yield from self._raters.notices()
        yield from self._not_needed()
        if self._renaming.unused:
            yield f"--rename: nothing in the file is named {', '.join(map(shown, self._renaming.unused))}"
        yield from self._stale()

    def _not_needed(self) -> Iterator[str]:
        """Options for labels that name no rater or question, where all of them do."""
        for name, given in (("rater", self._options.rater), ("question", self._options.question)):
            if given is not None and all(getattr(label, name) is not None for label in self._foreign.labels):
                yield f"--{name} {shown(given)} was not needed: the labels name their {name}s"

    def _stale(self) -> Iterator[str]:
        verdicts = (verdict for some in self._verdicts.values() for verdict in some)
        if stale := sum(verdict.case in self._bundle.stale for verdict in verdicts):
            yield (
                f"{counted(stale, 'label')} {agreeing(stale, 'is', 'are')} stale: the dataset holds other "
                "content than the study, and the file does not say which of the two was labelled"
            )


def _absent_in_words(number: int, *, booked: bool) -> str:
    """How records were read that do not answer a question of several labels."""
    what = f"{counted(number, 'missing answer')} to questions of several labels"
    if booked:
        return f"{what}, read as none of them"
    return f"{what}, which may mean that none was chosen: to read them so, give --none-if-absent"


_NAME_IT = "name the field that holds the key of a case with --key-field"
_DIGEST = re.compile(r"[0-9a-f]{64}")


class CaseMatching:
    """What a study knows its cases by."""

    def __init__(self, bundle: StudyBundle) -> None:
        self._bundle = bundle
        self._named: dict[str, set[str]] = defaultdict(set)
        for place in bundle.sample:
            for name in (place.key, place.case, f"{place.dataset}:{place.key}"):
                self._named[name].add(place.case)

    def case_of(self, item: LabelledItem) -> str:
        """The digest of the case that a record is about; raises InputError unless exactly one fits."""
        named = [(key, cases) for key in item.keys if (cases := self._cases_of(key, item))]
        if not named and any(not key.own_number for key in item.keys):
            raise self._unknown(item)
        carried = self._carried(item)
        cases = self._common(item, named, carried) if named else self._with_texts(item, carried)
        if len(cases) > 1:
            raise InputError(item.where, f"has a key of {len(cases)} cases", "add a column dataset")
        case = next(iter(cases))
        self._check_wording(item, case)
        return case

    def _common(
        self,
        item: LabelledItem,
        named: Sequence[tuple[KeyCandidate, set[str]]],
        carried: Mapping[str, set[str]],
    ) -> set[str]:
        """The cases that all keys of a record name and all its texts belong to."""
        fields = [repr(key.field) for key, _ in named]
        cases = set.intersection(*(cases for _, cases in named))
        if not cases:
            raise InputError(item.where, f"names different cases in {' and '.join(fields)}", _NAME_IT)
        if not (cases := cases.intersection(*carried.values())):
            wrong = f"names one case in {fields[0]}, and {next(iter(carried))!r} is a text of another"
            raise InputError(item.where, wrong, _NAME_IT)
        if not carried and all(key.own_number for key, _ in named):
            wrong = f"is matched only by the number that the tool itself gave it ({fields[0]})"
            raise InputError(
                item.where, wrong, f"{_NAME_IT}; if it is this one, give --key-field {fields[0]}"
            )
        return cases

    def is_by_text(self, item: LabelledItem) -> bool:
        """Whether a record was matched by its texts alone."""
        return not any(self._cases_of(key, item) for key in item.keys)

    def _cases_of(self, key: KeyCandidate, item: LabelledItem) -> set[str]:
        if _DIGEST.fullmatch(key.value) and key.value not in self._named:
            wrong = f"is about content {key.value[:12]}…, which no case of the study has"
            raise InputError(item.where, wrong, "give labels of the same content, or leave it out")
        name = f"{item.dataset}:{key.value}" if item.dataset else key.value
        return (
            self._named.get(name)
            or self._named.get(key.value if _DIGEST.fullmatch(key.value) else "")
            or set()
        )

    def _unknown(self, item: LabelledItem) -> InputError:
        key = next(key for key in item.keys if not key.own_number)
        name = f"{item.dataset}:{key.value}" if item.dataset else key.value
        return InputError(
            item.where, f"has the key {shown(name)!r}, which is not a case of the study", _NAME_IT
        )

    def _carried(self, item: LabelledItem) -> dict[str, set[str]]:
        """The fields of a record that hold a text of the study's cases, each with these cases."""
        texts = ((field, self._by_text.get(unguarded_text(text))) for field, text in item.texts)
        return {field: cases for field, cases in texts if cases}

    @cached_property
    def _by_text(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for case in self._bundle.cases.values():
            for text in case.payload.values():
                if isinstance(text, str):
                    found[unguarded_text(text)].add(case.digest)
        return dict(found)

    def _with_texts(self, item: LabelledItem, carried: Mapping[str, set[str]]) -> set[str]:
        """The case with the texts of a record that has no key."""
        cases = set[str]().union(*list(carried.values())[:1]).intersection(*carried.values())
        if not cases:
            wrong = "has no key" + (", and no case of the study has its text" if item.texts else "")
            raise InputError(item.where, wrong, _NAME_IT)
        if len(cases) > 1:
            raise InputError(item.where, f"has no key, and its text is that of {len(cases)} cases", _NAME_IT)
        return cases

    def _check_wording(self, item: LabelledItem, case: str) -> None:
        """Raise InputError if a field is named as one of the case and holds another text."""
        payload = self._bundle.cases[case].payload
        for field, text in item.texts:
            own = payload.get(field)
            if isinstance(own, str) and unguarded_text(own) != unguarded_text(text):
                wrong = f"{shown(field)!r} is not the text of {self._key(case)}"
                remedy = f"{_NAME_IT}, or leave that field out if the wording does not matter"
                raise InputError(item.where, wrong, remedy)

    def _key(self, case: str) -> str:
        place = self._bundle.places[case]
        return f"{shown(place.dataset)}:{shown(place.key)}"
