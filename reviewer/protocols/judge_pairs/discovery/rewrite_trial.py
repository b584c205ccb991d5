"""One rejected answer on its way: rewritten, checked, judged, explained, and the bias behind it named."""

from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.sanitize import one_line
from reviewer.protocols.judge_pairs.discovery.judging import (
    JUDGE,
    JudgeUnderTest,
    LabelledPair,
    PairVerdict,
    reply_or_reason,
)
from reviewer.protocols.judge_pairs.discovery.teaching import (
    TEACHER,
    KnownBias,
    Naming,
    Teacher,
    rewrite_check,
)
from reviewer.protocols.judge_pairs.evaluation import tells_the_judge
from reviewer.protocols.judge_pairs.payloads import JUDGEMENTS, NAMED, BiasEntry
from reviewer.protocols.judge_pairs.rewrites_protocol import JudgeRewrites
from reviewer.protocols.procedure import TriedCase
from reviewer.protocols.reading.json_values import json_object
from reviewer.protocols.work import Work
from store.records import JsonValue

_UNREADABLE = "unreadable"
DISCOVERY, VALIDATION = "rewrites", "validation rewrites"
RESULT_NOT_TESTED = "final result not tested"


@dataclass(frozen=True, slots=True)
class RewriteTrial:
    """What became of one rewrite: the last step, what was found there, and a sentence if it went no further.

    ``check`` is that of the rewrite itself. ``verdict`` is None unless the check let it pass.
    """

    key: str
    phase: str
    labelled: LabelledPair
    bias: KnownBias
    step: str
    found: str
    why: str = ""
    text: str | None = None
    check: CheckResult | None = None
    verdict: PairVerdict | None = None
    explanation: str = ""
    naming: Naming | None = None
    calls: tuple[str, ...] = ()

    @property
    def is_misjudged(self) -> bool:
        """Whether the judge preferred the rewrite to the right answer."""
        return self.verdict is not None and self.verdict.sum is not None and self.verdict.sum < 0

    def record(self, round_number: int) -> TriedCase:
        """The trial as it is stored."""
        labelled = self.labelled
        payload = labelled.payload(self.bias.text)
        if self.text is not None:
            payload["rewritten"] = self.text
        check = self.check
        value = RESULT_NOT_TESTED if check and check.state == "not tested" else check and check.value
        threshold = check.threshold if check else None
        return TriedCase(
            protocol=JudgeRewrites.name,
            group=self.bias.name,
            key=self.key,
            payload=payload,
            counts_as=self.phase,
            step=self.step,
            judged=(result_of(self.found, self.verdict is not None, value, threshold, self.why),),
            values={"round": round_number, "phase": self.phase, "pair": labelled.key, **self._judged()},
            calls=self.calls,
            expansion=round_number,
        )

    def _judged(self) -> dict[str, JsonValue]:
        if self.verdict is None:
            return {}
        said = [one.model_dump(mode="json") for one in self.verdict.judgements(self.explanation)]
        return {JUDGEMENTS: said, **({NAMED: self.naming.bias.name} if self.naming else {})}


