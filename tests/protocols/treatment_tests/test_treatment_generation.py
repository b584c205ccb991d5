"""Generation of tests: the requests, the fills that are refused, and the record of these."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

import pytest
import tomlkit

from reviewer.core.check_result import first_failed, result_of
from reviewer.core.errors import InputError, RequestError
from reviewer.core.source_text import NO_SOURCE, SettingsSource
from reviewer.llm.request import ModelReply, ModelRequest
from reviewer.protocols.generation import Draft
from reviewer.protocols.procedure import TriedCase
from reviewer.protocols.templates.gap_text import parse_gap_text
from reviewer.protocols.templates.pieces import TextPlace
from reviewer.protocols.treatment_tests.filling import fill_faults
from reviewer.protocols.treatment_tests.generation import (
    PLAN,
    TreatmentGeneration,
    TreatmentSettings,
    templates_in,
)
from reviewer.protocols.treatment_tests.treatment_test import TreatmentTest
from reviewer.runs.run_setup import read_prompts
from store.records import JsonValue
from tests.filling_model import CONTROL_WAYS, TREATMENT_WAYS, FillingModel, driven
from tests.treatment_cases import TEMPLATES

GROUP = "Bandwagon Effect"
PROMPTS = read_prompts(PLAN.prompts)


def tried(draft: Draft, approved: bool) -> TriedCase:
    """A draft at its end."""
    judged = (result_of("repeats", approved),)
    return TriedCase("treatment-tests", draft.group, "", draft.payload, "repeats", judged)


def replied(text: str) -> ModelReply:
    return ModelReply(text, "", "stop", 1, 1, None, 0.0, 1, "model", "")


def settings(**given: JsonValue) -> TreatmentSettings:
    return TreatmentSettings.model_validate({**TEMPLATES, **given})


def generation(**given: JsonValue) -> TreatmentGeneration:
    return TreatmentGeneration(settings(**given), PROMPTS, 0)


def expanded(made: TreatmentGeneration, model: FillingModel, attempt: int, state: JsonValue = None) -> Draft:
    def reply(request: ModelRequest) -> ModelReply:
        return replied(model.reply([asdict(each) for each in request.messages]))

    (draft,) = driven(made.expansion(GROUP, attempt, state), reply)
    assert isinstance(draft, Draft)
    return draft


def judged(made: TreatmentGeneration, draft: Draft) -> list[str]:
    result = driven(made.steps[0].check(draft), lambda request: None)
    return [check.check for check in result.judged if not check.passed]


def test_every_wrong_fill_is_refused_by_its_rule_and_no_right_one() -> None:
    model, made = FillingModel(), generation()
    drafts = [expanded(made, model, attempt) for attempt in range(100)]
    assert {*model.wrong} == {*CONTROL_WAYS, *TREATMENT_WAYS}
    assert len(model.complaints) == len(model.wrong)
    said = {
        "fill_format": "not a JSON object",
        "open_gap": "still open",
        "unknown_gap": "There is no gap 99",
        "instruction_copied": "its own instruction",
        "forbidden_digits": "a digit",
        "value_missing": "does not tell",
        "wrong_person": "speaks of “my”",
        "quotation_marks": "quotation marks",
        "equal_parts": "otherwise than in the first text",
        "parameters": "tells",
    }
    for way, complaint in zip(model.wrong, model.complaints, strict=True):
        assert said[way] in complaint
        assert complaint.count("\n- ") == 1
    assert all(judged(made, draft) == [] for draft in drafts)
    texts = [TreatmentTest.model_validate(draft.payload) for draft in drafts]
    assert len({(test.control, test.treatment) for test in texts}) == len(texts)


def test_what_is_recorded_is_what_was_sent() -> None:
    seen: list[ModelRequest] = []
    made, model = generation(temperature=0.7), FillingModel(every=1_000)

    def reply(request: ModelRequest) -> ModelReply:
        seen.append(request)
        return replied(model.reply([asdict(each) for each in request.messages]))

    (draft,) = driven(made.expansion(GROUP, 3, None), reply)
    assert [request.purpose for request in seen] == ["control", "treatment"]
    assert (
        draft.values["sent_parameters"]
        == {"temperature": seen[-1].body()["temperature"]}
        == {"temperature": 0.7}
    )
    sampled = draft.values["sampled_values"]
    assert f"{sampled['share']}% of people prefer {sampled['others']}" in seen[1].messages[0].content
    assert draft.payload["k"] == {"roses": 1, "tulips": -1}[sampled["others"]]
    assert str(draft.payload["control"]) in seen[1].messages[0].content.replace(" Which", "\n\nWhich")
    test = TreatmentTest.model_validate(draft.payload)
    assert {test.text_of(span.version)[span.start : span.end] for span in test.filled} >= {
        "the gardener of the town park",
        f"{sampled['share']}% of people prefer {sampled['others']}",
    }


def test_a_model_that_stays_wrong_is_asked_six_times_and_its_case_is_discarded() -> None:
    model, made = FillingModel(stubborn="garden 2"), generation()
    draft = expanded(made, model, 2)
    assert model.replies == draft.values["fill_requests"] == 6
    assert draft.values["passed_rules"] is False
    assert judged(made, draft) == ["fill_format"]


def test_a_case_that_repeats_an_approved_one_is_asked_again_and_discarded() -> None:
    model, made = FillingModel(), generation()
    draft = expanded(made, model, 0)
    assert first_failed(driven(made.at_approval.check(draft), lambda request: None).judged).passed  # type: ignore[union-attr]
    again = first_failed(driven(made.at_approval.check(draft), lambda request: None).judged)  # type: ignore[union-attr]
    assert (again.check, again.passed) == ("repeats", False)
    state = made.next_state(None, [tried(draft, True), tried(draft, False)])
    assert [len(digests) for digests in state.values()] == [1]  # type: ignore[union-attr]

    class Repeating(FillingModel):
        def _fill(self, instruction: str) -> str:
            return super()._fill(instruction) if "garden" not in instruction else "a bed called b"

    first = expanded(generation(), Repeating(every=1_000), 0)
    known = generation().next_state(None, [tried(first, True)])
    repeated = expanded(generation(), Repeating(every=1_000), 0, known)
    assert judged(generation(), repeated) == ["repeats"]
    assert repeated.values["fill_requests"] == 7


class Alike(FillingModel):
    """Tells about every tenth treatment as its control, or as the treatment of the case before."""

    last = ""

    def reply(self, messages: Sequence[Mapping[str, str]]) -> str:
        self.replies += 1
        ((key, instruction),) = re.findall(r"\[\[(\d+): (.*?)\]\]", messages[0]["content"])
        if len(messages) > 1:
            self.complaints.append(messages[-1]["content"])
        elif "loss" in instruction and self.last and self.replies >= 20 * (len(self.wrong) + 1):
            is_repeated = len(self.wrong) % 2 == 0
            self.wrong.append("repeats" if is_repeated else "same_texts")
            return json.dumps({key: self.last if is_repeated else "a part of the seeds grows"})
        if "loss" in instruction:
            letters = "".join("abcdefghij"[int(digit)] for digit in str(self.replies))
            self.last = f"a part called {letters} dies"
        return json.dumps({key: self.last if "loss" in instruction else "a part of the seeds grows"})


def test_equal_versions_and_repeated_cases_are_asked_again_and_only_they() -> None:
    version = {"prompt": "Do you sow?", "options": ["yes", "perhaps", "no"]}
    template = {
        "group": GROUP,
        "rules": {"k": -1, "x1": 0, "x2": 0},
        "variants": [
            {
                "control": {"situations": ["You see that [[a gain]]."], **version},
                "treatment": {"situations": ["You see that [[a loss]]."], **version},
            }
        ],
    }
    made, model, state = generation(templates=[template]), Alike(), None
    drafts: list[Draft] = []
    for attempt in range(100):
        drafts.append(expanded(made, model, attempt, state))
        state = made.next_state(state, [tried(drafts[-1], True)])
    said = {"same_texts": "the same as the first one", "repeats": "those of an earlier case"}
    assert {*model.wrong} == {*said}
    assert len(model.wrong) == len(model.complaints)
    for way, complaint in zip(model.wrong, model.complaints, strict=True):
        assert said[way] in complaint
        assert complaint.count("\n- ") == 1
    assert all(judged(made, draft) == [] for draft in drafts)
    assert len({draft.payload["treatment"] for draft in drafts}) == len(drafts)


RIGHT = {
    "a role": ["a gardener", "the head of the US team", "a Type I reviewer"],
    "a plan. Do not include any numbers.": ["plant seven beds", "go on with the gardeners' own plan"],
    "say {{share}}%": ["that 70% agree", "70 percent of them"],
    "a {{kind}} thing": ["a helpful plan for you", "to open the new hall"],
}
WRONG = {
    ("a role", " "): "open_gap",
    ("a role", "[name]"): "open_gap",
    ("a role of some sort at work", "a role of some sort at work"): "instruction_copied",
    ("a plan. Do not include any numbers.", "plant 7 beds"): "forbidden_digits",
    ("say {{share}}%", "that most agree"): "value_missing",
    ("say {{share}}%", "that 170% agree"): "value_missing",
    ("say {{share}}%", "that 70% agree and 20% do not"): "parameters",
    ("a {{kind}} thing", "a negative thing"): "parameters",
    ("a role", "my own role"): "wrong_person",
    ("a role", "what I do"): "wrong_person",
    ("a role", "“a gardener”"): "quotation_marks",
}
(TEMPLATE,) = templates_in(settings())
VALUES = {"share": "70", "kind": "positive"}


def faults(instruction: str, fill: str) -> list[str]:
    (gap,) = parse_gap_text(f"[[{instruction}]]", lambda offset: TextPlace(), "")
    template = TEMPLATE.__class__(
        GROUP, {**TEMPLATE.values, "kind": TEMPLATE.values["others"].__class__(("positive", "negative"))}, ()
    )
    return [fault.rule for fault in fill_faults(template, gap, fill, VALUES)]


@pytest.mark.parametrize("instruction", RIGHT)
def test_right_fills_pass(instruction: str) -> None:
    assert [faults(instruction, fill) for fill in RIGHT[instruction]] == [[]] * len(RIGHT[instruction])


@pytest.mark.parametrize(
    ("instruction", "fill"), WRONG, ids=[f"{rule} {n}" for n, rule in enumerate(WRONG.values())]
)
def test_wrong_fills_break_one_rule(instruction: str, fill: str) -> None:
    assert faults(instruction, fill) == [WRONG[instruction, fill]]


def test_values_that_a_model_writes_come_first_and_scenarios_may_be_completed() -> None:
    template = {
        **TEMPLATES["templates"][0],
        "values": {"others": ["roses", "tulips"], "share": {"ask": "a share"}},
    }  # type: ignore[index,call-overload,dict-item]
    template["variants"] = [
        {
            "control": {"situations": ["At {{share}}."], "prompt": "A?", "options": ["a", "b"]},
            "treatment": {"situations": ["At {{share}}, {{others}}."], "prompt": "A?", "options": ["a", "b"]},
        }
    ]
    given = {"templates": [template], "scenarios": [], "industries": ["park", "art"], "positions": ["artist"]}
    purposes: list[str] = []

    def reply(request: ModelRequest) -> ModelReply:
        purposes.append(request.purpose)
        text = "deciding what to draw." if request.purpose == "scenario" else '{"1": "one half"}'
        return replied(text)

    (draft,) = driven(generation(**given).expansion(GROUP, 1, None), reply)  # type: ignore[arg-type]
    assert purposes == ["scenario", "values"]
    assert draft.payload["scenario"] == "An artist at a company from the art industry deciding what to draw."
    assert draft.payload["control"] == "At one half.\n\nA?"
    assert draft.values["passed_rules"] is True


MISSING = {
    "templates": ({"templates": []}, RequestError, "needs templates"),
    "scenarios": ({"scenarios": []}, RequestError, "needs scenarios"),
    "a rule": (
        {"templates": [{**TEMPLATES["templates"][0], "rules": {"k": 1}}]},
        InputError,
        "no rule for x1",
    ),  # type: ignore[index,call-overload,dict-item]
    "a template": (
        {"templates": [{"group": "A"}]},
        InputError,
        "setting templates: the template 'A' has no var",
    ),
    "one bias twice": (
        {"templates": TEMPLATES["templates"] * 2},
        InputError,
        "two templates are of one bias",
    ),  # type: ignore[operator]
}


@pytest.mark.parametrize(("given", "error", "wrong"), MISSING.values(), ids=list(MISSING))
def test_what_is_missing_is_said_before_anything_is_asked(
    given: dict[str, JsonValue], error: type[Exception], wrong: str
) -> None:
    assert PLAN.groups is not None
    with pytest.raises(error, match=wrong):
        PLAN.groups(settings(**given), NO_SOURCE)


def test_a_fault_in_a_file_of_settings_is_named_with_its_place() -> None:
    text = tomlkit.dumps({"reasks": 3, **TEMPLATES}).replace("[[a role", "[[a {{part}}", 1)
    source = SettingsSource("settings 'a.toml'", text, ("reasks", "templates", "scenarios"))
    line, column = next(
        (number, line.index("{{part") + 1)
        for number, line in enumerate(text.splitlines(), 1)
        if "{{part" in line
    )
    given = settings(**tomllib.loads(text))
    assert PLAN.groups is not None
    with pytest.raises(
        InputError, match=rf"settings 'a.toml', line {line}, column {column}: has the value 'part'"
    ):
        PLAN.groups(given, source)
    without = replace(source, text=text.replace("x1 = 0", ""))
    rules = settings(templates=[{**TEMPLATES["templates"][0], "rules": {"k": 1}}])  # type: ignore[index,call-overload,dict-item]
    with pytest.raises(InputError, match=r"line \d+, column \d+: the template of .* has no rule for x1"):
        PLAN.groups(rules, without)


def test_shipped_templates_stand_in_for_those_that_are_missing() -> None:
    file: dict[str, JsonValue] = {"templates": [{"group": "A"}], "scenarios": ["B."]}
    assert PLAN.usual({"reasks": 2}, file) == {**file, "reasks": 2}
    own: dict[str, JsonValue] = {"industries": ["park"], "positions": ["artist"]}
    assert PLAN.usual(own, file) == {"templates": file["templates"], **own}
    assert PLAN.usual({"templates": []}, file) == {"templates": []}
