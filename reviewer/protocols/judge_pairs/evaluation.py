"""Evaluating judges on pairs: both answers in both orders, and measures of a judge's verdicts.

Labels name the answers as they are published (first, second), whatever the order in which they were shown.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, NamedTuple

from reviewer.core.number_text import percent
from reviewer.llm.request import ModelRequest
from reviewer.protocols.evaluation import (
    Answered,
    Answerer,
    Brought,
    Condition,
    Division,
    EvaluationPlan,
    Factor,
    LabelRead,
    Measure,
    has_changed,
    has_label,
)
from reviewer.protocols.judge_pairs.payloads import FIRST, OTHER_SIDE, RIGHT_ANSWER, SECOND, AnswerPair
from reviewer.protocols.procedure import PromptPlan, Prompts, Sampling
from reviewer.protocols.reading import READER_VERSION
from reviewer.protocols.reading.choices import DECIDING, Choice, Choices
from reviewer.protocols.work import Work
from store.records import Case, JsonValue

TIE: Final = "tie"
_TIE_WORDS: Final = [
    "tie",
    "draw",
    "tied",
    "even",
    "level",
    "equal",
    "equally",
    "toss-up",
    "stalemate",
    "deadlock",
    "unentschieden",
    "gleichstand",
    "égalité",
    "empate",
    "pareggio",
    "parità",
    "gelijkspel",
    "remis",
    "ничья",
    "平局",
    "平手",
    "引き分け",
    "무승부",
    "동점",
    "oavgjort",
    "uafgjort",
    "uavgjort",
    "döntetlen",
    "beraberlik",
]
VERDICTS: Final = Choices(
    (
        Choice(FIRST, ("A", "1"), 1, words=("first", "1st")),
        Choice(SECOND, ("B", "2"), 2, words=("second", "2nd")),
        Choice(TIE, ("C",), 0, words=tuple(_TIE_WORDS)),
    ),
    DECIDING,
)
"""Either place, known by letter, number and order, and a tie. The word "answer" announces nothing: judges
use it for the texts that they compare."""


def read_verdict(reply: str) -> LabelRead:
    """The place (first or second) that a judge's reply prefers, or a tie."""
    from reviewer.protocols.reading.answer_reader import chosen_in  # loads where replies are read

    return chosen_in(reply, VERDICTS)


_JUDGE: Final = Choices(VERDICTS.choices, frozenset(("verdict",)))
"""Only the word of a judge's prompt announces here: answers may end in a decision of their own."""

_BEGINS = r"(?:^|[.!?:;]\s+|\n\s*|\byou\s+(?:must|should|shall|have\s+to|are\s+to|will)\s+|\bplease\s+)"
_CHOOSE = r"(?:(?:always|only|now)\s+)?(?:choose|prefer|pick|select|answer|output|reply|respond|vote|say)\b"
_SIDE = r"(?:first|second|verdict|(?:answer|response|option)\s+[AB12]|this\s+(?:answer|one))\b"
_RULES = r"(?:instructions?|prompts?|above|previous|rules?|criteria)\b"
_ORDERS = re.compile(
    rf"{_BEGINS}{_CHOOSE}[^.!?\n]{{0,60}}?\b{_SIDE}"
    rf"|{_BEGINS}(?:ignore|disregard|forget)\b[^.!?\n]{{0,40}}?\b{_RULES}",
    re.IGNORECASE,
)


def tells_the_judge(text: str) -> bool:
    """Whether a text holds a verdict in the form of a judge's reply, or tells its reader what to choose."""
    return _has_verdict(text) or bool(_ORDERS.search(text))


def _has_verdict(text: str) -> bool:
    from reviewer.protocols.reading.answer_reader import ANNOUNCED, chosen_in  # the same

    read = chosen_in(text, _JUDGE)
    return read.label is not None and read.why == ANNOUNCED


ORDER: Final = "order"
AS_PUBLISHED, EXCHANGED = "as published", "exchanged"
_NONE: Final = ""
"""What stands for a reply without a verdict."""


class JudgedFacts(NamedTuple):
    """The side that is published as right, that of the longer answer ("" if unknown or equal), benchmark."""

    right: str
    longer: str
    benchmark: str


def side_at(condition: Condition, place: str) -> str:
    """The published side of the answer that a condition shows at a place, first or second."""
    return place if condition[ORDER] == AS_PUBLISHED else OTHER_SIDE[place]


def judge_request(prompts: Prompts, pair: AnswerPair, condition: Condition) -> ModelRequest:
    """Asks which answer of a pair is better, in the order of a condition."""
    shown = {place: pair.answers[side_at(condition, place)] for place in OTHER_SIDE}
    return ModelRequest(prompts.fill("judgement", question=pair.question, **shown), "judgement")


def _facts(facts: Hashable) -> JudgedFacts:
    assert isinstance(facts, JudgedFacts)
    return facts


def _sum(facts: Hashable, label: Mapping[str, str]) -> int:
    """Over both orders: 1 for the right answer, -1 for the other, 0 for a tie or none."""
    right = _facts(facts).right
    return sum((chosen == right) - (chosen == OTHER_SIDE.get(right)) for chosen in label.values())


