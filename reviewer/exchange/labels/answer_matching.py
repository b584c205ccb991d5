"""What a label of another tool answers, with which of our labels or spans, and which rater gave it."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from unicodedata import category

from reviewer.core.answer_kinds import NONE_OF_THEM
from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import checked_name, closest, likeness, lookalike_form
from reviewer.core.question import Question, answer_fault, answer_with
from reviewer.core.ranked_outputs import ranking_text, written_ranking
from reviewer.core.sanitize import shown
from reviewer.core.spans import LabelledSpan, Spans, kept_spans, marks_fault, read_spans, span_fault
from reviewer.core.strict_json import value_in
from reviewer.exchange.labels.foreign_label import ForeignLabel, ForeignSpan, ForeignSpans
from reviewer.study.design.study_bundle import StudyBundle

CORRECT_OR_LEAVE = "correct it, or leave it out"
_OURS = "give --rename THEIRS=OURS with one of"
_BETWEEN = re.compile(r"[;|#,]")
_MISSING = ("nan", "na", "n/a", "#n/a", "null", "-", "–")
"""Words that tables have in empty cells; a question may have one of them as its label."""


def _typed(theirs: str, ours: str) -> str:
    """A renaming as it is typed: invisible characters as escapes, in quotes with which shells take them."""
    signs = f"{shown(theirs)}={shown(ours)}"
    escaped = "".join(f"\\u{ord(sign):04x}" if category(sign) == "Cf" else sign for sign in signs)
    return signs if escaped == signs else f"$'{escaped}'"


class Renaming(dict[str, str]):
    """Our names for those of a file: raters, questions and labels alike.

    A name is renamed where its new name fits: "1" may be a rater and a label at once.
    """

    def __init__(self, names: Mapping[str, str], questions: Sequence[Question]) -> None:
        super().__init__(names)
        answers = (name for q in questions for name in (q.key, q.title, *q.labels))
        self.of_answers = {name.casefold() for name in answers}
        """The names of questions and labels, in small letters."""
        self.used: set[str] = set()

    def ours(self, name: str, fits: Callable[[str], bool]) -> str:
        """Our name, or the same where it has no other that fits."""
        if (renamed := self.get(name)) is not None and fits(renamed):
            self.used.add(name)
            return renamed
        return name

    @property
    def unused(self) -> list[str]:
        """The names that nothing in the file bears."""
        return [name for name in self if name not in self.used]


class AnswerMatching:
    """The questions of a study. ``question`` is the one of labels that name none."""

    def __init__(self, questions: Sequence[Question], renaming: Renaming, question: str | None) -> None:
        self._questions, self._renaming = questions, renaming
        self._named = {name.casefold(): q for q in questions for name in (q.title, q.key)}
        self._default = questions[0] if len(questions) == 1 else None
        self._marked = [question for question in questions if question.answer_kind.is_marked]
        if question is not None:
            self._default = self._chosen(question)

    def question_of(self, label: ForeignLabel) -> Question | None:
        """The question; None if nothing was chosen and no question is named. Raises InputError."""
        if label.question is not None:
            return self._question_named(label.question, label.where)
        if label.spans is not None and len(self._marked) == 1 and self._default not in self._marked:
            return self._marked[0]
        if self._default is None and label.values:
            keys = ", ".join(question.key for question in self._questions)
            raise InputError(label.where, "names no question", f"name it with --question, one of {keys}")
        return self._default

    def answer_to(self, question: Question, label: ForeignLabel, text: str) -> str | None:
        """The answer as the ledger keeps it, None if it is missing; raises InputError.

        ``text`` is the text whose parts are marked for a question of spans.
        """
        if question.answer_kind.is_marked:
            return spans_answer(question, label, text, self._ours)
        if label.values is None or (not label.values and not question.answer_kind.any_number):
            return None
        if question.answer_kind.is_ranked:
            return self._ranking(label, question)
        if question.answer_kind.is_written:
            answer = "\n".join(label.values)
        else:
            chosen = self._labels_of(label, question)
            if chosen is None:
                return None
            if question.answer_kind.is_label and len(chosen) != 1:
                wrong = f"chooses {len(chosen)} labels of {question.key!r}"
                raise InputError(label.where, wrong, "choose one")
            answer = answer_with(question, chosen)
        if fault := answer_fault(question, answer):
            raise InputError(label.where, fault, CORRECT_OR_LEAVE)
        return answer

    def _ranking(self, label: ForeignLabel, question: Question) -> str | None:
        """The ranking in a cell, such as B > A = C, or a list of outputs from the best to the worst."""
        assert label.values is not None
        text = label.values[0] if len(label.values) == 1 else json.dumps(label.values, ensure_ascii=False)
        if text.strip().casefold() in _MISSING:
            return None
        try:
            ranking = written_ranking(text, question.labels, lambda name: self._ours(question, name))
        except ValueError as error:
            wrong = f"{shown(text)!r} does not rank the outputs of {question.key!r}: {error}"
            raise InputError(label.where, wrong, CORRECT_OR_LEAVE) from error
        return ranking_text(ranking, question.labels)

    def takes(self, label: ForeignLabel) -> bool:
        """Whether the study may take a label: spans answer only questions of spans, and labels others."""
        if label.beside_spans:
            return len(self._marked) < len(self._questions)
        return label.spans is None or bool(self._marked)

    def _chosen(self, name: str) -> Question:
        if name.casefold() not in self._named:
            others = closest(name, [question.key for question in self._questions], "give one of")
            raise RequestError(f"--question {name!r} is not asked in the study; {others}.")
        return self._named[name.casefold()]

    def _question_named(self, name: str, where: str) -> Question:
        ours = self._renaming.ours(name, lambda renamed: renamed.casefold() in self._named)
        if ours.casefold() not in self._named:
            wrong = f"answers {shown(name)!r}, which the study does not ask"
            raise InputError(where, wrong, closest(name, [q.key for q in self._questions], _OURS))
        return self._named[ours.casefold()]

    def _labels_of(self, label: ForeignLabel, question: Question) -> list[str] | None:
        """Our labels for the values, or for the same answer in the tool's other words; None if missing."""
        assert label.values is not None
        values = (
            _split(label.values, question, self._ours) if question.answer_kind.any_number else label.values
        )
        readings = [
            chosen
            for words in (values, label.or_values)
            if words and all(chosen := [self._ours(question, word) or "" for word in words])
        ]
        if len(readings) > 1 and set(readings[0]) != set(readings[1]):
            both = f"{', '.join(label.values)} and {', '.join(label.or_values)}"
            wrong = f"can be read in two ways, {shown(both)}, and both are labels of {question.key!r}"
            raise InputError(label.where, wrong, CORRECT_OR_LEAVE)
        if readings or not values:
            return readings[0] if readings else []
        if len(values) == 1 and values[0].strip().casefold() in _MISSING:
            return None
        strange = next(value for value in values if self._ours(question, value) is None)
        wrong = f"says {shown(strange)!r}, which is not a label of {question.key!r}"
        raise InputError(label.where, wrong, closest(strange, question.labels, _OURS))

    def _ours(self, question: Question, value: str) -> str | None:
        """Our label for a value, in any case of letters; None if there is none. 4.0 is 4."""
        labels = {known.casefold(): known for known in question.labels}
        name = self._renaming.ours(value, lambda renamed: renamed.strip().casefold() in labels)
        plain = name.strip().casefold()
        return labels.get(plain) or labels.get(re.sub(r"(?<=\d)\.0+$", "", plain))


