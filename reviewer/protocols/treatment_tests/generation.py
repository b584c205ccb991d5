"""The generation of tests: a scenario, values, the gaps of the control, then those of the treatment alone.

Rules gate every fill. A fill that fails is requested again with its faults. A test that still breaks a rule,
or that repeats an approved one of its bias, is discarded.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic import Field

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import shown
from reviewer.core.source_text import NO_SOURCE, SettingsSource
from reviewer.llm.request import ChatMessage, ModelRequest
from reviewer.protocols.generation import (
    Draft,
    Generation,
    GenerationPlan,
    GenerationSettings,
    NoDraft,
    RepeatedRequests,
    Step,
    StepResult,
)
from reviewer.protocols.procedure import GivenSettings, PromptPlan, Prompts, Sample, TriedCase
from reviewer.protocols.reading.json_values import json_object
from reviewer.protocols.templates.case_template import CaseTemplate, TemplateVersion
from reviewer.protocols.templates.gap_text import TemplatePart, instruction_text
from reviewer.protocols.templates.template_faults import check_fillable
from reviewer.protocols.templates.template_toml import templates_from
from reviewer.protocols.treatment_tests.filling import (
    ASKED_AGAIN,
    BROKEN_RULES,
    FORMAT,
    RULES,
    FillFault,
    UnfilledTest,
    asked_values,
    drafted,
    faults_of_test,
    fill_faults,
    identity_of,
    reply_faults,
)
from reviewer.protocols.treatment_tests.treatment_test import begun_scenario, template_weights
from reviewer.protocols.work import Work, replies_to
from store.records import JsonValue


class TreatmentSettings(GenerationSettings):
    """Templates and scenarios, as a file of templates holds them, and how models are asked."""

    batch_size: int = Field(default=1, ge=1, le=1)
    """cases to ask for in one expansion; always 1"""
    templates: tuple[dict[str, Any], ...] = ()
    """templates, one for each bias, as `reviewer templates convert` prints them"""
    scenarios: tuple[str, ...] = ()
    """scenarios, which cases take in turn"""
    industries: tuple[str, ...] = ()
    """industries of scenarios that the model completes, if no scenarios are given"""
    positions: tuple[str, ...] = ()
    """positions of scenarios that the model completes, each in every industry"""
    temperature: float = Field(default=1.0, ge=0, le=2)
    """temperature of all requests"""
    reasks: int = Field(default=5, ge=0, le=5)
    """maximum number of repeated requests after a fill that breaks a rule"""


_ATTEMPTS_A_SEED: Final = 1_000_000
"""Repeat numbers reserved for each random seed, so that a run with another seed makes new requests."""
_WHERE: Final = "setting templates"
_RULES_STEP: Final = "rules"
_SHORT: Final = 300
_MOST_FAULTS: Final = 12


_Judge = Callable[[Mapping[str, str]], Iterator[FillFault]]
"""What is wrong with the fills of a reply, by number."""


class TreatmentGeneration(Generation):
    """The generation of one run."""

    settings: TreatmentSettings

    def __init__(self, settings: TreatmentSettings, prompts: Prompts, seed: int) -> None:
        self.settings, self._prompts, self._seed = settings, prompts, seed
        self._templates = {template.group: template for template in templates_in(settings)}
        self._known: dict[str, set[str]] = {}
        self.steps = (Step(_RULES_STEP, self._rules),)
        self.at_approval = Step("repeats", self._repeats)

    def expansion(self, group: str, attempt: int, state: JsonValue) -> Work[Sequence[Draft | NoDraft]]:
        """One case: its scenario, its values, the gaps of the control, then those of the treatment alone."""
        if isinstance(state, dict):
            before = state.get(group)
            self._known.setdefault(group, set()).update(map(str, before if isinstance(before, list) else ()))
        scenario = yield from self._scenario(attempt)
        if scenario is None:
            return [NoDraft("The reply is no decision for a scenario.")]
        filling = self._begun(group, attempt, scenario)
        yield from self._ask_values(filling)
        control, treatment = filling.variant.control, filling.variant.treatment
        alone = [gap for gap in treatment.gaps if gap not in control.gaps]
        if not filling.faults:
            yield from self._ask(filling, "control", control, is_last=not alone)
        if not filling.faults and alone:
            yield from self._ask(filling, "treatment", treatment, is_last=True)
        return [drafted(group, filling)]

    def next_state(self, state: JsonValue, tried: Sequence[TriedCase]) -> JsonValue:
        """The digests of the approved tests of each bias, which later ones must not repeat."""
        texts: dict[str, JsonValue] = dict(state) if isinstance(state, dict) else {}
        for each in tried:
            if each.approved:
                before = texts.get(each.group)
                texts[each.group] = [*(before if isinstance(before, list) else ()), _digest(each.payload)]
        return texts

    def samples(self, group: str) -> Mapping[str, Sample]:
        """The requests of the first case of the group, as if its gaps were filled with their instructions."""
        filling = self._begun(
            group, 0, next(iter(self.settings.scenarios), "A scenario that the model completes.")
        )
        samples = {}
        if not self.settings.scenarios:
            samples["scenario"] = Sample(self._scenario_request(0)[1], _SHORT)
        if asked := asked_values(filling.template):
            samples["values"] = Sample(self._values_request(filling, asked), _SHORT)
        samples["control"] = Sample(self._request(filling, "control", filling.variant.control), _SHORT)
        filling.fills = {gap: gap for gap in filling.variant.control.gaps}
        if filling.gaps_of(filling.variant.treatment):
            request = self._request(filling, "treatment", filling.variant.treatment)
            samples["treatment"] = Sample(request, _SHORT)
        return samples

    def _begun(self, group: str, attempt: int, scenario: str) -> UnfilledTest:
        template = self._templates[group]
        chance = random.Random(f"{self._seed} {group} {attempt}")  # noqa: S311  # not for secrets
        variant = template.variants[attempt % len(template.variants)]
        return UnfilledTest(
            template,
            variant,
            scenario,
            {**{name: f"({name})" for name in template.values}, **template.sampled(chance, variant.name)},
            self._seed * _ATTEMPTS_A_SEED + attempt,
            frozenset(self._known.get(group, ())),
        )

    def _scenario(self, attempt: int) -> Work[str | None]:
        """The scenario of an attempt: one that was given, or one that the model completes."""
        if given := self.settings.scenarios:
            return given[attempt % len(given)]
        begun, request = self._scenario_request(attempt)
        (reply,) = yield from replies_to(request)
        decision = reply.text.strip().removeprefix("deciding").strip()
        return f"{begun} deciding {decision}" if decision and "\n" not in decision else None

    def _scenario_request(self, attempt: int) -> tuple[str, ModelRequest]:
        """The beginning of a scenario, and the request to complete it.

        Every bias asks with the same repeat, so that a scenario is written once and kept for all.
        """
        roles = [
            (industry, each) for industry in self.settings.industries for each in self.settings.positions
        ]
        industry, position = roles[attempt % len(roles)]
        begun = begun_scenario(position, industry)
        messages = self._prompts.fill("scenario", begun=begun)
        return begun, self._made(messages, "scenario", self._seed * _ATTEMPTS_A_SEED + attempt)

    def _ask_values(self, filling: UnfilledTest) -> Work[None]:
        """The values that the model writes, each by its instruction."""
        template = filling.template
        if not (gaps := asked_values(template)):
            return

        def judge(fills: Mapping[str, str]) -> Iterator[FillFault]:
            yield from reply_faults(list(gaps), fills, {})
            for number, gap in gaps.items():
                if number in fills:
                    yield from fill_faults(template, gap, fills[number], filling.values)

        fills = yield from self._until_right(filling, self._values_request(filling, gaps), judge)
        filling.values |= {gap.text: fills[number] for number, gap in gaps.items() if number in fills}

    def _values_request(self, filling: UnfilledTest, gaps: Mapping[str, TemplatePart]) -> ModelRequest:
        listed = "\n".join(f"{n}: {instruction_text(gap, filling.values, {})}" for n, gap in gaps.items())
        messages = self._prompts.fill("values", scenario=filling.scenario, gaps=listed)
        return self._made(messages, "values", filling.repeat)

    def _ask(
        self, filling: UnfilledTest, name: str, version: TemplateVersion, *, is_last: bool
    ) -> Work[None]:
        """The gaps of a version that are still open; the last reply of a case completes the test."""
        gaps = filling.gaps_of(version)
        before = {filling.numbers[gap]: fill for gap, fill in filling.fills.items()}

        def filled(fills: Mapping[str, str]) -> dict[str, str]:
            return {**filling.fills, **{gap.text: fills[n] for n, gap in gaps.items() if n in fills}}

        def judge(fills: Mapping[str, str]) -> Iterator[FillFault]:
            faults = list(reply_faults(list(gaps), fills, before))
            for number, gap in gaps.items():
                if number in fills:
                    faults += fill_faults(filling.template, gap, fills[number], filling.values)
            yield from faults
            if is_last and not faults:
                yield from faults_of_test(replace(filling, fills=filled(fills)))

        fills: Mapping[str, str] = {}
        if gaps:
            fills = yield from self._until_right(filling, self._request(filling, name, version), judge)
        else:
            filling.faults = tuple(judge({}))
        filling.fills = filled(fills)

    def _request(self, filling: UnfilledTest, name: str, version: TemplateVersion) -> ModelRequest:
        text = filling.shown_text(version)
        first = {"control": filling.shown_text(filling.variant.control)} if name == "treatment" else {}
        messages = self._prompts.fill(name, scenario=filling.scenario, text=text, **first)
        return self._made(messages, name, filling.repeat)

    def _made(self, messages: Sequence[ChatMessage], name: str, repeat: int) -> ModelRequest:
        return ModelRequest(tuple(messages), name, temperature=self.settings.temperature, repeat=repeat)

    def _until_right(
        self, filling: UnfilledTest, request: ModelRequest, judge: _Judge
    ) -> Work[Mapping[str, str]]:
        """The fills of the first reply that breaks no rule, else those of the last one, with its faults."""
        fills: Mapping[str, str] = {}
        for repeated in range(1 + self.settings.reasks):
            (reply,) = yield from replies_to(request)
            filling.requests += 1
            sent = request.body().items()
            filling.sent = {name: value for name, value in sent if name not in ("model", "messages")}
            fills, fault = _fills_in(reply.text)
            filling.faults = (fault,) if fault else tuple(judge(fills))
            if not filling.faults:
                break
            if repeated < self.settings.reasks:
                filling.asked_again.update({each.rule for each in filling.faults})
            told = "\n".join(f"- {each.why}" for each in filling.faults[:_MOST_FAULTS])
            messages = (ChatMessage("assistant", reply.text), *self._prompts.fill("again", faults=told))
            request = replace(request, messages=(*request.messages, *messages))
        return fills

    def _rules(self, draft: Draft) -> Work[StepResult]:
        """Whether the last fills broke a rule."""
        yield from ()
        faults = draft.values.get(BROKEN_RULES)
        broken = {str(rule): str(why) for rule, why in (faults if isinstance(faults, list) else ())}
        judged: tuple[CheckResult, ...] = tuple(
            result_of(rule, rule not in broken, why=broken.get(rule, "")) for rule in RULES
        )
        return StepResult(draft, judged)

    def _repeats(self, draft: Draft) -> Work[StepResult]:
        """Whether an approved test of the bias reads the same, also one of this round."""
        yield from ()
        known, digest = self._known.setdefault(draft.group, set()), _digest(draft.payload)
        is_new = digest not in known
        known.add(digest)
        why = "" if is_new else "Both texts are those of an earlier case."
        return StepResult(draft, (result_of("repeats", is_new, why=why),))


def _digest(payload: Mapping[str, JsonValue]) -> str:
    return identity_of(str(payload["control"]), str(payload["treatment"]))


def _fills_in(reply: str) -> tuple[dict[str, str], FillFault | None]:
    """The texts of a reply by number, or why there are none."""
    content = json_object(reply)
    if content is None or not all(isinstance(text, str) for text in content.values()):
        return {}, FillFault(FORMAT, "The reply is not a JSON object with a text for each number.")
    return {key.strip(): str(text).strip() for key, text in content.items()}, None


def templates_in(settings: TreatmentSettings, source: SettingsSource = NO_SOURCE) -> tuple[CaseTemplate, ...]:
    """The templates of a run, each with all values and rules of its score; raises InputError."""
    is_in_file = "templates" in source.names
    where, text = (source.where, source.text) if is_in_file else (_WHERE, "")
    read = templates_from({"templates": list(settings.templates)}, where, text)
    for template in read.templates:
        check_fillable(template)
        template_weights(template)
    return read.templates


def _groups(given: TreatmentSettings, source: SettingsSource) -> tuple[str, ...]:
    """The biases of the templates; raises InputError, and RequestError if something is missing."""
    is_in_file = "scenarios" in source.names
    where, text = (source.where, source.text) if is_in_file else ("setting scenarios", "")
    templates_from({"scenarios": list(given.scenarios)}, where, text)
    templates = templates_in(given, source)
    groups = tuple(template.group for template in templates)
    if not groups:
        raise RequestError(
            "generation needs templates; give a file of templates with --settings, such as "
            "`reviewer templates convert` prints."
        )
    for number, template in enumerate(templates):
        if template.group in groups[:number]:
            wrong = f"two templates are of one bias, {shown(template.group)!r}"
            raise InputError(template.where, wrong, "give each bias one template with several variants")
    if not (given.scenarios or (given.industries and given.positions)):
        raise RequestError("generation needs scenarios; set scenarios, or industries and positions.")
    return groups


def _usual(given: GivenSettings, file: GivenSettings) -> GivenSettings:
    """Templates of the file, unless some were given, with its scenarios, unless something gives these."""
    if "templates" in given:
        return given
    has_scenarios = given.keys() & {"scenarios", "industries", "positions"}
    names = ("templates",) if has_scenarios else ("templates", "scenarios")
    return {**{name: file[name] for name in names}, **given}


PLAN = GenerationPlan(
    prompts=PromptPlan(
        "reviewer.protocols.treatment_tests",
        {
            "scenario": frozenset({"begun"}),
            "values": frozenset({"scenario", "gaps"}),
            "control": frozenset({"scenario", "text"}),
            "treatment": frozenset({"scenario", "control", "text"}),
            "again": frozenset({"faults"}),
        },
    ),
    settings=TreatmentSettings,
    start=lambda settings, prompts, _seeds, seed: TreatmentGeneration(settings, prompts, seed),
    groups=_groups,
    repeated=RepeatedRequests(_RULES_STEP, ASKED_AGAIN),
    usual_file="templates.toml",
    usual=_usual,
)
