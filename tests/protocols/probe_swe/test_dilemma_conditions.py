"""How dilemmas are put to models: orders, cues, repeats, and labels read under each, on published pairs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from reviewer.llm.request import ModelRequest
from reviewer.protocols.evaluation import Condition, LabelRead, NotAsked, conditions_of
from reviewer.protocols.probe_swe.dilemma import Dilemma, DraftDilemma
from reviewer.protocols.probe_swe.evaluation import DECISION, EVALUATION, DilemmaFacts
from reviewer.protocols.probe_swe.generation_requests import PROMPTS, ProbeSweSettings, Requests
from reviewer.protocols.probe_swe.option_exchange import exchanged_for_readers, words_of_options
from reviewer.protocols.reading.reply_decision import NO_SIDE
from reviewer.protocols.repairs import NotRepaired
from reviewer.runs.engine.work_runner import requests_of
from reviewer.runs.run_setup import read_prompts
from store.records import Case
from tests.shared_data import shared_file
from tests.studies import a_case

PROMPT = read_prompts(EVALUATION.prompts)


def put(version: str = "biased", order: str = "as written", cue: str = "none") -> Condition:
    return Condition.of(version=version, order=order, cue=cue)


def request_of(case: Case, condition: Condition) -> ModelRequest:
    """The request that puts a case to model-1, without parameters."""
    work = EVALUATION.answering(PROMPT, case, condition)
    assert not isinstance(work, NotAsked)
    (request,) = requests_of(work, "")
    return replace(request, model="model-1")


def text_of(case: Case, condition: Condition) -> str:
    """What the model is shown."""
    return request_of(case, condition).messages[-1].content


@pytest.fixture(scope="module")
def published() -> Sequence[Case]:
    """The 806 published pairs."""
    path = shared_file("probe-swe/gpt-4o-mini.json", for_module=True)
    groups: Mapping[str, Sequence[Mapping[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
    fields = Dilemma.model_fields
    return [
        Case.of(
            "probe-swe",
            group,
            1,
            Dilemma.model_validate({n: v for n, v in pair.items() if n in fields}).model_dump(mode="json"),
        )
        for group, pairs in groups.items()
        for pair in pairs
    ]


@pytest.mark.slow
def test_at_most_one_published_pair_cannot_be_exchanged_and_says_why(published: Sequence[Case]) -> None:
    requests = [
        EVALUATION.answering(PROMPT, case, put(version, "exchanged"))
        for case in published
        for version in ("unbiased", "biased")
    ]
    refused = [request.why for request in requests if isinstance(request, NotAsked)]
    assert len(requests) == 2 * 806
    assert len(refused) == 2
    assert len(set(refused)) == 1
    assert "option" in refused[0].casefold()


@pytest.mark.slow
def test_an_exchanged_pair_exchanged_again_is_as_it_was(published: Sequence[Case]) -> None:
    """So no description is lost, and each letter that a text names stands for the other description."""
    for case in published:
        pair = DraftDilemma.model_validate(case.payload)
        exchanged = exchanged_for_readers(pair)
        if isinstance(exchanged, NotRepaired):
            continue
        assert exchanged.biased != pair.biased
        back = exchanged_for_readers(exchanged)
        assert back == pair


def test_cues_stand_under_one_title_below_both_versions(published: Sequence[Case]) -> None:
    for cue, field in (("words", "axioms_description"), ("prolog", "axioms")):
        for case in published:
            added = {
                text_of(case, put(version, cue=cue)).removeprefix(str(case.payload[version]))
                for version in ("unbiased", "biased")
            }
            assert added == {f"\n\nWhat is known:\n{case.payload[field]}"}


def test_a_cue_that_a_pair_lacks_is_not_asked() -> None:
    case = a_case(0)
    bare = Case.of("probe-swe", case.group, 1, {**case.payload, "axioms": " ", "axioms_description": ""})
    assert EVALUATION.answering(PROMPT, bare, put(cue="words")) == NotAsked(
        "The pair has no axioms in words."
    )


def test_under_the_usual_condition_the_request_is_the_one_of_generation(published: Sequence[Case]) -> None:
    generation = Requests(read_prompts(PROMPTS), ProbeSweSettings())
    for case in published[:20]:
        request = request_of(case, DECISION)
        sampling = replace(EVALUATION.sampling, repeats_by="none")
        for repeat in range(5):
            before = replace(generation.decision(str(case.payload["unbiased"]), repeat), model="model-1")
            assert sampling.applied(request, repeat) == before
            assert sampling.applied(request, repeat).digest() == before.digest()
        first = replace(generation.decision(str(case.payload["unbiased"]), 0), model="model-1")
        assert EVALUATION.sampling.applied(request, 0).digest() == first.digest()


def test_the_digest_of_a_decision_request_is_that_of_earlier_releases() -> None:
    """Stored answers are found by it."""
    request = request_of(a_case(0), put("unbiased"))
    assert EVALUATION.sampling.applied(request, 0).digest() == (
        "19423606a2bcd2ec4597e87ba81bfde131ab2212dcb7f1501d649e1180e97bfb"
    )


def test_repeats_differ_by_blanks_by_the_seed_or_not_at_all() -> None:
    request = request_of(a_case(0), put())

    def sent(repeats_by: Any, **parameters: Any) -> list[Any]:
        sampling = replace(EVALUATION.sampling, repeats_by=repeats_by, **parameters)
        return [sampling.applied(request, repeat).body() for repeat in range(3)]

    text = request.messages[-1].content
    blanks = [body["messages"][-1]["content"] for body in sent("blanks")]
    assert blanks == [text, text + " ", text + "  "]
    assert [body["seed"] for body in sent("seed", seed=7)] == [7, 8, 9]
    assert [body["messages"] for body in sent("seed")] == [sent("none")[0]["messages"]] * 3
    assert sent("none")[0] == sent("none")[2]
    assert len({EVALUATION.sampling.applied(request, repeat).digest() for repeat in range(3)}) == 3
    assert sent("none")[0].keys() == {"model", "messages", "temperature", "top_p"}
    bare = sent("none", temperature=None, top_p=None, max_tokens=99)[0]
    assert bare.keys() == {"model", "messages", "max_tokens"}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "temperature 0, top_p 0; not sent: max_tokens, seed"),
        (
            {"temperature": None, "top_p": 0.5, "max_tokens": 9, "repeats_by": "seed"},
            "top_p 0.5, max_tokens 9, seed 0; not sent: temperature",
        ),
    ],
)
def test_what_is_sent_is_said_in_words(changed: dict[str, Any], words: str) -> None:
    assert replace(EVALUATION.sampling, **changed).in_words == words


def test_the_option_that_is_read_is_the_one_of_the_case(published: Sequence[Case]) -> None:
    """Letters are those of the text that was shown."""
    case = published[0]
    for condition in conditions_of(EVALUATION.factors, {"order": ("as written", "exchanged")}):
        first = EVALUATION.read(case, condition, "Decision: Option A").label
        assert first == ("A" if condition["order"] == "as written" else "B")
        assert EVALUATION.read(case, condition, "Decision: neither") == LabelRead(None, NO_SIDE)


def test_words_that_a_question_defines_are_answers_in_both_orders(published: Sequence[Case]) -> None:
    defining = [case for case in published if words_of_options(str(case.payload["biased"]))]
    assert {case.group for case in defining} == {"hindsight bias"}
    for case in defining:
        words = words_of_options(str(case.payload["biased"]))
        for order in ("as written", "exchanged"):
            for word, option in words.items():
                read = EVALUATION.read(case, put("biased", order), f"Decision: it was {word}")
                assert read.label == option


def test_what_logic_chose_is_a_label_or_unknown() -> None:
    case = a_case(0)
    assert EVALUATION.facts(case, {"choice": "option_b"}) == DilemmaFacts("B")
    assert EVALUATION.facts(case, {"choice": "neither"}) == DilemmaFacts("")
    assert EVALUATION.facts(case, {}) == DilemmaFacts("")
    unknown = {measure.key: measure.value(DilemmaFacts(""), put(), _same()).weight for measure in COMPARING}
    assert unknown == {"net": 0, "sensitivity": 1, "error_biased": 0, "error_unbiased": 0}


COMPARING = [measure for measure in EVALUATION.measures if measure.over]


def _same() -> dict[str, str]:
    return {"unbiased": "A", "biased": "A"}


def test_labels_are_explained_where_replies_use_the_other_letter() -> None:
    both = conditions_of(EVALUATION.factors, {"order": ("as written", "exchanged")})
    assert "use the other letter" in EVALUATION.meaning_of_labels(both)
    assert EVALUATION.meaning_of_labels(both[:1]) == ""