def _split(
    values: Sequence[str], question: Question, ours: Callable[[Question, str], str | None]
) -> Sequence[str]:
    """The labels of a set that a table holds in one cell: a JSON list, or labels with a sign between."""
    if len(values) != 1 or ours(question, values[0]) is not None:
        return values
    (cell,) = values
    if cell.strip().casefold() == NONE_OF_THEM:
        return ()
    listed = value_in(cell)
    if isinstance(listed, list) and all(isinstance(one, str) for one in listed):
        return listed
    parts = [part.strip() for part in _BETWEEN.split(cell)]
    return parts if all(ours(question, part) is not None for part in parts) else values


class RaterMatching:
    """The raters of a study, and those of a file that join it.

    ``rater`` is for labels that name none. The tool's prefix of all names is cut unless one of the whole
    names is known in the study.
    """

    def __init__(self, bundle: StudyBundle, renaming: Renaming, rater: str | None, *, add: bool) -> None:
        self._bundle, self._renaming, self._rater, self._add = bundle, renaming, rater, add
        self.known = {person.rater for person in bundle.raters}
        self._adjudicators = {person.rater for person in bundle.adjudicators}
        self._alike = {lookalike_form(name): name for name in (*self.known, *self._adjudicators)}
        self._prefix = ""
        self._matched: dict[str, str | tuple[str, str]] = {}

    def cut(self, prefix: str, names: Sequence[str]) -> None:
        """Cut what a tool put before all names, unless one of the whole names is known."""
        if not any(name in self.known or name in self._renaming for name in names):
            self._prefix = prefix

    def rater_of(self, label: ForeignLabel) -> str:
        """Our name of the rater; raises InputError."""
        said = label.rater if label.rater is not None else self._rater
        if said is None:
            raise InputError(label.where, "names no rater", "name the rater of the file with --rater")
        if said not in self._matched:
            try:
                self._matched[said] = self._match(said)
            except InputError as error:
                self._matched[said] = (error.wrong, error.remedy)
        matched = self._matched[said]
        if isinstance(matched, tuple):
            raise InputError(label.where, *matched)
        return matched

    def notices(self) -> Iterator[str]:
        """How names were read."""
        if self._prefix and self._matched:
            yield f"{shown(self._prefix)!r}, the name of the data set, was cut from the names of all raters"
        same: dict[str, list[str]] = {}
        for said, ours in self._matched.items():
            if isinstance(ours, str):
                same.setdefault(ours, []).append(shown(said))
        for ours, names in same.items():
            if len(names) > 1:
                yield f"{' and '.join(names)} of the file are both rater {ours}"

    def _match(self, said: str) -> str:
        name = self._renaming.ours(said.removeprefix(self._prefix), self._may_be)
        if name in self.known:
            return name
        if name in self._adjudicators:
            raise InputError("", f"{shown(name)!r} adjudicates in this study", "correct it, or leave it out")
        alike = self._alike.get(lookalike_form(name))
        if alike is not None and alike != name and said not in self._renaming:
            raise self._looks_alike(said, name, alike)
        if not self._add or self._bundle.design.raters_declared:
            raise self._stranger(name)
        try:
            self._alike.setdefault(lookalike_form(name), checked_name("rater", name))
        except RequestError as error:
            raise InputError("", str(error).rstrip("."), "give --rename") from None
        return name

    def _may_be(self, name: str) -> bool:
        """Whether a renaming is of a rater: questions and labels are renamed in the same way."""
        return name in self.known or name.casefold() not in self._renaming.of_answers

    def _looks_alike(self, said: str, name: str, alike: str) -> InputError:
        wrong = f"rater {shown(name)!r} looks like {shown(alike)!r} ({likeness(name, alike)})"
        remedy = f"give --rename {_typed(said, alike)} if they are one person"
        if self._add:
            remedy += f", or --rename {_typed(said, name)} if they are two"
        return InputError("", wrong, remedy)

    def _stranger(self, name: str) -> InputError:
        """Nobody can be added to a study whose raters were named when it was made."""
        declared = self._bundle.design.raters_declared
        wrong = f"rater {shown(name)!r} is not in study {self._bundle.study.name!r}"
        wrong += ", whose raters were named when it was made" if declared else ""
        remedy = (
            f"give --rename {_typed(name, 'NAME')} for the name that the rater has here "
            f"({', '.join(sorted(self.known)) or 'nobody so far'}), or "
        )
        remedy += "make a study without --rater, which anybody may join" if declared else "give --add-raters"
        return InputError("", wrong, remedy)


