"""A judge as the reader of replies: a second model says which label a reply gives, once or several times.

What it said is kept behind the reply, so that a newer reader reads both again without a call. Of several
readings, the majority of those with a label counts.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from reviewer.core.question import Question
from reviewer.llm.request import ModelRequest
from reviewer.protocols.evaluation import Answered, LabelRead
from reviewer.protocols.judging.verdict_reading import read_verdict
from reviewer.protocols.prompts import Prompts
from reviewer.protocols.work import Work, replies_to

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