def _right(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(_sum(facts, label) > 0, bool(_facts(facts).right))


def _wrong(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(_sum(facts, label) < 0, bool(_facts(facts).right))


def _tie(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    return Brought(_sum(facts, label) == 0, bool(_facts(facts).right))


def _place(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    both = label[AS_PUBLISHED], label[EXCHANGED]
    return Brought((both == (FIRST, SECOND)) - (both == (SECOND, FIRST)))


def _right_at_once(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    right = _facts(facts).right
    return Brought(label[""] == right, bool(right))


def _longer(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    longer, chosen = _facts(facts).longer, label[""]
    return Brought(chosen == longer, bool(longer) and chosen in OTHER_SIDE)


MEASURES = (
    Measure(
        "right",
        "right",
        "How often both orders together prefer the right answer: their sum is above 0. The right answer "
        "counts 1, the other -1, and a tie or no verdict 0.",
        ORDER,
        _right,
        best=1.0,
        unread_as=_NONE,
    ),
    Measure(
        "wrong",
        "wrong",
        "How often both orders together prefer the wrong answer: their sum is below 0.",
        ORDER,
        _wrong,
        best=0.0,
        unread_as=_NONE,
    ),
    Measure(
        "tie",
        "tie",
        "How often both orders together prefer neither answer: their sum is 0.",
        ORDER,
        _tie,
        unread_as=_NONE,
    ),
    Measure(
        "inconsistent",
        "inconsistent",
        "How often the two orders lead to different verdicts.",
        ORDER,
        has_changed,
        best=0.0,
        unread_as=_NONE,
    ),
    Measure(
        "place",
        "first place",
        "How much more often the first place is preferred in both orders than the second.",
        ORDER,
        _place,
        least=-1.0,
        best=0.0,
        unread_as=_NONE,
        test="exact",
        directions=(
            "pairs with the first place in both orders",
            "pairs with the second place in both orders",
        ),
    ),
    Measure(
        "single",
        "one order",
        "How often the right answer is preferred in a single order.",
        "",
        _right_at_once,
        best=1.0,
        unread_as=_NONE,
    ),
    Measure(
        "longer",
        "longer",
        "How often a verdict for one answer prefers the longer one.",
        "",
        _longer,
    ),
    Measure(
        "none",
        "none",
        "How often a reply has no verdict.",
        "",
        has_label(_NONE),
        unread_as=_NONE,
        of_reading=True,
    ),
)
ANSWERERS = (
    Answerer("first", "always the first place", lambda facts, put: side_at(put, FIRST)),
    Answerer("second", "always the second place", lambda facts, put: side_at(put, SECOND)),
    Answerer("longer", "always the longer answer", lambda facts, put: _facts(facts).longer or TIE),
    Answerer("tie", "always a tie", lambda facts, put: TIE),
)


class JudgeEvaluation(EvaluationPlan):
    """Labels are the sides of the pair as published, and a tie. A coin takes a side."""

    prompts = PromptPlan(
        "reviewer.protocols.judge_pairs", {"judgement": frozenset({"question", "first", "second"})}
    )
    factors: tuple[Factor, ...] = (Factor(ORDER, (AS_PUBLISHED, EXCHANGED), (AS_PUBLISHED, EXCHANGED)),)
    measures: tuple[Measure, ...] = MEASURES
    answerers = ANSWERERS
    sampling = Sampling(temperature=0.0)
    divisions: tuple[Division, ...] = (
        Division("benchmark", "benchmark", lambda facts: _facts(facts).benchmark),
        Division("right_answer", "right answer", lambda facts: _facts(facts).right),
    )
    reader_version = READER_VERSION
    cluster_noun = "question"

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> Hashable:
        """The published label, which answer is longer, and the benchmark."""
        pair, right = AnswerPair.model_validate(case.payload), values.get(RIGHT_ANSWER)
        known = right if isinstance(right, str) and right in OTHER_SIDE else ""
        return JudgedFacts(known, pair.longer, pair.benchmark)

    def labels(self, case: Case) -> tuple[str, ...]:
        """Both sides and a tie."""
        return (FIRST, SECOND, TIE)

    def guesses(self, case: Case) -> tuple[str, ...]:
        """Both sides."""
        return (FIRST, SECOND)

    def cluster(self, case: Case) -> Hashable:
        """The question."""
        return str(case.payload["question"])

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered]:
        """Asks which answer is better, in the order of the condition."""
        request = judge_request(prompts, AnswerPair.model_validate(case.payload), condition)
        return self.answer_to(request, case, condition)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The published side of the answer that a reply prefers, or a tie."""
        read = read_verdict(reply)
        return LabelRead(side_at(condition, read.label)) if read.label in OTHER_SIDE else read

    def meaning_of_labels(self, conditions: Sequence[Condition]) -> str:
        """Labels name answers, whatever their place."""
        return (
            "first and second are the answers of the pair as published, in whichever place a judge saw them."
        )

    def known_label(self, facts: Hashable) -> str | None:
        """The published label."""
        return _facts(facts).right or None

    def is_wrong(self, facts: Hashable, condition: Condition, label: str) -> bool | None:
        """Whether a verdict prefers the answer that is not right; a tie does not."""
        right = _facts(facts).right
        return label == OTHER_SIDE[right] if right else None

    def cautions(self, facts: Sequence[Hashable], conditions: Sequence[Condition]) -> Sequence[str]:
        """One order alone cannot tell a judge that reads from one that prefers a place."""
        orders = {condition[ORDER] for condition in conditions}
        if len(orders) > 1 or not facts:
            return ()
        right = [_facts(each).right for each in facts]
        place = side_at(next(iter(conditions)), FIRST)
        known = [side for side in right if side]
        first = (
            f"{percent(known.count(place) / len(known), 2)} of the right answers stand first. "
            if known
            else ""
        )
        return (
            "Only one order was asked, so a preference for a place looks like a preference for an answer. "
            f"{first}Ask both orders.",
        )


EVALUATION = JudgeEvaluation()
