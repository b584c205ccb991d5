"""Templates with slots: expressions, faults with their places, and different fillings."""

import random
from fractions import Fraction

import pytest

from reviewer.core.errors import InputError
from reviewer.protocols.templates.expressions import ExpressionError, number_text, parse_expression
from reviewer.protocols.templates.slot_template import FilledSlots, slot_templates

TEMPLATE = """
[lists]
city = ["Oslo", "Rome", "Bern"]
[[templates]]
name = "trip"
group = "Availability"
levels = [["start"], ["start", "more"], ["start", "more"], ["start", "more"], ["start", "more", "end"]]
choices = [{ text = "to <city>", key = "biased" }, { text = "<half = way / 2> km", key = "unbiased" }]
[templates.parts]
start = "It is <way = [3, 9] * 100> km < 1000 km."
more = "Go to <city>."
end = "<way> km!"
"""
VALUES = {"a": Fraction(3), "b": Fraction(1, 4)}
EXPRESSIONS = {
    "1 + 2 * 3": 7,
    "(1 + 2) * 3": 9,
    "7 / 2 / 7": Fraction(1, 2),
    "8 − 2 - 1": 5,
    "-a + .5 * 2".replace(".5", "0.5"): -2,
    "a * b": Fraction(3, 4),
    "round(2.5) + round(3.5)": 6,
    "round(a / 7, 2)": Fraction(43, 100),
    "round(1250, -2)": 1200,
    "floor(-0.5) + ceil(0.5)": 0,
    "min(max(a, 5), 4)": 4,
    "[4, 4] / 100": Fraction(1, 25),
}
FAULTS = {
    "": "ends too early",
    "1 +": "ends too early",
    "(1": r"lacks a '\)' at its end",
    "1 2": "has '2' where it does not belong",
    "a.b": "has '.' where it does not belong",
    "2 ** 3": r"has '\*' where it does not belong",
    "__import__('os')": "no such name",
    "1 / 0": "divides by 0; choose values that cannot give 0 there",
    "1 / (2 - 2)": "divides by 0",
    "[9, 3]": r"bounds the wrong way round \(9 and 3\); put the lower one first",
    "[1, 2.5]": "not whole",
    "round(1, a)": "decimals",
    "(" * 40 + "1" + ")" * 40: "nested more than 30 deep",
    "9" * 30: "more than 15 characters",
    "100000000 * 100000000": "gives a number above",
    "1 + " * 60 + "1": "more than 200 characters",
}


def known(name: str) -> None:
    if name not in VALUES:
        raise ExpressionError("no such name", "give another")


@pytest.mark.parametrize(("text", "number"), EXPRESSIONS.items(), ids=list(EXPRESSIONS))
def test_an_expression_is_computed_exactly(text: str, number: Fraction | int) -> None:
    assert parse_expression(text, known)(VALUES, random.Random(0)) == number


@pytest.mark.parametrize(("text", "wrong"), FAULTS.items(), ids=[text[:20] for text in FAULTS])
def test_a_fault_of_an_expression_is_told_when_it_is_read(text: str, wrong: str) -> None:
    with pytest.raises(ExpressionError, match=wrong):
        parse_expression(text, known)


def test_numbers_read_as_people_write_them() -> None:
    assert [number_text(Fraction(*pair)) for pair in ((600, 1), (1, 4), (2, 3))] == [
        "600",
        "0.25",
        "0.666667",
    ]


def changed(old: str, new: str) -> str:
    assert old in TEMPLATE
    return TEMPLATE.replace(old, new, 1)


def filled(text: str) -> list[FilledSlots]:
    return [each for template in slot_templates(text, "'t.toml'", 5) for each in template.fillings(5, 0)]


PLACED = {
    "refers to a later slot": (
        ("It is <way =", "In <half> it is <way ="),
        "line 10, column 13: refers to <half>, whose",
    ),
    "an expression with a later one": (
        ("[3, 9] * 100", "half * 2"),
        "refers to <half>, whose value stands later",
    ),
    "itself": (
        ("[3, 9] * 100", "way + 1"),
        "line 10, column 16: <way> refers to itself; use earlier values only",
    ),
    "a word in an expression": (("[3, 9] * 100", "city * 2"), "city is a list of words"),
    "divides by 0": (("way / 2", "1 / (way - way)"), "<half> divides by 0"),
    "bounds": (("[3, 9]", "[9, 3]"), "bounds the wrong way round"),
    "defined twice": (("<way> km!", "<way = 2> km!"), "<way> has a value already"),
    "unknown": (("Go to <city>", "Go to <town>"), "line 11, column 15: no list and no slot is named 'town'"),
    "not closed": (
        ("<way> km!", "<way km!"),
        "line 12, column 8: a slot is never closed; add > behind its name",
    ),
    "nested": (("Go to <city>", "Go to <a <city>>"), "holds another slot or is never closed"),
    "empty": (("Go to <city>", "Go to <>"), "a slot is empty"),
    "no name": (("Go to <city>", "Go to <my city>"), "cannot be the name of a slot"),
    "four levels": (
        ('["start"], ', ""),
        "template trip, line 7, column 1: has 4 levels; give 5 lists of parts",
    ),
    "unknown part": (('["start"], ', '["begin"], '), "has no part begin, which a level names"),
    "unused part": (('"more", "end"]', '"more"]'), "has the part end in no level"),
    "unknown key": (("group =", "bias ="), "has the unknown key 'bias'"),
    "no table of parts": (
        ("[templates.parts]", "[[templates.parts]]"),
        "has parts that is not a table",
    ),
    "an empty list": (('["Oslo", "Rome", "Bern"]', "[]"), "list city: is not a list of texts"),
}


@pytest.mark.parametrize(("change", "wrong"), PLACED.values(), ids=list(PLACED))
def test_a_fault_of_a_template_is_one_sentence_with_its_place(change: tuple[str, str], wrong: str) -> None:
    with pytest.raises(InputError) as caught:
        filled(changed(*change))
    assert wrong in str(caught.value)
    assert str(caught.value).startswith("'t.toml'")


@pytest.mark.parametrize("chance", ["6 / ([0, 9] - 9)", "[way, 899]", "[301, way]"])
def test_what_only_some_draws_make_impossible_is_found_by_trying(chance: str) -> None:
    (template,) = slot_templates(changed("way / 2", chance), "'t.toml'", 5)
    with pytest.raises(
        InputError, match=r"line 8, column \d+: <half> (divides by 0|has bounds the wrong way)"
    ):
        template.try_out()


def test_fillings_differ_repeat_with_their_seed_and_turn_the_choices() -> None:
    (template,) = slot_templates(TEMPLATE, "'t.toml'", 5)
    made = list(template.fillings(20, 0))
    assert len({tuple(each.values.items()) for each in made}) == 20
    assert made == list(template.fillings(20, 0)) != list(template.fillings(20, 1))
    assert [each.choices[0][1] for each in made[:4]] == ["biased", "unbiased"] * 2
    values = made[0].values
    assert int(values["half"]) * 2 == int(values["way"])
    last = "".join(piece.text for piece in made[0].levels[4])
    assert last == f"It is {values['way']} km < 1000 km. Go to {values['city']}. {values['way']} km!"
    with pytest.raises(InputError, match="has only 21 different fillings, not 22; add words or numbers"):
        list(template.fillings(22, 0))
