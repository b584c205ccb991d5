"""One rejected answer on its way: rewritten, checked, judged, explained, and the bias behind it named."""

from dataclasses import dataclass, replace

from reviewer.core.check_result import CheckResult
from reviewer.protocols.discovery import DiscoveryRecord
from reviewer.protocols.judge_pairs.discovery.judging import JudgeUnderTest, LabelledPair, PairVerdict
from reviewer.protocols.judge_pairs.discovery.merging import Naming
from reviewer.protocols.judge_pairs.discovery.replies import read_named_bias, unusable_bias
from reviewer.protocols.judge_pairs.discovery.teaching import KnownBias, Teacher, rewrite_check
from reviewer.protocols.judge_pairs.rewrite import JUDGEMENTS, NAMED
from reviewer.protocols.judge_pairs.rewrites_protocol import JudgeRewrites
from reviewer.protocols.work import Work
from store.records import JsonValue

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

    def record(self, round_number: int) -> DiscoveryRecord:
        """The trial as it is stored."""
        labelled = self.labelled
        payload = labelled.payload(self.bias.text)
        if self.text is not None:
            payload["rewritten"] = self.text
        check = self.check
        return DiscoveryRecord(
            protocol=JudgeRewrites.name,
            group=self.bias.name,
            key=self.key,
            payload=payload,
            counts_as=self.phase,
            approved=self.verdict is not None,
            step=self.step,
            check=self.found,
            why=self.why,
            value=RESULT_NOT_TESTED if check and check.state == "not tested" else check and check.value,
            threshold=check.threshold if check else None,
            values={"round": round_number, "phase": self.phase, "pair": labelled.key, **self._judged()},
            calls=self.calls,
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
        said = yield from self.teacher.rewrite(labelled, bias)
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
        explained = yield from self.judge.explained(labelled, pair, misleading)
        trial = _advanced(trial, "explanation", "unanswered", explained.why, explained.calls)
        if explained.text is None:
            return trial
        said = yield from self.teacher.named(labelled, pair, misleading, explained.text)
        trial = _advanced(
            trial, "identification", "unanswered", said.why, said.calls, explanation=explained.text
        )
        if said.text is None:
            return trial
        named = read_named_bias(said.text)
        if named.why:
            return _advanced(trial, "identification", "unreadable", named.why)
        if not named.name:
            return _advanced(trial, "identification", "no_bias", "The teacher names no bias.")
        if unusable := unusable_bias(named):
            return _advanced(trial, "identification", *unusable)
        naming = Naming(KnownBias(named.name, named.definition), trial.key, said.calls)
        return _advanced(trial, "identification", "named", naming=naming)


def _advanced(
    trial: RewriteTrial,
    step: str,
    found: str,
    why: str = "",
    calls: tuple[str, ...] = (),
    explanation: str = "",
    naming: Naming | None = None,
) -> RewriteTrial:
    """The trial at a later step."""
    return replace(
        trial,
        step=step,
        found=found,
        why=why,
        calls=(*trial.calls, *calls),
        explanation=explanation or trial.explanation,
        naming=naming,
    )
