"""The works of generation: an expansion, and the steps that each of its candidates goes through."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from reviewer.core.check_result import CheckResult, result_of
from reviewer.llm.errors import OF_ONE_REQUEST, ModelError
from reviewer.protocols.generation import Draft, Generation, NoDraft, Step, StepResult
from reviewer.protocols.procedure import TriedCase
from reviewer.protocols.work import Work, together, traced
from store.records import JsonValue, canonical_json

EXPANSION = "expansion"
"""The name of the first step. It discards replies that contain no candidate."""
_MOST_KEPT = 2_000
_EMPTY = NoDraft("The expansion brought no candidate.")


@dataclass(frozen=True, slots=True)
class CandidatePipeline:
    """Asks for candidates and takes each through the steps. ``on_result`` gets every finished candidate."""

    generation: Generation
    protocol: str
    on_result: Callable[[TriedCase], None]

    def expansion(self, group: str, attempt: int, state: JsonValue) -> Work[list[TriedCase]]:
        """The results of all candidates of one expansion, in their order."""
        asked = yield from traced(self.generation.expansion(group, attempt, state))
        first = TriedCase(
            self.protocol,
            group,
            "",
            {},
            EXPANSION,
            (result_of("format", True),),
            calls=asked.calls,
            expansion=attempt,
        )
        if asked.error:
            return [self._reported(replace(self._at(first, 1), judged=(_unanswered(asked.error),)))]
        # The store counts expansions by their candidates, so one without any would be asked for again.
        drafts = enumerate(asked.result or [_EMPTY], 1)
        works = [self._candidate(self._at(first, place), _plain(draft)) for place, draft in drafts]
        return (yield from together("", works))

    def last(self, before: TriedCase) -> Work[TriedCase]:
        """The result of a candidate that passed every step, after the step at approval, if there is one."""
        step = self.generation.at_approval
        return before if step is None else (yield from self._step(before, step))

    def _at(self, first: TriedCase, place: int) -> TriedCase:
        key = self.generation.key(first.group, first.expansion, place)
        return replace(first, place=place, key=key)

    def _candidate(self, begun: TriedCase, draft: Draft | NoDraft) -> Work[TriedCase]:
        if isinstance(draft, NoDraft):
            judged = result_of("format", False, None, None, draft.why)
            return self._reported(replace(begun, payload=_beginning(draft.reply), judged=(judged,)))
        tried = replace(begun, payload=draft.payload, values=draft.values)
        for step in self.generation.steps:
            tried = yield from self._step(tried, step)
            if not tried.approved:
                break
        return self._reported(tried)

    def _step(self, before: TriedCase, step: Step) -> Work[TriedCase]:
        draft = Draft(before.group, before.payload, before.values)
        asked = yield from traced(step.check(draft))
        result = asked.result or StepResult(draft, (_unanswered(asked.error),))
        return replace(
            before,
            payload=result.draft.payload,
            values=result.draft.values,
            step=step.name,
            judged=result.judged,
            counts_as=step.counts_as,
            calls=(*before.calls, *asked.calls),
        )

    def _reported(self, tried: TriedCase) -> TriedCase:
        self.on_result(tried)
        return tried


def _plain(draft: Draft | NoDraft) -> Draft | NoDraft:
    """The draft, if it can be written as JSON and stored; else the reason why not."""
    if isinstance(draft, Draft):
        try:
            as_json = canonical_json([draft.payload, draft.values])
            as_json.encode()
        except (TypeError, ValueError):
            return NoDraft("The reply holds a number or a character that cannot be kept.")
        if not isinstance(draft.payload, Mapping):
            return NoDraft("The reply is not a JSON object.", as_json)
    return draft


def _unanswered(error: ModelError | None) -> CheckResult:
    """The result for a request without an answer; raises an error that concerns other requests too."""
    if error and not isinstance(error, OF_ONE_REQUEST):
        raise error
    return result_of("unanswered", False, None, None, str(error))


def _beginning(reply: str) -> dict[str, JsonValue]:
    """The beginning of a reply without a candidate, for people to read."""
    return {"reply": reply[:_MOST_KEPT].replace("\0", "\ufffd")} if reply else {}