_SAME_TEXT = "import spans of the same text, or leave it out"
_AROUND = 12

OursOf = Callable[[Question, str], str | None]
"""Our label for one of the file; None if there is none."""


def spans_answer(question: Question, label: ForeignLabel, text: str, ours: OursOf) -> str | None:
    """The answer as the ledger keeps it; None if it is missing. Raises InputError."""
    if label.spans is not None:
        spans = _foreign(question, label.spans, label.where, text, ours)
    elif label.values is None:
        return None
    elif len(label.values) == 1 and question.answer_kind.fault(question, label.values[0]) is None:
        if fault := marks_fault(text, label.values[0]):
            raise InputError(label.where, fault, _SAME_TEXT)
        return label.values[0]
    else:
        spans = _written(question, label, text)
    if fault := span_fault(text, spans):
        raise InputError(label.where, fault, CORRECT_OR_LEAVE)
    return kept_spans(len(text), spans)


def _written(question: Question, label: ForeignLabel, text: str) -> Spans:
    """Spans in a cell of a table: "4:8:insult; 10:25:threat"."""
    try:
        return tuple(
            span for value in label.values or () for span in read_spans(value, question.labels, text)
        )
    except ValueError as error:
        raise InputError(label.where, str(error), CORRECT_OR_LEAVE) from None


