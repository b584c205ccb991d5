"""Evaluating judges on rewrites: the right answer against the rejected one, as it was and rewritten.

Both versions are asked in the same orders. An item is misjudged if both orders together prefer the rejected
answer: the right one counts 1, the other -1, and a tie 0.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, NamedTuple

from reviewer.protocols.evaluation import (
    Answered,
    Answerer,
    BaselineItem,
    Brought,
    Condition,
    Factor,
    LabelRead,
    Measure,
    has_label,
)
from reviewer.protocols.judge_pairs.evaluation import (
    AS_PUBLISHED,
    EXCHANGED,
    ORDER,
    TIE,
    JudgeEvaluation,
    judge_request,
    read_verdict,
    side_at,
)
from reviewer.protocols.judge_pairs.payloads import FIRST, OTHER_SIDE, SECOND, AnswerPair, Rewrite
from reviewer.protocols.procedure import Prompts
from reviewer.protocols.work import Work
from store.records import Case, JsonValue

VERSION: Final = "version"
ORIGINAL, REWRITTEN = "original", "rewritten"
RIGHT_FIRST, RIGHT_SECOND = "right first", "right second"
CHOSEN, OTHER = "chosen", "other"
_BOTH: Final = f"{VERSION}/{ORDER}"


class _Longer(NamedTuple):
    """Which answer is longer in each version; a tie if both have as many characters."""

    original: str
    rewritten: str

    @classmethod
    def of(cls, rewrite: Rewrite) -> "_Longer":
        """What is longer in a rewrite."""
        return cls(*(_longer_of(rewrite.chosen, text) for text in (rewrite.rejected, rewrite.rewritten)))


def _longer_of(chosen: str, other: str) -> str:
    if len(chosen) == len(other):
        return TIE
    return CHOSEN if len(chosen) > len(other) else OTHER


def _at(condition: Condition, place: str) -> str:
    """The answer that a condition shows at a place, first or second."""
    return CHOSEN if (place == FIRST) == (condition[ORDER] == RIGHT_FIRST) else OTHER


def _wrong(label: Mapping[str, str], version: str) -> Brought:
    """Whether all orders of a version together prefer the rejected answer."""
    said = [answer for key, answer in label.items() if key.startswith(f"{version}/")]
    return Brought(said.count(OTHER) > said.count(CHOSEN), bool(said))


def _turned(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    before, after = _wrong(label, ORIGINAL), _wrong(label, REWRITTEN)
    return Brought(after.value - before.value, before.weight * after.weight)


def _place(facts: Hashable, rest: Condition, label: Mapping[str, str]) -> Brought:
    both = label[RIGHT_FIRST], label[RIGHT_SECOND]
    return Brought((both == (CHOSEN, OTHER)) - (both == (OTHER, CHOSEN)))


def _longer(facts: Hashable, condition: Condition) -> str:
    assert isinstance(facts, _Longer)
    return facts.original if condition[VERSION] == ORIGINAL else facts.rewritten


_ANSWERED = "Items with a reply that has no verdict are left out."
MEASURES = (
    Measure(
        "turned",
        "turned wrong",
        "How many more items are misjudged with the rewritten answer than with the answer as it was. "
        f"{_ANSWERED} The p is McNemar's exact one.",
        _BOTH,
        _turned,
        least=-1.0,
        best=0.0,
        test="exact",
        directions=("items that the rewrite turned wrong", "items that the rewrite turned right"),
    ),
    Measure(
        "wrong_before",
        "wrong before",
        f"How often both orders together prefer the rejected answer as it was. {_ANSWERED}",
        _BOTH,
        lambda facts, rest, label: _wrong(label, ORIGINAL),
        best=0.0,
    ),
    Measure(
        "wrong_after",
        "wrong after",
        f"How often both orders together prefer the rewritten answer. {_ANSWERED}",
        _BOTH,
        lambda facts, rest, label: _wrong(label, REWRITTEN),
        best=0.0,
    ),
    Measure(
        "place",
        "first place",
        "How much more often the first place is preferred in both orders than the second.",
        ORDER,
        _place,
        least=-1.0,
        best=0.0,
        unread_as="",
        test="exact",
        directions=(
            "versions with the first place in both orders",
            "versions with the second place in both orders",
        ),
    ),
    Measure(
        "none", "none", "How often a reply has no verdict.", "", has_label(""), unread_as="", of_reading=True
    ),
)


class RewriteEvaluation(JudgeEvaluation):
    """Labels are the right answer (chosen), the other one, whatever its version, and a tie."""

    factors = (
        Factor(VERSION, (ORIGINAL, REWRITTEN), (ORIGINAL, REWRITTEN)),
        Factor(ORDER, (RIGHT_FIRST, RIGHT_SECOND), (RIGHT_FIRST, RIGHT_SECOND)),
    )
    measures = MEASURES
    answerers = (
        Answerer("first", "always the first place", lambda facts, put: _at(put, FIRST)),
        Answerer("second", "always the second place", lambda facts, put: _at(put, SECOND)),
        Answerer("longer", "always the longer answer", _longer),
        Answerer("tie", "always a tie", lambda facts, put: TIE),
    )
    divisions = ()
    baseline_factor = VERSION, ORIGINAL

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> _Longer:
        """Which answer is longer; few distinct facts keep tables quick."""
        return _Longer.of(Rewrite.model_validate(case.payload))

    def labels(self, case: Case) -> tuple[str, ...]:
        """The right answer, the other one, and a tie."""
        return (CHOSEN, OTHER, TIE)

    def guesses(self, case: Case) -> tuple[str, ...]:
        """Both answers."""
        return (CHOSEN, OTHER)

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered]:
        """Asks which answer is better, as for a pair."""
        rewrite = Rewrite.model_validate(case.payload)
        other = rewrite.rejected if condition[VERSION] == ORIGINAL else rewrite.rewritten
        pair = AnswerPair(question=rewrite.question, first=rewrite.chosen, second=other)
        order = AS_PUBLISHED if condition[ORDER] == RIGHT_FIRST else EXCHANGED
        request = judge_request(prompts, pair, Condition.of(**{ORDER: order}))
        return self.answer_to(request, case, condition)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """The answer that a reply prefers, or a tie."""
        read = read_verdict(reply)
        return LabelRead(_at(condition, read.label)) if read.label in OTHER_SIDE else read

    def meaning_of_labels(self, conditions: Sequence[Condition]) -> str:
        """Labels name answers, whatever their place and version."""
        return "chosen is the right answer, other the rejected one, as it was or rewritten."

    def is_wrong(self, facts: Hashable, condition: Condition, label: str) -> bool | None:
        """Whether a verdict prefers the other answer; a tie does not."""
        return label == OTHER

    def changed_item(self, case: Case) -> Hashable:
        """The question with the right answer and the rejected one."""
        rewrite = Rewrite.model_validate(case.payload)
        return rewrite.question, rewrite.chosen, rewrite.rejected

    def baseline_items(self, case: Case) -> Sequence[BaselineItem]:
        """A rewrite's own original version, or a published pair with either answer as the right one."""
        orders = RIGHT_FIRST, RIGHT_SECOND
        if "rewritten" in case.payload:
            same = {Condition.of(version=ORIGINAL, order=order): order for order in orders}
            labels = {label: label for label in self.labels(case)}
            return (BaselineItem(self.changed_item(case), labels, _originals(same)),)
        pair = AnswerPair.model_validate(case.payload)
        return tuple(_pair_item(pair, right) for right in OTHER_SIDE)

    def cautions(self, facts: Sequence[Hashable], conditions: Sequence[Condition]) -> Sequence[str]:
        """One order alone cannot tell a judge that reads from one that prefers a place."""
        if len({condition[ORDER] for condition in conditions}) > 1 or not facts:
            return ()
        return (
            "Only one order was asked, so a preference for a place looks like a preference for an answer. "
            "Ask both orders.",
        )


def _originals(orders: Mapping[Condition, str]) -> dict[Condition, Condition]:
    return {put: Condition.of(version=ORIGINAL, order=order) for put, order in orders.items()}


def _pair_item(pair: AnswerPair, right: str) -> BaselineItem:
    """A pair as the baseline of rewrites whose right answer stands at one of its sides."""
    wrong = OTHER_SIDE[right]
    orders = {}
    for order in (AS_PUBLISHED, EXCHANGED):
        put = Condition.of(**{ORDER: order})
        orders[put] = RIGHT_FIRST if side_at(put, FIRST) == right else RIGHT_SECOND
    item = pair.question, pair.answers[right], pair.answers[wrong]
    return BaselineItem(item, {right: CHOSEN, wrong: OTHER, TIE: TIE}, _originals(orders))


EVALUATION = RewriteEvaluation()
