"""Templates in both forms: read, written, read again, and refused with a place."""

import random

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.protocols.templates.case_template import CaseTemplate
from reviewer.protocols.templates.template_toml import TemplateFile, templates_from_toml, templates_to_toml
from reviewer.protocols.treatment_tests.published_xml import template_from_xml, template_to_xml

XML = """<config bias="Late Start">
    <custom_values name="hour">
        <value name="distribution">randint</value>
        <value name="min">7</value>
        <value name="max">10</value>
    </custom_values>
    <custom_values name="day"><value>Monday</value><value>Friday &amp; Sunday</value></custom_values>
    <variant name="default">
        <template type="control">
            <situation>You are [[a role]] &amp; start at {{hour}}.</situation>
            <prompt>When do you go on {{day}}?</prompt>
            <option>early</option>
            <option>by [[a time]]</option>
        </template>
        <template type="treatment">
            <situation>You are [[a role]] and [[the opposite of: [[a role]]]].</situation>
            <prompt>When do you go?</prompt>
            <option>early</option>
            <option>late</option>
        </template>
    </variant>
</config>
"""
TOML = """
scenarios = ["A clerk deciding when to go."]

[[templates]]
group = "Late Start"
definition = "A late start is taken for a good one."
values.hour = { from = 14, below = 20, step = 2 }
values.rest = "24 - hour"
values.mood = { ask = "a mood at {{hour}}" }
values.day = ["Monday", "Friday"]
rules.k = { value = "day", choices = { Monday = 1, Friday = -1 } }
rules.x1 = "hour / 2"
rules.x2 = -3

[[templates.variants]]
control.situations = ["You are [[a role]] at {{hour}}, {{mood}}."]
control.prompt = "When on {{day}}?"
control.options = ["early", "late"]
treatment.situations = ["You are [[a role]] with {{rest}} hours left."]
treatment.prompt = "When?"
treatment.options = ["early", "late"]
"""


def of_toml(text: str) -> CaseTemplate:
    return templates_from_toml(text, "'a.toml'").templates[0]


def test_the_published_form_is_written_and_read_again_equal() -> None:
    template = template_from_xml(XML, "'a.xml'")
    assert template_from_xml(template_to_xml(template), "'b.xml'") == template
    assert template.values["day"].choices == ("Monday", "Friday & Sunday")  # type: ignore[union-attr]


def test_our_form_is_written_and_read_again_equal() -> None:
    file = templates_from_toml(TOML, "'a.toml'")
    assert templates_from_toml(templates_to_toml(file), "'b.toml'") == file
    published = TemplateFile((template_from_xml(XML, "'a.xml'"),))
    assert templates_from_toml(templates_to_toml(published), "'b.toml'") == published


def test_places_are_those_in_the_file() -> None:
    (variant,) = template_from_xml(XML, "'a.xml'").variants
    assert [part.place.column for part in variant.control.situations[0]] == [24, 32, 42, 58, 66]
    assert variant.control.options[1][1].place.line == 13
    (variant,) = of_toml(TOML).variants
    assert (variant.control.situations[0][1].place.line, variant.control.prompt[1].place.column) == (16, 27)


def test_values_are_sampled_by_chance_alone_and_follow_each_other() -> None:
    template = of_toml(TOML)
    drawn = [template.sampled(random.Random(seed), "default") for seed in range(20)]
    assert drawn == [template.sampled(random.Random(seed), "default") for seed in range(20)]
    assert {each["hour"] for each in drawn} == {"14", "16", "18"}
    assert all(int(each["hour"]) + int(each["rest"]) == 24 for each in drawn)
    numbers = {name: rule.number({"hour": "14", "day": "Friday"}) for name, rule in template.rules.items()}
    assert numbers == {"k": -1, "x1": 7, "x2": -3}


