"""What a question says of its labels, and how it is written."""

import pytest
from pydantic import ValidationError

from reviewer.core.question import Question

GIVEN = {
    "key": "fit",
    "title": "fit",
    "prompt": "How well does it fit?",
    "guideline": "1: not at all. 5: perfectly.",
    "criteria": [],
    "examples": [],
    "kind": "label",
    "labels": ["1", "2", "3", "4", "5"],
    "definitions": [],
    "scale": "nominal",
    "passing": [],
    "shows": ["pair"],
    "beside": [],
    "reveals": [],
    "sides": None,
}
"""A question as it is written."""


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"passing": ["5"]},
        {"passing": ["4", "5"], "scale": "ordinal"},
        {"kind": "labels"},
        {"definitions": [["1", "not at all"]]},
        {"criteria": [["1", "nothing fits"]]},
        {"examples": [{"case": "A fork.", "label": "1", "why": "It is no spoon."}]},
        {"kind": "text", "labels": []},
        {"entry_of": "met", "entry": 3},
    ],
)
def test_every_field_is_written_and_read_as_it_was(changed: dict[str, object]) -> None:
    given = {**GIVEN, **changed}
    question = Question.model_validate(given)
    assert question.model_dump(mode="json") == given
    assert Question.model_validate_json(question.model_dump_json()) == question


def test_neither_scale_nor_passing_is_part_of_the_digest() -> None:
    digests = {
        Question.model_validate({**GIVEN, "scale": scale, "passing": passing}).digest({"topic": "tea"})
        for scale in ("nominal", "ordinal")
        for passing in ([], ["5"], ["4", "5"])
    }
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"passing": ["6"]}, "passing label '6' is not one of 1, 2, 3, 4, 5; name one"),
        ({"passing": ["4", "6"]}, "passing label '6' is not one of 1, 2, 3, 4, 5; name one"),
        ({"passing": ["4", "4"]}, "a passing label is named twice; name each once"),
        ({"labels": ["Yes", "yes "]}, "labels 'Yes' and 'yes ' do not differ, or only in case or blanks"),
        ({"labels": ["a b", "ab"]}, "labels 'a b' and 'ab' do not differ, or only in case or blanks"),
        ({"labels": ["no", " "]}, "a label is empty; give it a name"),
    ],
)
def test_labels_that_do_not_fit_are_refused(changed: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Question.model_validate({**GIVEN, **changed})
    assert sentence in str(refused.value)


def test_kind_and_definitions_are_part_of_the_digest() -> None:
    plain = Question.model_validate(GIVEN)
    defined = Question.model_validate({**GIVEN, "definitions": {"1": "not at all"}})
    several = Question.model_validate({**GIVEN, "kind": "labels"})
    text = Question.model_validate({**GIVEN, "kind": "text", "labels": []})
    assert (defined.definition("1"), defined.definition("2")) == ("not at all", "")
    assert len({question.digest({}) for question in (plain, defined, several, text)}) == 4


def test_a_guideline_is_read_with_heads_and_is_part_of_the_digest() -> None:
    plain = Question.model_validate(GIVEN)
    example = {"case": "A fork.", "label": "1", "why": "It is no spoon."}
    conditions = Question.model_validate({**GIVEN, "criteria": {"1": "nothing fits.", "5": "all fits."}})
    whole = Question.model_validate({**conditions.model_dump(), "examples": [example]})
    assert whole.guideline_text.split("\n\n") == [
        "1 if nothing fits.",
        "5 if all fits.",
        "1: not at all. 5: perfectly.",
        "Example: A fork.\n1: It is no spoon.",
    ]
    body = whole.guideline_body
    assert [body.text[start:end] for start, end in body.heads] == ["1 if", "5 if", "Example:"]
    assert plain.guideline_text == plain.guideline
    assert len({question.digest({}) for question in (plain, conditions, whole)}) == 3


def test_a_question_frozen_by_release_1_0_keeps_its_digest() -> None:
    """Pinned: another digest would make every verdict on such a question stale."""
    frozen = {name: value for name, value in GIVEN.items() if name not in ("criteria", "examples")}
    assert Question.model_validate(frozen).digest({"topic": "tea"}) == (
        "40d156dd6c48b7b614db65b8128ccb4b9132a7250c9e80273ddf8932a4437e4c"
    )


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"labels": ["yes"]}, "a question needs at least two labels"),
        ({"kind": "text"}, "a question of free text has no labels; leave them out"),
        ({"kind": "labels", "passing": ["5"]}, "only a question of one label has passing labels or a scale"),
        ({"kind": "labels", "scale": "ordinal"}, "only a question of one label has passing labels or a"),
        ({"definitions": {"6": "more"}}, "'6' has a definition and is not one of the labels"),
        ({"criteria": {"6": "more fits"}}, "'6' has a criterion and is not one of the labels"),
    ],
)
def test_labels_fit_the_kind_of_a_question(changed: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        Question.model_validate({**GIVEN, **changed})


ORDINAL = Question.model_validate({**GIVEN, "scale": "ordinal"})


@pytest.mark.parametrize(
    ("labels", "steps", "words", "median"),
    [
        ("35", 2, "two steps apart", ("4",)),
        ("12", 1, "one step apart", ("1", "2")),
        ("2511", 4, "four steps apart", ("1", "2")),
        ("25", 3, "three steps apart", ("3", "4")),
        ("515", 4, "four steps apart", ("5",)),
        ("2223", 1, "one step apart", ("2",)),
        ("44", 0, "", ("4",)),
        ("", 0, "", ()),
    ],
)
def test_labels_in_order_have_distances_and_a_median(
    labels: str, steps: int, words: str, median: tuple[str, ...]
) -> None:
    assert ORDINAL.steps(labels) == steps
    assert ORDINAL.distance(labels) == words
    assert ORDINAL.median(labels) == median


def test_labels_without_order_have_neither() -> None:
    nominal = Question.model_validate(GIVEN)
    assert (nominal.steps("15"), nominal.distance("15")) == (0, "")
    assert nominal.median("115") == ()
