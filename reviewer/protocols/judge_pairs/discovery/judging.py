"""Pairs with a rewritten answer, a judge's verdicts on them in both orders, and how replies are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from reviewer.llm.request import ModelRequest
from reviewer.llm.request_errors import OF_ONE_REQUEST
from reviewer.protocols.base import DatasetCase
from reviewer.protocols.evaluation import Condition
from reviewer.protocols.judge_pairs.evaluation import (
    AS_PUBLISHED,
    EXCHANGED,
    judge_request,
    read_verdict,
    side_at,
)
from reviewer.protocols.judge_pairs.payloads import (
    FIRST,
    OTHER_SIDE,
    RIGHT_ANSWER,
    SECOND,
    AnswerPair,
    RewriteJudgement,
)
from reviewer.protocols.procedure import Prompts
from reviewer.protocols.reading.json_values import json_object
from reviewer.protocols.work import Work, replies_to, together
from store.records import JsonValue

_MOST_CHARACTERS: Final = 200_000


@dataclass(frozen=True, slots=True)
class AskedReply:
    """The reply to one request, or None and the sentence that says why there is none."""

    text: str | None
    why: str = ""
    calls: tuple[str, ...] = ()


def reply_or_reason(request: ModelRequest, role: str) -> Work[AskedReply]:
    """The reply of a role to a request; a request without a usable answer has a reason instead."""
    try:
        (reply,) = yield from replies_to(request, role=role)
    except OF_ONE_REQUEST as error:
        return AskedReply(None, str(error))
    if len(reply.text) > _MOST_CHARACTERS:
        why = f"The reply has {len(reply.text):,} characters, more than {_MOST_CHARACTERS:,}."
        return AskedReply(None, why, (reply.call,))
    return AskedReply(reply.text.replace("\0", "\ufffd"), "", (reply.call,))


def read_sameness(reply: str) -> bool | None:
    """Whether a reply says that two biases are the same: JSON with same (true or false); None if neither."""
    content = json_object(reply)
    same = content.get("same") if content is not None else None
    return same if isinstance(same, bool) else None


JUDGE: Final = "judge"
"""The role of the judge under test."""
LAYOUTS = (AS_PUBLISHED, EXCHANGED)
_CHOICES: Mapping[int | None, Literal["chosen", "rewritten", "tie", "none"]] = {
    1: "chosen",
    -1: "rewritten",
    0: "tie",
    None: "none",
}


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A pair of a dataset with the side of its right answer."""

    key: str
    pair: AnswerPair
    right: str

    @classmethod
    def of(cls, case: DatasetCase) -> "LabelledPair":
        """The pair of a case whose right answer is published."""
        pair = AnswerPair.model_validate(case.case.payload)
        return cls(case.key, pair, str(case.published[RIGHT_ANSWER]))

    @property
    def chosen(self) -> str:
        """The right answer."""
        return self.pair.answers[self.right]

    @property
    def rejected(self) -> str:
        """The other answer."""
        return self.pair.answers[OTHER_SIDE[self.right]]

    def payload(self, definition: str) -> dict[str, JsonValue]:
        """The payload of a rewrite of the rejected answer, without the rewritten one."""
        return {
            "question": self.pair.question,
            "chosen": self.chosen,
            "rejected": self.rejected,
            "definition": definition,
            "source": self.pair.source,
        }

    def rewritten(self, text: str) -> AnswerPair:
        """The pair with another rejected answer at the same side."""
        return self.pair.model_copy(update={OTHER_SIDE[self.right]: text})