def _foreign(question: Question, foreign: ForeignSpans, where: str, text: str, ours: OursOf) -> Spans:
    _check_text(foreign, where, text)
    spans = [(span, _ours(question, span, where, ours)) for span in foreign.spans]
    # Label Studio counts in units of UTF-16, except where an import counted otherwise: quotes tell.
    ways: list[Callable[[int], int | None]] = [_in_units(text), lambda offset: offset]
    faults: list[InputError] = []
    for way in ways if foreign.utf_16 else ways[1:]:
        try:
            return tuple(_placed(span, label, way, where, text) for span, label in spans)
        except InputError as error:
            faults.append(error)
        if any(span.quote is None for span, _ in spans):
            break
    raise faults[0]


def _ours(question: Question, span: ForeignSpan, where: str, ours: OursOf) -> str:
    label = ours(question, span.label)
    if label is None:
        wrong = f"has a span of {shown(span.label)!r}, which is not a label of {question.key!r}"
        remedy = closest(span.label, question.labels, "give --rename THEIRS=OURS with one of")
        raise InputError(where, wrong, remedy)
    return label


def _check_text(foreign: ForeignSpans, where: str, text: str) -> None:
    """Raise InputError if the spans are of another text than the study's: offsets would name other words."""
    least = max((span.end for span in foreign.spans), default=0)
    able = [other for other in foreign.texts if len(other.encode("utf-16-le")) // 2 >= least]
    if text in foreign.texts or not able:
        return
    other = max(able, key=lambda known: _same_until(known, text))
    at = _same_until(other, text)
    ours, theirs = (shown(one[at : at + _AROUND]) or "its end" for one in (text, other))
    wrong = f"marks another text than the study's: at character {at} it has {theirs!r}, the study {ours!r}"
    raise InputError(where, wrong, _SAME_TEXT)


def _same_until(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _in_units(text: str) -> Callable[[int], int | None]:
    """Gives the character at an offset in units of UTF-16; None within a character, and behind the text."""
    offsets, units = {0: 0}, 0
    for at, character in enumerate(text, 1):
        units += 1 + (ord(character) > 0xFFFF)
        offsets[units] = at
    return offsets.get


def _placed(
    span: ForeignSpan, label: str, way: Callable[[int], int | None], where: str, text: str
) -> LabelledSpan:
    start, end = way(span.start), way(span.end)
    if start is None or end is None or end > len(text):
        beyond = span.end > len(text)
        wrong = "ends behind the text of the study" if beyond else "cuts a letter apart"
        raise InputError(where, f"has a span {span.start}:{span.end} that {wrong}", CORRECT_OR_LEAVE)
    if span.quote is not None and _words(span.quote) != _words(text[start:end]):
        here, there = shown(text[start:end]), shown(span.quote)
        wrong = f"says that {span.start}:{span.end} is {there!r}, where the study has {here!r}"
        raise InputError(where, wrong, _SAME_TEXT)
    return LabelledSpan(start, end, label)


def _words(text: str) -> Sequence[str]:
    """The words of a text; some tools write line ends as a backslash and a letter."""
    return text.replace("\\n", " ").split()
