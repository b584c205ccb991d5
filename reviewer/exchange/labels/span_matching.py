"""Spans of another tool as an answer: offsets in the text of the study, with labels that the question has."""

from collections.abc import Callable, Sequence

from reviewer.core.errors import InputError
from reviewer.core.question import Question
from reviewer.core.sanitize import shown
from reviewer.core.spans import LabelledSpan, Spans, kept_spans, marks_fault, read_spans, span_fault
from reviewer.core.suggestions import closest
from reviewer.exchange.labels.foreign_label import ForeignLabel, ForeignSpan, ForeignSpans

_CORRECT = "correct it, or leave it out"
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
        raise InputError(label.where, fault, _CORRECT)
    return kept_spans(len(text), spans)


def _written(question: Question, label: ForeignLabel, text: str) -> Spans:
    """Spans in a cell of a table: "4:8:insult; 10:25:threat"."""
    try:
        return tuple(
            span for value in label.values or () for span in read_spans(value, question.labels, text)
        )
    except ValueError as error:
        raise InputError(label.where, str(error), _CORRECT) from None


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
        raise InputError(where, f"has a span {span.start}:{span.end} that {wrong}", _CORRECT)
    if span.quote is not None and _words(span.quote) != _words(text[start:end]):
        here, there = shown(text[start:end]), shown(span.quote)
        wrong = f"says that {span.start}:{span.end} is {there!r}, where the study has {here!r}"
        raise InputError(where, wrong, _SAME_TEXT)
    return LabelledSpan(start, end, label)


def _words(text: str) -> Sequence[str]:
    """The words of a text; some tools write line ends as a backslash and a letter."""
    return text.replace("\\n", " ").split()