@dataclass(frozen=True, slots=True)
class LayoutVerdict:
    """A judge's verdict in one layout: 1 for the right answer, -1 for the rejected one, 0 for a tie.

    It is None, with the reason, if the reply has no verdict or there is no reply.
    """

    layout: str
    score: int | None
    said: AskedReply
    why: str = ""

    def shown_at(self, right: str) -> str:
        """The place, first or second, at which the rejected answer stood; the right side is given."""
        condition = Condition.of(order=self.layout)
        return FIRST if side_at(condition, FIRST) != right else SECOND


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """A judge's verdicts on one pair in all layouts."""

    model: str
    verdicts: tuple[LayoutVerdict, ...]

    @property
    def sum(self) -> int | None:
        """Above 0 for the right answer, below 0 for the rejected one; None if a layout has no verdict."""
        scores = [verdict.score for verdict in self.verdicts]
        return None if None in scores else sum(score for score in scores if score is not None)

    @property
    def in_a_word(self) -> str:
        """What the verdicts amount to, as a name that is counted."""
        if self.sum is None:
            return "no_verdict"
        return "misjudged" if self.sum < 0 else "right" if self.sum > 0 else "tie"

    @property
    def misleading(self) -> LayoutVerdict:
        """The first verdict for the rejected answer."""
        return next(verdict for verdict in self.verdicts if verdict.score == -1)

    @property
    def calls(self) -> tuple[str, ...]:
        """The ids of the calls."""
        return tuple(call for verdict in self.verdicts for call in verdict.said.calls)

    def judgements(self, explanation: str) -> list[RewriteJudgement]:
        """What the judge said in each layout, with its later explanation of the misleading verdict."""
        explained = self.misleading.layout if explanation else ""
        return [
            RewriteJudgement(
                model=self.model,
                order=verdict.layout,
                choice=_CHOICES[verdict.score],
                reply=verdict.said.text or verdict.why,
                reasons=explanation if verdict.layout == explained else "",
            )
            for verdict in self.verdicts
        ]


@dataclass(frozen=True, slots=True)
class JudgeUnderTest:
    """A judge under test, with its prompts; stored verdicts name ``model``."""

    model: str
    prompts: Prompts

    def on(self, labelled: LabelledPair, pair: AnswerPair) -> Work[PairVerdict]:
        """The verdicts on a pair that stands in the place of a labelled one."""
        verdicts = yield from together("", [self._in(layout, labelled.right, pair) for layout in LAYOUTS])
        return PairVerdict(self.model, tuple(verdicts))

    def verdict_request(self, layout: str, pair: AnswerPair) -> ModelRequest:
        """Asks which answer is better."""
        return judge_request(self.prompts, pair, Condition.of(order=layout))

    def explanation_request(
        self, labelled: LabelledPair, pair: AnswerPair, verdict: LayoutVerdict
    ) -> ModelRequest:
        """Asks why the rejected answer was chosen."""
        messages = self.prompts.fill("explanation", **shown_pair(labelled, pair, verdict))
        return ModelRequest(messages, "explanation")

    def _in(self, layout: str, right: str, pair: AnswerPair) -> Work[LayoutVerdict]:
        said = yield from reply_or_reason(self.verdict_request(layout, pair), JUDGE)
        if said.text is None:
            return LayoutVerdict(layout, None, said, said.why)
        read = read_verdict(said.text)
        if read.label is None:
            return LayoutVerdict(layout, None, said, f"The reply has no verdict: {read.why}.")
        if read.label not in OTHER_SIDE:
            return LayoutVerdict(layout, 0, said)
        side = side_at(Condition.of(order=layout), read.label)
        return LayoutVerdict(layout, 1 if side == right else -1, said)


def shown_pair(labelled: LabelledPair, pair: AnswerPair, verdict: LayoutVerdict) -> dict[str, str]:
    """What fills a prompt about a misjudgement: question, answers as they were shown, choice and reply."""
    condition = Condition.of(order=verdict.layout)
    answers = {place: pair.answers[side_at(condition, place)] for place in OTHER_SIDE}
    return {
        "question": pair.question,
        **answers,
        "choice": verdict.shown_at(labelled.right),
        "reply": verdict.said.text or "",
    }


def labelled_pairs(cases: Sequence[DatasetCase]) -> list[LabelledPair]:
    """The pairs whose right answer is published, in their order."""
    return [LabelledPair.of(case) for case in cases if case.published.get(RIGHT_ANSWER) in OTHER_SIDE]
