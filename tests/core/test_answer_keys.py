"""Which keys the labels of a question have."""

import random

import pytest

from reviewer.core.answer_keys import (
    LabelSearch,
    answer_keys,
    beside_key,
    last_used,
    number_key,
    ways_to_write,
)
from reviewer.protocols.registry import PROTOCOLS
from tests.second_protocol.material import TINY

SCALE = tuple(map(str, range(11)))
SETS = [
    ("True", "False"),
    ("False", "True"),
    ("better", "same", "worse"),
    tuple("1234567"),
    ("0", "1", "2", "3", "4"),
    ("0: none", "1: some", "2: all"),
    ("2 best", "1 middle", "x", "10 worst"),
    ("10%", "20%", "30%"),
    ("0", "0,5", "1", "1,5", "2"),
    ("1 a", "1 b", "2", "3", "4", "5", "6", "7", "8"),
    SCALE,
    tuple(f"{n} of 20" for n in range(21)),
    tuple(f"label {n}" for n in range(73)),
    (*(f"label {n}" for n in range(20)), "5 stars"),
    *(question.labels for protocol in PROTOCOLS.values() for question in protocol.questions),
    *(question.labels for question in TINY.questions),
]


def test_digits_are_shown_where_not_every_keyboard_has_the_letters() -> None:
    assert answer_keys(("好", "坏"), ()) == {"好": ("1", "好"), "坏": ("2", "坏")}
    assert answer_keys(("да", "nein"), ()) == {"да": ("1", "д"), "nein": ("2", "n")}
    assert answer_keys(("yes", "no"), ()) == {"yes": ("y", "1"), "no": ("n", "2")}


def generated(seed: int) -> tuple[str, ...]:
    """Labels that begin with numbers, signs and letters in any mixture."""
    draw = random.Random(seed)
    heads = [*map(str, range(13)), "05", "1.", "(2)", "-1", "10%", "²", "é", "a", "b", "No", "İ"]
    labels = (f"{draw.choice(heads)} {draw.choice('xyzuvw')}".strip() for _ in range(draw.randint(2, 30)))
    return tuple(dict.fromkeys(labels))


ALL_SETS = [*SETS, *(labels for labels in map(generated, range(300)) if len(labels) > 1)]


@pytest.mark.parametrize("taken", ["", "bsna", "5-", "0123"])
def test_no_key_is_that_of_two_labels_or_the_number_of_another(taken: str) -> None:
    for labels in ALL_SETS:
        keys = answer_keys(labels, set(taken), used=labels)
        given = [key for own in keys.values() for key in own]
        assert len(set(given)) == len(given), labels
        assert not {*given} & {*taken}, labels
        assert {*keys} <= {*labels}
        numbers = {key: label for label in labels if (key := number_key(label))}
        if len(labels) < 10 and any(label.startswith(("0,", "-1", "11", "12")) for label in labels):
            continue  # such a scale has the digits of its places
        for label, own in keys.items():
            for key in own:
                if {*labels} != {"True", "False"}:
                    assert number_key(label) == key or key not in numbers, (labels, label, key)


def test_labels_have_the_digits_that_people_expect() -> None:
    assert answer_keys(("True", "False"), set()) == {"True": ("t", "1"), "False": ("f", "0")}
    assert answer_keys(("False", "True"), set()) == {"False": ("f", "0"), "True": ("t", "1")}
    assert answer_keys(("better", "same", "worse"), {"b"}) == {
        "better": ("1",),
        "same": ("2",),
        "worse": ("3",),
    }
    assert answer_keys(("better", "same", "worse"), set())["worse"] == ("w", "3")
    assert answer_keys(("0", "1", "2", "3", "4"), set()) == {digit: (digit,) for digit in "01234"}
    assert list(answer_keys(SCALE, set()).items()) == [*((n, (n,)) for n in "0123456789"), ("10", ("-",))]
    assert [*answer_keys(("10%", "20%"), set()).values()] == [("1",), ("2",)]
    assert [*answer_keys(("0: none", "1: some"), set()).values()] == [("0",), ("1",)]
    assert answer_keys(("2 best", "1 middle", "x"), set())["x"] == ("3",)
    assert all(answer_keys(labels, set())[label] for labels in ALL_SETS[:9] for label in labels[:8])


@pytest.mark.parametrize(
    "labels",
    [
        ("0", "0,5", "1", "1,5", "2"),
        ("0", "0.5 partly", "1", "cannot tell"),
        ("-1", "0", "1"),
        ("(1)", "(1.5)", "(2)"),
        ("9", "10", "11"),
    ],
)
def test_a_scale_with_numbers_that_no_key_has_gets_the_digits_of_its_places(labels: tuple[str, ...]) -> None:
    keys = answer_keys(labels, set())
    assert keys == {label: (str(place),) for place, label in enumerate(labels, 1)}
    written = ways_to_write(labels, set())
    assert {line: written[line] for line in map(str, range(1, len(labels) + 1))} == {
        str(place): label for place, label in enumerate(labels, 1)
    }
    assert {written[label] for label in labels if label not in "123456789"} <= {*labels}


def test_of_many_labels_those_with_numbers_and_the_last_used_have_digits() -> None:
    labels = (*(f"label {n}" for n in range(20)), "5 stars")
    used = ["label 3", "label 7", "label 3"]
    assert answer_keys(labels, set(), used) == {"5 stars": ("5",), "label 3": ("1",), "label 7": ("2",)}
    assert answer_keys(labels, set()) == {"5 stars": ("5",)}


def test_a_label_keeps_its_digit_until_it_is_the_one_used_longest_ago() -> None:
    places = "123"
    assert last_used("abc", places) == {"a": "1", "b": "2", "c": "3"}
    assert last_used("abcad", places) == {"a": "1", "d": "2", "c": "3"}
    assert last_used("abc", "") == {}


def test_labels_whose_words_begin_as_typed_come_first() -> None:
    search = LabelSearch(
        ("creation", "no reason", "status quo bias", "Reason", "reason enough", "bias (new)")
    )
    assert search.found("rea") == ["Reason", "reason enough", "no reason", "creation"]
    assert search.found("REASON") == ["Reason", "reason enough", "no reason"]
    assert search.found("quo bi") == ["status quo bias"]
    assert search.found("(ne") == ["bias (new)"]
    assert search.found("xyz") == []
    assert len(search.found("")) == 6


def test_four_letters_tell_a_label_apart_wherever_they_begin_one_of_its_words() -> None:
    labels = tuple(
        f"{head} {tail}" for head in ("anchoring", "framing", "recency") for tail in "abcdefghijklmno"
    )
    labels += ("reactance", "overreacting", "sunk cost", "cost-free")
    for letters, label in (
        ("rea", "reactance"),
        ("sunk", "sunk cost"),
        ("free", "cost-free"),
        ("over", "overreacting"),
    ):
        assert LabelSearch(labels).found(letters)[0] == label


@pytest.mark.parametrize(
    ("label", "key", "shown"),
    [
        ("1 very easy", "1", "very easy"),
        ("1: some of it", "1", "some of it"),
        ("2 easy", "3", "2 easy"),
        ("10 worst", "-", "10 worst"),
        ("1", "1", "1"),
        ("good", "g", "good"),
    ],
)
def test_beside_its_key_a_label_does_not_repeat_its_number(label: str, key: str, shown: str) -> None:
    assert beside_key(label, key) == shown