IN_XML = {
    "a document type": ("<config", "<!DOCTYPE a [<!ENTITY b 'c'>]><config", "document type"),
    "an unknown entity": ("You are", "&b; You are", "is not XML"),
    "no XML": ("</config>", "", "is not XML"),
    "another number of options": ("<option>late</option>", "<option>a</option>" * 2, "the treatment 3"),
    "another element": ("<prompt>When do you go on", "<ask>When</ask><prompt>When do you go on", "'ask'"),
    "text beside elements": ('<template type="control">', '<template type="control">So', "text beside"),
    "a range without numbers": (">7<", ">seven<", "line 2, column 5: value 'hour' uses 'seven', which"),
    "a range that is no number": (">7<", ">7 - <", "line 4, column 9: has a range whose min is not a whole"),
    "a range of halves": (">7<", ">7 / 2<", "line 4, column 9: has a range whose min is not a whole"),
    "a range by words": (">7<", ">day - 1<", "line 2, column 5: value 'hour' uses 'day', which can be 'Mon"),
    "a range by itself": (">7<", ">hour - 1<", "line 2, column 5: value 'hour' follows from itself"),
    "a step of nothing": ('name="distribution">randint', 'name="step">0', "'hour' has the step 0"),
    "a range drawn otherwise": (
        ">randint<",
        ">normal<",
        "line 3, .* has a range with the unknown distribution",
    ),
    "a range of nothing": (">10<", ">7<", "nothing to choose from"),
    "another type": (
        'type="treatment"',
        'type="other"',
        "line 15, column 9: has a template of the type 'oth",
    ),
    "two controls": ('type="treatment"', 'type="control"', "second 'template' with the type 'control'"),
    "two lists of one name": ('name="day"', 'name="hour"', "second 'custom_values' with the name 'hour'"),
    "a step by words": (
        'name="distribution"',
        'name="step"',
        "line 3, .* step is not a whole number",
    ),
    "a name that no range has": (
        'name="distribution"',
        'name="top"',
        "line 3, .* has 'top' in a range",
    ),
    "no bias": (' bias="Late Start"', "", "without its bias"),
}


@pytest.mark.parametrize(("before", "after", "wrong"), IN_XML.values(), ids=list(IN_XML))
def test_a_fault_in_the_published_form_is_named(before: str, after: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        template_from_xml(XML.replace(before, after, 1), "'a.xml'")


def test_a_million_templates_are_refused_at_once() -> None:
    with pytest.raises(InputError, match="more than 5,000 elements"):
        template_from_xml("<config bias='a'>" + "<variant/>" * 6_000, "'a.xml'")


IN_TOML = {
    "an unknown key": ("rules.k", "rule.k", "unknown key 'rule'"),
    "a rule without its value": ('"hour / 2"', '"time / 2"', "uses the value 'time', which no list gives"),
    "a rule without a choice": (", Friday = -1", "", "gives no number for 'Friday'"),
    "an open gap": ("[[a role]] with", "[[a role with", "line 19, column 34: opens a gap"),
    "a rest of words": ('"24 - hour"', '"24 - day"', "value 'rest' uses 'day', which can be 'Monday'; use"),
    "a rest of a draw": ('"24 - hour"', '"[1, 5] - hour"', "value 'rest' draws a number; give the value a"),
    "a list of numbers": ('["Monday", "Friday"]', "[1, 2]", "is not a list of texts"),
    "no TOML": ("rules.x2 = -3", "rules.x2 =", "is not valid TOML"),
    "a rule that divides by 0": ('"hour / 2"', '"1 / (hour - 14)"', "the rule for x1 divides by 0"),
    "a rule of an asked text": ('"hour / 2"', '"mood"', "uses the value 'mood', which is not sampled"),
    "an option twice": (
        '["early", "late"]',
        '["early", "Early"]',
        "has the option 'Early' twice; reword one",
    ),
    "a range of a billion": (
        "below = 20, step = 2",
        "below = 1_000_000_014",
        "has 1,000,000,000 numbers",
    ),
    "a range drawn otherwise": (
        "below = 20, step = 2",
        'below = 20, distribution = "normal"',
        "has the unknown distribution 'normal'; use randint or uniform",
    ),
    "no prompt": ('treatment.prompt = "When?"', "", "has no prompt"),
}


@pytest.mark.parametrize(("before", "after", "wrong"), IN_TOML.values(), ids=list(IN_TOML))
def test_a_fault_in_our_form_is_named(before: str, after: str, wrong: str) -> None:
    with pytest.raises(InputError, match=wrong):
        of_toml(TOML.replace(before, after, 1))


MORE = """
[[templates.variants]]
name = "NAME"
control = { prompt = "When?", options = OPTIONS }
treatment = { prompt = "When now?", options = OPTIONS }
"""


@pytest.mark.parametrize(
    ("name", "options", "wrong"),
    [
        ("other", ["a", "b", "c"], "line 25, column 43: the variant 'other' has 3 options and 'default' 2"),
        ("default", ["a", "b"], "has the variant 'default' twice; rename one"),
    ],
)
def test_variants_have_names_of_their_own_and_the_same_number_of_options(
    name: str, options: list[str], wrong: str
) -> None:
    with pytest.raises(InputError, match=wrong):
        of_toml(TOML + MORE.replace("NAME", name).replace("OPTIONS", str(options)))


def test_what_the_published_form_cannot_hold_is_not_written_to_it() -> None:
    with pytest.raises(RequestError, match="write the template as TOML"):
        template_to_xml(of_toml(TOML))
