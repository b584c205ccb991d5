"""Whatever a protocol says of itself fits together; each test holds for every protocol there is."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from string import Formatter

import pytest

from reviewer.core.errors import RequestError
from reviewer.core.question import Question
from reviewer.core.sanitize import is_single_line
from reviewer.exchange.rows.dataset_export import write_dataset
from reviewer.exchange.rows.dataset_import import import_path
from reviewer.oracle.version_checks import CHECKS
from reviewer.protocols.base import CheckPlan, Protocol, Value
from reviewer.protocols.case_lines import formats_of
from reviewer.protocols.evaluation import EvaluationPlan, NotAsked, conditions_of
from reviewer.protocols.formats import (
    CaseFormat,
    Folder,
    FolderFormat,
    JsonFormat,
    Reading,
    RowsFormat,
    Source,
)
from reviewer.protocols.generation import Generation, GenerationPlan
from reviewer.protocols.registry import PROTOCOLS, Protocols
from reviewer.runs.engine.work_runner import requests_of
from reviewer.runs.run_setup import read_prompts
from store.cases import Filter, list_places
from store.database import Database
from store.records import Case, JsonValue
from tests.answer_pairs import a_pair, a_rewrite, an_entry
from tests.answered_runs import a_dilemma_answer
from tests.declarations import REPLIES, a_reply
from tests.detected_texts import a_bias_text
from tests.level_cases import an_answer, an_instance
from tests.second_protocol.material import TINY, dialogues
from tests.staged_cases import THEMES, a_script, a_transcript, an_open_answer, an_open_question
from tests.studies import a_case
from tests.tiny_protocol.protocol import Tiny
from tests.treatment_cases import TEMPLATES, a_test


@dataclass(frozen=True)
class Example:
    """A protocol with cases of it, each other than the rest."""

    protocol: Protocol
    cases: Sequence[Case]
    settings: Mapping[str, JsonValue] = field(default_factory=dict)
    """What its generation needs beside seeds."""


EXAMPLES = (
    Example(PROTOCOLS["probe-swe"], [a_case(0), a_case(1, rebuilt=False)]),
    Example(PROTOCOLS["judge-pairs"], [a_pair(0), a_pair(1, source="livebench-math", domain="math")]),
    Example(PROTOCOLS["judge-rewrites"], [a_rewrite(0), a_rewrite(1, bias="Length bias")]),
    Example(PROTOCOLS["judge-biases"], [an_entry("Novelty bias", "Length bias"), an_entry("Length bias")]),
    Example(PROTOCOLS["treatment-tests"], [a_test(0), a_test(1, k=-1)], TEMPLATES),
    Example(PROTOCOLS["detail-levels"], [an_instance(0), an_instance(1)]),
    Example(PROTOCOLS["level-answers"], [an_answer(0), an_answer(1)]),
    Example(PROTOCOLS["probe-swe-answers"], [a_dilemma_answer("A"), a_dilemma_answer("")]),
    Example(PROTOCOLS["dialogue-scripts"], [a_script(0), a_script(1)], THEMES),
    Example(PROTOCOLS["dialogue-transcripts"], [a_transcript(0), a_transcript(1)]),
    Example(PROTOCOLS["open-questions"], [an_open_question(0), an_open_question(1)], THEMES),
    Example(PROTOCOLS["bias-texts"], [a_bias_text(0), a_bias_text(1)]),
    Example(PROTOCOLS["open-answers"], [an_open_answer(0), an_open_answer(1)]),
    Example(TINY, dialogues()),
    Example(REPLIES, [a_reply(0), a_reply(1, "naming", score=None)]),
)


def test_every_protocol_of_this_release_is_tested() -> None:
    assert set(PROTOCOLS) <= {example.protocol.name for example in EXAMPLES}


@pytest.fixture(params=EXAMPLES, ids=lambda example: example.protocol.name)
def example(request: pytest.FixtureRequest) -> Example:
    found: Example = request.param
    return found


@pytest.fixture
def protocol(example: Example) -> Protocol:
    return example.protocol


@pytest.fixture
def questions(protocol: Protocol) -> Mapping[str, Question]:
    return {question.key: question for question in protocol.questions}


def test_a_payload_is_normalised_once(example: Example) -> None:
    for case in example.cases:
        again = example.protocol.case(case.group, json.loads(json.dumps(case.payload)))
        assert again == case


def test_what_is_said_about_questions_is_about_questions_there_are(
    protocol: Protocol, questions: Mapping[str, Question]
) -> None:
    validation = protocol.validation_sheets()
    assert len(questions) == len(protocol.questions)
    named = {
        *(value.question for value in protocol.values),
        *protocol.concerns.values(),
        *(sheet.question for sheet in (validation.sheets if validation else ())),
    }
    assert named <= set(questions)
    for opinion in protocol.opinions:
        assert set(opinion.labels.values()) <= set(questions[opinion.question].labels)
    for contradiction in protocol.contradictions:
        for key, label in contradiction.answers.items():
            assert label in questions[key].labels


def test_a_label_across_is_a_label(questions: Mapping[str, Question]) -> None:
    for question in questions.values():
        mirrored = [label for pair in (question.sides.mirrored if question.sides else ()) for label in pair]
        assert set(mirrored) <= set(question.labels)


def test_every_placeholder_of_a_prompt_is_a_term(example: Example) -> None:
    for case in example.cases:
        terms = example.protocol.terms(case, ())
        for question in example.protocol.questions:
            if example.protocol.asks(question, case):
                names = {name for _, name, _, _ in Formatter().parse(question.prompt) if name}
                assert names <= set(terms), question.key


def test_panes_have_keys_of_their_own_and_questions_find_theirs(example: Example) -> None:
    for case in example.cases:
        keys = [pane.key for pane in example.protocol.panes(case, (), ())]
        assert len(set(keys)) == len(keys)
        for question in example.protocol.questions:
            if example.protocol.asks(question, case):
                assert set(question.shows) & set(keys), f"{question.key} shows no pane of the case"


def test_headlines_are_one_line(example: Example) -> None:
    for case in example.cases:
        headline = example.protocol.headline(case)
        assert headline
        assert is_single_line(headline)


def test_every_check_that_reports_is_declared(example: Example) -> None:
    protocol = example.protocol
    for case in example.cases:
        plan = protocol.check_plan(case)
        values = {comparison.measure: 0.5 for comparison in (plan or CheckPlan()).comparisons}
        declared = set(protocol.machine_checks)
        assert {result.check for result in protocol.judge(case, values)} <= declared
        if logic := protocol.logic():
            of_oracle = {check.name for check in CHECKS}
            assert {*logic.beside, *logic.not_asked(case)} <= declared | of_oracle


def test_sheets_have_a_text_for_every_column(example: Example) -> None:
    validation = example.protocol.validation_sheets()
    questions = {question.key: question for question in example.protocol.questions}
    for sheet in validation.sheets if validation else ():
        for case in example.cases:
            texts = validation.texts(questions[sheet.question], case, ())
            assert {column.name for column in sheet.columns} <= set(texts)


def test_the_first_format_that_recognises_a_file_of_lines_is_that_of_lines(protocol: Protocol) -> None:
    form = next(form for form in formats_of(protocol) if form.recognises("some.jsonl", is_folder=False))
    assert isinstance(form, RowsFormat)


def test_what_one_format_wrote_is_written_in_the_others_and_read_again(
    example: Example, tmp_path: Path
) -> None:
    protocols = Protocols(example.protocol)
    store = Database.open(str(tmp_path / "one.db"), protocols=protocols)
    name = example.protocol.name
    lines = [{"protocol": name, "group": case.group, "payload": case.payload} for case in example.cases]
    first = tmp_path / "first.jsonl"
    first.write_text("".join(json.dumps(line) + "\n" for line in lines))
    import_path(store, first, "data", "model-1")
    chain = ["data", "again.jsonl", *(["again.json", "last.jsonl"] if _has_json(example.protocol) else [])]
    for dataset, name in pairwise(chain):
        write_dataset(store, dataset, tmp_path / name)
        import_path(store, tmp_path / name, name, "model-1")
        with store.read() as session:
            before, after = (
                [case for _, case in list_places(session, Filter(datasets=(imported,)))]
                for imported in ("data", name)
            )
        assert after == before
    store.close()


def _has_json(protocol: Protocol) -> bool:
    return any(isinstance(form, JsonFormat) for form in protocol.formats())


class ReadOnly(FolderFormat):
    """A format that nothing writes."""

    name = "a folder"
    levels = ()
    endings = (".json",)

    def read(self, content: Folder, protocol: Protocol, source: Source) -> Reading:
        return Reading((), (), ())


class WithReadOnly(Tiny):
    """TINY with one more format."""

    def formats(self) -> Sequence[CaseFormat]:
        return (ReadOnly(),)


def test_a_format_that_is_only_read_is_not_written(tmp_path: Path) -> None:
    store = Database.open(str(tmp_path / "one.db"), protocols=Protocols(WithReadOnly()))
    (tmp_path / "one.jsonl").write_text(json.dumps({"group": "tea", "payload": dialogues()[0].payload}))
    import_path(store, tmp_path / "one.jsonl", "data", "model-1")
    with pytest.raises(RequestError, match=r"TINY is written as JSON Lines, TOML; give a file"):
        write_dataset(store, "data", tmp_path / "out.json")
    assert write_dataset(store, "data", tmp_path / "out.jsonl").cases == 1
    store.close()


def started(example: Example) -> tuple[GenerationPlan, Generation]:
    plan = example.protocol.offered(GenerationPlan)
    if plan is None:
        pytest.skip("the protocol generates no cases")
    seeds: dict[str, list[Case]] = {}
    for case in example.cases:
        seeds.setdefault(case.group, []).append(case)
    return plan, plan.start(
        plan.settings.model_validate(example.settings), read_prompts(plan.prompts), seeds, 0
    )


def test_a_run_has_steps_of_different_names_and_samples_of_every_call(example: Example) -> None:
    plan, generation = started(example)
    names = [step.name for step in generation.steps]
    assert names
    assert len(set(names)) == len(names)
    group = example.cases[0].group
    samples = generation.samples(group)
    assert set(samples) <= set(plan.prompts.placeholders)
    called = {kind for step in generation.steps for kind in step.calls}
    assert called <= set(samples)
    assert set(samples) - called, "no sample is one of an expansion"
    assert all(sample.request.messages for sample in samples.values())


def test_the_keys_of_a_run_differ(example: Example) -> None:
    _, generation = started(example)
    keys = [
        *(generation.key("g", attempt, number) for attempt in range(3) for number in range(1, 4)),
        *(generation.seed_key("g", number) for number in range(1, 4)),
    ]
    assert len(set(keys)) == len(keys)


def test_the_state_after_a_round_is_json(example: Example) -> None:
    _, generation = started(example)
    state = generation.next_state(None, [])
    assert json.loads(json.dumps(state, allow_nan=False)) == state


def test_settings_of_a_run_say_what_they_mean(example: Example) -> None:
    plan, _ = started(example)
    assert all(field.description for field in plan.settings.model_fields.values())


def test_every_condition_of_an_evaluation_is_asked_with_its_prompts_or_says_why_not(example: Example) -> None:
    plan = example.protocol.offered(EvaluationPlan)
    if plan is None:
        pytest.skip("the protocol does not evaluate models")
    prompts, case = read_prompts(plan.prompts), example.cases[0]
    every = conditions_of(plan.factors, {factor.name: factor.values for factor in plan.factors})
    assert len({condition.key for condition in every}) == len(every)
    for condition in every:
        work = plan.answering(prompts, case, condition)
        assert work.why if isinstance(work, NotAsked) else list(requests_of(work, ""))
        assert plan.read(case, condition, "").label is None
        assert {plan.answerers[0].answer(plan.facts(case, {}), condition)} <= {*plan.labels(case), ""}
    logic = example.protocol.logic()
    deciding = logic.model_decision() if logic else None
    assert deciding is None or deciding.condition in conditions_of(plan.factors, {})


class Untrue(Tiny):
    """Says things of itself that do not fit together."""

    values = (Value("votes", "no question"),)


def test_a_protocol_that_contradicts_itself_is_seen() -> None:
    untrue = Untrue()
    with pytest.raises(AssertionError):
        test_what_is_said_about_questions_is_about_questions_there_are(
            untrue, {question.key: question for question in untrue.questions}
        )
