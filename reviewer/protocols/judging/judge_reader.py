"""A judge as the reader of replies: a second model says which label a reply gives.

What it said is kept behind the reply, so that a newer reader reads both again without a call.
"""

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
_SAID: Final = "── what the judge that read the reply said ──"


def read_by_judge(
    request: ModelRequest, prompts: Prompts, labels: Sequence[str], guideline: str
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
    (said,) = yield from replies_to(ModelRequest(messages, READING), role=READER)
    whole = f"{reply.text}\n\n{_SAID}\n{said.text.replace(_SAID, '')}"
    return Answered(whole, read_judged(whole, labels))


def read_judged(reply: str, labels: Sequence[str]) -> LabelRead:
    """The label that the judge found in a reply; the last mark is ours, whatever the reply contains."""
    _, mark, said = reply.rpartition(_SAID)
    if not mark:
        return LabelRead(None, "no judge read the reply")
    offered = (*labels, _NONE)
    question = Question(key=READING, title=READING, prompt=READING, labels=offered, shows=(READING,))
    read = read_verdict(said, question)
    return LabelRead(None, NO_LABEL) if read.label == _NONE else read