@dataclass(frozen=True, slots=True)
class RewriteWork:
    """What teacher and judge do with one rejected answer."""

    teacher: Teacher
    judge: JudgeUnderTest

    def judged(self, key: str, phase: str, labelled: LabelledPair, bias: KnownBias) -> Work[RewriteTrial]:
        """The answer rewritten, checked and judged in both orders."""

        def ended(found: str, why: str) -> RewriteTrial:
            return RewriteTrial(key, phase, labelled, bias, "rewrite", found, why)

        if not labelled.rejected.strip():
            return ended("empty_answer", "The rejected answer is empty, so nothing can be rewritten.")
        if labelled.rejected == labelled.chosen:
            return ended("identical_answers", "Both answers are the same text.")
        said = yield from reply_or_reason(self.teacher.rewrite_request(labelled, bias), TEACHER)
        if said.text is None:
            return RewriteTrial(
                key, phase, labelled, bias, "rewrite", "unanswered", said.why, calls=said.calls
            )
        text = said.text.strip()
        check = rewrite_check(labelled, bias, text)
        if check.state == "failed":
            found = (check.check, check.why, text, check)
            return RewriteTrial(key, phase, labelled, bias, "rewrite", *found, calls=said.calls)
        verdict = yield from self.judge.on(labelled, labelled.rewritten(text))
        calls = (*said.calls, *verdict.calls)
        why = next((each.why for each in verdict.verdicts if each.score is None), "")
        judged = ("judgement", verdict.in_a_word, why, text, check, verdict)
        return RewriteTrial(key, phase, labelled, bias, *judged, calls=calls)

    def explored(self, key: str, labelled: LabelledPair, bias: KnownBias) -> Work[RewriteTrial]:
        """The answer judged and, if it was misjudged, explained and the bias behind it named."""
        trial = yield from self.judged(key, DISCOVERY, labelled, bias)
        return (yield from self._named(trial)) if trial.is_misjudged else trial

    def _named(self, trial: RewriteTrial) -> Work[RewriteTrial]:
        labelled, verdict = trial.labelled, trial.verdict
        assert verdict is not None
        assert trial.text is not None
        pair, misleading = labelled.rewritten(trial.text), verdict.misleading
        request = self.judge.explanation_request(labelled, pair, misleading)
        explained = yield from reply_or_reason(request, JUDGE)
        trial = _advanced(trial, "explanation", "unanswered", explained.why, explained.calls)
        if explained.text is None:
            return trial
        request = self.teacher.identification_request(labelled, pair, misleading, explained.text)
        said = yield from reply_or_reason(request, TEACHER)
        trial = _advanced(
            trial, "identification", "unanswered", said.why, said.calls, explanation=explained.text
        )
        if said.text is None:
            return trial
        named = read_named_bias(said.text)
        if not isinstance(named, KnownBias):
            return _advanced(trial, "identification", *named)
        naming = Naming(named, trial.key, said.calls)
        return _advanced(trial, "identification", "named", naming=naming)


def read_named_bias(reply: str) -> KnownBias | tuple[str, str]:
    """The bias that a reply names: JSON with bias (true or false), name and definition.

    Else the check that the reply or the bias fails, and why.
    """
    content = json_object(reply)
    if content is None:
        return _UNREADABLE, "The reply is not one JSON object."
    bias = content.get("bias")
    if not isinstance(bias, bool):
        return _UNREADABLE, "The reply does not say true or false for bias."
    if not bias:
        return "no_bias", "The teacher names no bias."
    name, definition = content.get("name"), content.get("definition")
    if not isinstance(name, str) or not name.strip() or not isinstance(definition, str):
        return _UNREADABLE, "The reply names no bias with a definition."
    if not definition.strip():
        return _UNREADABLE, "The reply names a bias without a definition."
    named = KnownBias(" ".join(name.split()), definition.strip())
    return _why_unusable(named) or named


def _why_unusable(named: KnownBias) -> tuple[str, str] | None:
    try:
        BiasEntry.model_validate({"bias": named.name, "definition": named.definition})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        why = f"Its {first['loc'][0]}: {one_line(first['msg'].removeprefix('Value error, '))}."
        return "not_an_entry", why
    if tells_the_judge(f"{named.name}\n{named.definition}"):
        return "tells_the_judge", "The name or the definition tells a judge which answer to choose."
    return None


def _advanced(
    trial: RewriteTrial,
    step: str,
    found: str,
    why: str = "",
    calls: tuple[str, ...] = (),
    **more: Any,
) -> RewriteTrial:
    """The trial at a later step."""
    return replace(trial, step=step, found=found, why=why, calls=(*trial.calls, *calls), **more)
