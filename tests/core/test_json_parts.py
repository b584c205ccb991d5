"""JSON in parts has the bytes of JSON at once."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from reviewer.core.json_parts import UNSEEN, json_parts

VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def at_once(whole: dict[str, Any]) -> str:
    text = json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
    return text.translate(UNSEEN) + "\n"


@given(some.dictionaries(some.text(max_size=4), VALUES, max_size=4), some.lists(VALUES, max_size=3))
def test_the_parts_are_the_whole(whole: dict[str, Any], listed: list[Any]) -> None:
    assert "".join(json_parts(whole)) == at_once(whole)
    assert "".join(json_parts(whole | {"listed": iter(listed)})) == at_once(whole | {"listed": listed})


def test_what_a_terminal_obeys_is_escaped() -> None:
    said = "\x9b31m \u202eabc \u2066 \u2028 é"
    text = "".join(json_parts({said: iter([said])}))
    assert not any(character in text for character in "\x9b\u202e\u2066\u2028")
    assert "é" in text
    assert json.loads(text) == {said: [said]}


def test_an_element_is_made_when_it_is_written() -> None:
    made: list[int] = []

    def elements() -> Any:
        for number in range(3):
            made.append(number)
            yield number

    parts = json_parts({"a": elements()})
    assert [next(parts), next(parts)] == ['{\n "a": ', "[\n  0"]
    assert made == [0]


def test_what_json_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        list(json_parts({"a": iter([float("nan")])}))
