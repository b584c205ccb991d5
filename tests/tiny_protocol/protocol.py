"""TINY: a dialogue with five variants of its last reply, two of which are compared. No Prolog anywhere."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.dialogue import Dialogue, Turn
from reviewer.core.pane import Pair, Pane, Text, Variants
from reviewer.core.question import Question, Sides
from reviewer.protocols.base import MachineCheck, Protocol
from reviewer.protocols.common_panes import findings_pane
from reviewer.protocols.procedure import ModelTask
from store.records import Case, Finding, Measurement

PREFERENCE = Question(
    key="preference",
    title="preference",
    prompt="Which reply serves the user better?",
    guideline="Judge what the reply does for the user, not how long it is.",
    labels=("first", "second", "tie"),
    shows=("pair",),
    beside=("dialogue",),
    reveals=("findings",),
    sides=Sides(titles=("reply 1", "reply 2"), mirrored=(("first", "second"),), neutral=("dialogue",)),
)
FIT = Question(
    key="fit",
    title="fit",
    prompt="How well do the five replies fit a dialogue on {topic}?",
    guideline="1: not at all. 7: perfectly.",
    labels=tuple("1234567"),
    scale="ordinal",
    shows=("dialogue", "replies"),
    reveals=("findings",),
)


class TinyPayload(BaseModel, extra="forbid"):
    """Turns (who, what), and five replies that could follow; the first and the last are compared."""

    turns: list[tuple[str, str]] = Field(min_length=1)
    replies: list[str] = Field(min_length=5, max_length=5)


class Tiny(Protocol):
    """Groups come from the file, and the checks only read the case."""

    name = "tiny"
    title = "TINY"
    payload_model = TinyPayload
    payload_version = 1
    questions = (PREFERENCE, FIT)
    machine_checks = {
        "same_reply": MachineCheck("serious", asks="Is a reply there twice?"),
        "short_reply": MachineCheck("doubtful", asks="Does a reply have fewer than three words?"),
    }
    concerns = {"short_reply": FIT.key}

    def terms(self, case: Case, measurements: Sequence[Measurement]) -> Mapping[str, str]:
        return {"topic": case.group}

    def headline(self, case: Case) -> str:
        return str(case.payload["turns"][0][1])

    def judge(self, case: Case, values: Mapping[str, float]) -> tuple[CheckResult, ...]:
        replies = case.payload["replies"]
        same = sorted({reply for reply in replies if replies.count(reply) > 1})
        short = [reply for reply in replies if len(reply.split()) < 3]
        return (
            result_of("same_reply", not same, same, why=f"Twice: {', '.join(same)}" if same else ""),
            result_of("short_reply", not short, short, 3, f"Too short: {', '.join(short)}" if short else ""),
        )

    def procedures(self) -> Sequence[ModelTask]:
        from tests.tiny_protocol.generation import PLAN
        from tests.tiny_protocol.judging import JUDGE

        return PLAN, JUDGE

    def panes(
        self, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
    ) -> Sequence[Pane]:
        payload = TinyPayload.model_validate(case.payload)
        replies = tuple((f"reply {n}", Text(reply)) for n, reply in enumerate(payload.replies, 1))
        (_, first), *_, (_, second) = replies
        return [
            Pane("pair", "replies", Pair("the first", "the second", first, second, compared=False)),
            Pane("dialogue", "dialogue", Dialogue(tuple(Turn(*turn) for turn in payload.turns))),
            Pane("replies", "all replies", Variants(replies)),
            *findings_pane(findings),
        ]
