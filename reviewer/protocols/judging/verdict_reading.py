"""Reads a judge's reply into an answer to the question, by the one reader of replies, or says why it cannot.

The reasons are few and fixed, so that they can be counted: what the reader says of doubt, and the two here.
A judge may also read the replies of others: it says which label a reply gives, once or several times.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from reviewer.core.question import Question, answer_with
from reviewer.llm.request import ModelRequest
from reviewer.protocols.evaluation import Answered, LabelRead
from reviewer.protocols.procedure import Prompts
from reviewer.protocols.reading import READER_VERSION
from reviewer.protocols.work import Work, replies_to

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


READER: Final = "reader"
"""The role of the model that reads replies."""
READING: Final = "reading"
"""The name of its prompt."""
READING_PLACEHOLDERS: Final = frozenset({"asked", "reply", "guideline", "answers"})
JUDGES_PACKAGE: Final = "reviewer.protocols.judging"
NO_LABEL: Final = "the judge finds no label"
_NONE: Final = "none of these labels"
TIED: Final = "the readings of the judge are tied"
_SAID: Final = "── what the judge that read the reply said ──"
_AGAIN: Final = "── what it said in another reading ──"
_REPEATS_A_READING: Final = 1_000
"""Repeat numbers reserved for each reading, so that repeats of a run make readings of their own."""


def read_by_judge(
    request: ModelRequest, prompts: Prompts, labels: Sequence[str], guideline: str, readings: int = 1
) -> Work[Answered]:
    """The work of one request to a model, whose reply a judge reads."""
    (reply,) = yield from replies_to(request)
    numbered = [f"{number}. {label}" for number, label in enumerate((*labels, _NONE), 1)]
    messages = prompts.fill(
        READING,
        asked=request.messages[-1].content,
        reply=reply.text,
        guideline=guideline or "The label that the reply gives in its own words.",
        answers="\n".join(numbered),
    )
    repeats = (number * _REPEATS_A_READING for number in range(readings))
    requests = [ModelRequest(messages, READING, repeat=repeat) for repeat in repeats]
    said = yield from replies_to(*requests, role=READER)
    texts = (each.text.replace(_SAID, "").replace(_AGAIN, "") for each in said)
    whole = f"{reply.text}\n\n{_SAID}\n" + f"\n{_AGAIN}\n".join(texts)
    return Answered(whole, read_judged(whole, labels))


def read_judged(reply: str, labels: Sequence[str]) -> LabelRead:
    """The label that the judge found in a reply; the last mark is ours, whatever the reply contains."""
    _, mark, said = reply.rpartition(_SAID)
    if not mark:
        return LabelRead(None, "no judge read the reply")
    reads = [_read_one(text, labels) for text in said.split(_AGAIN)]
    if len(reads) == 1:
        return reads[0]
    votes = Counter(read.label for read in reads if read.label).most_common(2)
    if not votes:
        return LabelRead(None, reads[0].why)
    (label, most), *others = votes
    if others and others[0][1] == most:
        return LabelRead(None, TIED)
    return LabelRead(label, f"{most} of {len(reads)} readings")


def reply_alone(reply: str) -> str:
    """A kept reply without what the judge said of it."""
    before, mark, _ = reply.rpartition(f"\n\n{_SAID}")
    return before if mark else reply


def _read_one(said: str, labels: Sequence[str]) -> LabelRead:
    offered = (*labels, _NONE)
    question = Question(key=READING, title=READING, prompt=READING, labels=offered, shows=(READING,))
    read = read_verdict(said, question)
    return LabelRead(None, NO_LABEL) if read.label == _NONE else read
