"""What depends on the kind of an answer is asked of one object."""

import re
from pathlib import Path

import pytest

from reviewer.core.answer_kinds import ANSWER_KINDS
from reviewer.core.kind_of_answer import KindOfAnswer
from reviewer.core.question import Question

ROOT = Path(__file__).parents[2]
ASKED = re.compile(r"""question\.kind (?:==|!=|in) |\bq\.kind (?:==|!=)|asks?\.kind (?:==|!=)""")
LABELS = ("good", "fair", "poor")
EXAMPLES = {
    "label": "good",
    "labels": '["good","poor"]',
    "text": "three words here",
    "ranking": '[["fair"],["good","poor"]]',
    "spans": '{"length":9,"spans":[[0,4,"good"]]}',
}


def question_of(kind: KindOfAnswer) -> Question:
    labels = LABELS if kind.has_labels else ()
    return Question.model_validate(
        {"key": "q", "title": "q", "prompt": "Q?", "kind": kind.name, "labels": labels, "shows": ("text",)}
    )


def test_no_module_asks_a_question_for_the_name_of_its_kind() -> None:
    modules = [path for top in ("reviewer", "store") for path in (ROOT / top).rglob("*") if path.is_file()]
    lines = (
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in modules
        if path.suffix in (".py", ".md", ".html", ".tex")
        for line in path.read_text(encoding="utf-8").splitlines()
        if ASKED.search(line)
    )
    assert not [*lines]


@pytest.mark.parametrize("kind", ANSWER_KINDS.values(), ids=lambda kind: kind.name)
def test_each_kind_takes_its_own_example_and_no_empty_answer(kind: KindOfAnswer) -> None:
    question = question_of(kind)
    assert question.answer_kind is kind
    assert kind.fault(question, EXAMPLES[kind.name]) is None
    assert kind.fault(question, "")
    assert kind.in_order(question, [EXAMPLES[kind.name]] * 2) == [EXAMPLES[kind.name]]
    assert kind.from_other_side(question, EXAMPLES[kind.name]) == EXAMPLES[kind.name]


@pytest.mark.parametrize("kind", ANSWER_KINDS.values(), ids=lambda kind: kind.name)
def test_each_kind_says_which_questions_it_has(kind: KindOfAnswer) -> None:
    good = question_of(kind).model_dump()
    wrong = {"labels": () if kind.has_labels else LABELS}
    with pytest.raises(ValueError, match=r"labels|outputs"):
        Question.model_validate({**good, **wrong})
    if not kind.is_label:
        with pytest.raises(ValueError, match=r"passing|no labels"):
            Question.model_validate({**good, "labels": LABELS, "passing": ("good",)})


def test_answers_in_sentences() -> None:
    assert {name: kind.choices_in_sentence(LABELS) for name, kind in ANSWER_KINDS.items()} == {
        "label": "good or fair or poor",
        "labels": "any number of good and fair and poor",
        "text": "free text",
        "ranking": "a ranking of good, fair and poor from the best to the worst, ties allowed",
        "spans": "any number of spans of good and fair and poor",
    }
    assert ANSWER_KINDS["labels"].choices_listed(LABELS) == "good, fair, poor, any number of them"
    assert ANSWER_KINDS["text"].choices_listed(()) == "free text"
