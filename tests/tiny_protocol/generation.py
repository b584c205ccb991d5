"""TINY's generation: a topic, then a dialogue about it; rounds tell each other which topics were had."""

import json
from collections.abc import Mapping, Sequence

import reviewer.protocols.generation as g
from reviewer.core.check_result import result_of
from reviewer.llm.request import ModelRequest
from reviewer.protocols.procedure import PromptPlan, Prompts
from reviewer.protocols.work import Work, replies_to
from store.records import Case, JsonValue

Cases = Mapping[str, Sequence[Case]]


class TinyGeneration(g.Generation):
    def __init__(self, settings: g.GenerationSettings, prompts: Prompts, seeds: Cases, seed: int):
        self.settings, self._prompts = settings, prompts
        self._examples = {group: json.dumps(cases[0].payload) for group, cases in seeds.items()}
        self.steps = (g.Step("replies", self._replies),)

    def expansion(self, group: str, attempt: int, state: JsonValue) -> Work[Sequence[g.Draft | g.NoDraft]]:
        done = ", ".join(state["topics"]) if state else "none"
        (topic,) = yield from replies_to(self._request("topic", group, attempt, done=done))
        (reply,) = yield from replies_to(self._request("dialogue", group, topic=topic.text))
        try:
            return [g.Draft(group, json.loads(reply.text), {"topic": topic.text})]
        except ValueError:
            return [g.NoDraft("The reply is not JSON.", reply.text)]

    def next_state(self, state: JsonValue, tried: Sequence[g.TriedCase]) -> JsonValue:
        topics = [each.values["topic"] for each in tried if each.values]
        return {"topics": [*(state["topics"] if state else ()), *topics]}

    def samples(self, group: str) -> Mapping[str, g.Sample]:
        topic = g.Sample(self._request("topic", group, done="none"), 20)
        return {"topic": topic, "dialogue": g.Sample(self._request("dialogue", group, topic="tea"), 400)}

    def _request(self, name: str, group: str, repeat: int = 0, **values: str) -> ModelRequest:
        messages = self._prompts.fill(name, group=group, example=self._examples[group], **values)
        return ModelRequest(messages, name, repeat=repeat)

    def _replies(self, draft: g.Draft) -> Work[g.StepResult]:
        yield from ()
        why = "" if len(draft.payload["replies"]) == 5 else "There are not five replies."
        return g.StepResult(draft, (result_of("five", not why, why=why),))


PROMPTS = {"topic": frozenset({"group", "done"}), "dialogue": frozenset({"topic", "example"})}
PLAN = g.GenerationPlan(
    prompts=PromptPlan("tests.tiny_protocol", PROMPTS), settings=g.GenerationSettings, start=TinyGeneration
)
