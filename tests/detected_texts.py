"""Texts with a planted bias, and a model that detects it by rules, for tests.

Text 7 shows the bias with the number 7, and looks as if it showed the next one. Which of the two the model
names first is drawn by text. Referees score the side that is right higher on one criterion.
"""

import hashlib
import re
from collections.abc import Callable, Mapping

from reviewer.llm.request import ModelReply, ModelRequest
from reviewer.protocols.evaluation import Answered, Condition, EvaluationPlan
from reviewer.protocols.staged_dialogues.bias_texts import BiasTexts
from reviewer.protocols.staged_dialogues.biases import BIASES
from reviewer.protocols.staged_dialogues.debate_scores import CRITERIA
from reviewer.protocols.work import Replies, Together, Traced, Work
from reviewer.runs.run_setup import read_prompts
from store.records import Case
from tests.llm.server import Answer, Asked

TEXTS = BiasTexts()
ReplyTo = Callable[[str, str], str]
"""What a model replies, from the system message and the last one."""
_TEXT = re.compile(r"Note (\d+)\.")
_SIDES = re.compile(r"The first side argues for (.+), the second side for (.+)\.")
BETTER = "logic"


def a_bias_text(number: int = 0) -> Case:
    """A text with a number."""
    return TEXTS.case("note", {"text": f"Note {number}. We go on, since we have paid for so much already."})


def known_bias(number: int) -> str:
    """The bias that the text with this number shows."""
    return BIASES[number % len(BIASES)].name


def reply_to(system: str, last: str, right_scores: Callable[[int], bool] = lambda number: True) -> str:
    """What the model says. ``right_scores`` says on which texts the right side gets the best scores."""
    found = _TEXT.search(last)
    assert found
    number = int(found[1])
    if "at most" in last and "by their numbers" in last:
        return f"Both come into question.\nAnswer: {', '.join(map(str, _candidates(number)))}"
    if "Does the text show this bias?" in last:
        return "It does.\nAnswer: 1"
    if sides := _SIDES.search(last):
        known = known_bias(number) if right_scores(number) else BIASES[(number + 1) % len(BIASES)].name
        return _scores(number, [bias == known for bias in sides.groups()], system)
    return f"I speak for my side about note {number}."


def drawn(*what: object) -> int:
    """A number from 0 to 255 that depends on these."""
    return hashlib.sha256(repr(what).encode()).digest()[0]


def _candidates(number: int) -> list[int]:
    """The numbers of the known bias and of the next one in the list, in the order that is drawn."""
    both = [number % len(BIASES) + 1, (number + 1) % len(BIASES) + 1]
    return both if drawn("first", number) % 2 else both[::-1]


def _scores(number: int, right: list[bool], system: str) -> str:
    sides = []
    for place, is_right in enumerate(right):
        given = {name: drawn(number, name, place, system) % 6 + 3 for name in CRITERIA}
        given[BETTER] = 7 + drawn(number, place, system) % 3 if is_right else 3 + drawn(number, place) % 3
        sides.append(", ".join(f'"{name}": {score}' for name, score in given.items()))
    return f'{{"first": {{{sides[0]}}}, "second": {{{sides[1]}}}}}'


def detecting(asked: Asked) -> Answer:
    """The same model as a server."""
    messages = asked.body["messages"]
    return Answer(reply_to(str(messages[0]["content"]), asked.last))


def answered(
    plan: EvaluationPlan, case: Case, method: str, reply: ReplyTo = reply_to
) -> tuple[Answered, list[ModelRequest]]:
    """What a plan reads of a case when a model answers so, and what was asked."""
    asked: list[ModelRequest] = []
    work = plan.answering(read_prompts(plan.prompts), case, Condition.of(method=method))
    assert not isinstance(work, Mapping)
    return _worked(work, reply, asked), asked  # type: ignore[arg-type]  # the case is asked


def _worked(work: Work[Answered], reply: ReplyTo, asked: list[ModelRequest]) -> Answered:
    try:
        need = next(work)
        while True:
            need = work.send(_fulfilled(need, reply, asked))
    except StopIteration as done:
        result: Answered = done.value
        return result


def _fulfilled(need: object, reply: ReplyTo, asked: list[ModelRequest]) -> object:
    match need:
        case Replies(requests):
            asked += requests
            said = [reply(str(each.messages[0].content), str(each.messages[-1].content)) for each in requests]
            return [ModelReply(text, "", "stop", 0, 0, None, 0.0, 1, "server", "") for text in said]  # type: ignore[arg-type]
        case Together(_, works):
            return [_worked(work, reply, asked) for work in works]
        case Traced(work):
            return _worked(work, reply, asked)
    raise AssertionError(need)
