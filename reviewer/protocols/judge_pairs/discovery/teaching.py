"""The teacher: it rewrites answers, names the bias behind a misjudgement, and compares two biases."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.number_text import percent
from reviewer.core.sanitize import one_line
from reviewer.llm.request import ModelRequest
from reviewer.protocols.judge_pairs.answer_pair import AnswerPair
from reviewer.protocols.judge_pairs.bias_entry import MOST_IN_DEFINITION, is_about_length
from reviewer.protocols.judge_pairs.discovery.judging import LabelledPair, LayoutVerdict, shown_pair
from reviewer.protocols.judge_pairs.discovery.replies import AskedReply, reply_or_reason
from reviewer.protocols.judge_pairs.final_results import final_result
from reviewer.protocols.judge_pairs.rewrite import Rewrite
from reviewer.protocols.judge_pairs.rewrite_checks import MOST_CHANGE, judge_rewrite
from reviewer.protocols.prompts import Prompts
from reviewer.protocols.role import Sampling
from reviewer.protocols.work import Work
from store.records import JsonValue


@dataclass(frozen=True, slots=True)
class KnownBias:
    """A bias as teachers read it: an entry of the library, or a candidate."""

    name: str
    definition: str
    manifestations: str = ""

    @classmethod
    def of(cls, payload: Mapping[str, JsonValue]) -> "KnownBias":
        """The bias of an entry's payload."""
        return cls(str(payload["bias"]), str(payload["definition"]), str(payload.get("manifestations") or ""))

    @property
    def text(self) -> str:
        """The definition, and how the bias shows itself if that is known and both are not too long."""
        both = "\n\n".join(filter(None, (self.definition, self.manifestations)))
        return both if len(both) <= MOST_IN_DEFINITION else self.definition


@dataclass(frozen=True, slots=True)
class Teacher:
    """A teacher: its model, its prompts and what is sent beside them."""

    model: str
    prompts: Prompts
    sampling: Sampling

    def rewrite(self, labelled: LabelledPair, bias: KnownBias) -> Work[AskedReply]:
        """The rejected answer rewritten so that it shows the bias."""
        return (yield from reply_or_reason(self.rewrite_request(labelled, bias)))

    def rewrite_request(self, labelled: LabelledPair, bias: KnownBias) -> ModelRequest:
        """Asks for the rewrite."""
        length = (
            "The length may change as the description asks."
            if is_about_length(bias.name)
            else f"Keep the length within {percent(MOST_CHANGE, None)} of the {len(labelled.rejected)} "
            "characters that it has."
        )
        return self._request(
            "rewrite",
            question=labelled.pair.question,
            answer=labelled.rejected,
            bias=bias.name,
            definition=bias.text,
            length=length,
        )

    def named(
        self, labelled: LabelledPair, pair: AnswerPair, verdict: LayoutVerdict, explanation: str
    ) -> Work[AskedReply]:
        """The bias that the teacher sees behind a misjudgement."""
        return (yield from reply_or_reason(self.identification_request(labelled, pair, verdict, explanation)))

    def identification_request(
        self, labelled: LabelledPair, pair: AnswerPair, verdict: LayoutVerdict, explanation: str
    ) -> ModelRequest:
        """Asks which bias led a judge, from what it said."""
        shown = shown_pair(labelled, pair, verdict)
        return self._request("identification", **shown, explanation=explanation)

    def compared(self, one: KnownBias, other: KnownBias) -> Work[AskedReply]:
        """Whether two biases are the same; asked of one and then the other, in this order."""
        return (yield from reply_or_reason(self.sameness_request(one, other)))

    def sameness_request(self, one: KnownBias, other: KnownBias) -> ModelRequest:
        """Asks whether two biases are the same."""
        return self._request(
            "sameness",
            first=one.name,
            first_definition=one.definition,
            second=other.name,
            second_definition=other.definition,
        )

    def _request(self, prompt: str, **values: str) -> ModelRequest:
        request = ModelRequest(self.model, self.prompts.fill(prompt, **values), prompt)
        return self.sampling.applied(request, 0)


def rewrite_check(labelled: LabelledPair, bias: KnownBias, text: str) -> CheckResult:
    """The first check that a rewrite fails, else what the check of its final result says."""
    payload = {**labelled.payload(bias.text), "rewritten": text}
    try:
        rewrite = Rewrite.model_validate(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        why = f"Field {'.'.join(map(str, first['loc']))!r} of the rewrite: {one_line(first['msg'])}."
        return result_of("valid", False, why=why)
    results = {result.check: result for result in judge_rewrite(rewrite, bias.name)}
    kept, unread = results["result_kept"], results.pop("result_read")
    if failed := next((result for result in results.values() if result.state == "failed"), None):
        return failed
    lost = kept.state == "not tested" and final_result(rewrite.rejected, rewrite.benchmark) is not None
    return unread if lost else kept
