"""Reads a judge's reply into an answer to the question, by the one reader of replies, or says why it cannot.

The reasons are few and fixed, so that they can be counted: what the reader says of doubt, and the two here.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from reviewer.core.kept_answers import answer_with
from reviewer.core.question import Question
from reviewer.protocols.evaluation import LabelRead
from reviewer.protocols.reading import READER_VERSION

VERDICT_READER: Final = READER_VERSION + 1
"""Raised with the one reader, and whenever this module reads otherwise."""
OWN_LABEL: Final = "answers with a label of its own"
IN_PROSE: Final = "answers in prose"
NONE_OF_THEM: Final = "0"
"""What a judge writes where none of several labels holds."""
_LINE: Final = re.compile(r"^\W*(?:\w+ )?(\w+)\W*?[:：]\s*(\S.*?)\s*$", re.MULTILINE)
_SIGNS: Final = "*_`\"'()[]<>. "
_LISTED: Final = re.compile(r"[,;]")
_JOINED: Final = re.compile(r"\band\b")
_MOST_OF_LINE: Final = 2_000


def read_verdict(reply: str, question: Question) -> LabelRead:
    """The answer that a reply gives, or why there is none."""
    return _read_set(reply, question) if question.answer_kind.any_number else _read_label(reply, question)


def _read_label(reply: str, question: Question) -> LabelRead:
    from reviewer.protocols.reading.answer_reader import chosen_in  # these load where replies are read
    from reviewer.protocols.reading.choices import Choices
    from reviewer.protocols.reading.firmness import HOW, NO_DECISION, NO_SIDE, Firmness

    read = chosen_in(reply, Choices.numbered(question.labels))
    if read.label is None:
        own = read.why in (NO_SIDE, NO_DECISION) and _last_line(reply)
        return LabelRead(None, OWN_LABEL if own else IN_PROSE if read.why == NO_DECISION else read.why)
    if read.why == HOW[Firmness.FAVOURED]:  # words such as "yes" within its reasons
        return LabelRead(None, IN_PROSE)
    return LabelRead(question.labels[int(read.label) - 1], read.why)


def _read_set(reply: str, question: Question) -> LabelRead:
    """Several labels, in any order."""
    labels, why = named_labels(reply, question.labels)
    return LabelRead(None if labels is None else answer_with(question, labels), why)


def named_labels(reply: str, labels: Sequence[str]) -> tuple[list[str] | None, str]:
    """The labels that the last announced answer of a reply names, in its order, by number or name.

    None if there is no such answer or it names something else. The text says how it was read, or why not.
    """
    from reviewer.protocols.reading.answer_reader import ANNOUNCED, heard

    text, why = heard(reply)
    if why:
        return None, why
    if not (said := _last_line(text)):
        return None, IN_PROSE
    if said.strip(_SIGNS) == NONE_OF_THEM:
        return [], ANNOUNCED
    named = [*_labels(said, labels)]
    known = [label for label in named if label]
    return (None, OWN_LABEL) if len(known) < len(named) else (list(dict.fromkeys(known)), ANNOUNCED)


def _labels(said: str, labels: Sequence[str]) -> Iterator[str | None]:
    """The label of each part of a line; None for a part that names no label. A label may contain "and"."""
    known = {label.casefold(): label for label in labels}
    known |= {str(number): label for number, label in enumerate(labels, 1)}
    for part in _LISTED.split(said):
        if whole := known.get(part.strip(_SIGNS).casefold()):
            yield whole
        else:
            joined = [some.strip(_SIGNS).casefold() for some in _JOINED.split(part)]
            yield from (known.get(some) for some in joined if some or len(joined) == 1)


def _last_line(reply: str) -> str:
    """What stands behind the last "Answer:" of a reply, or such a word of another language; "" if none."""
    from reviewer.protocols.reading.choices import ANNOUNCERS

    lines = _LINE.findall(reply[-_MOST_OF_LINE:])
    return next((said for word, said in reversed(lines) if word.casefold() in ANNOUNCERS), "")
