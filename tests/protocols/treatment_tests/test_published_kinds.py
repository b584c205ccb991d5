"""Published templates that leave values to other code, and rules beside a file."""

import random
from fractions import Fraction

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.protocols.templates.case_template import CaseTemplate, OutsideValue, VariantValue
from reviewer.protocols.templates.template_faults import check_fillable, values_to_give
from reviewer.protocols.templates.template_toml import (
    TemplateFile,
    rules_from_toml,
    templates_as_values,
    templates_from_toml,
    templates_to_toml,
)
from reviewer.protocols.treatment_tests.generation import TreatmentSettings, templates_in
from reviewer.protocols.treatment_tests.published_scores import (
    joined_name,
    published_template,
    published_text,
    with_rules,
)
from reviewer.protocols.treatment_tests.treatment_test import ScoreParameters, template_weights

RISK = """<config bias="Steep Path">
    <custom_values name="initial_risk">
        <value name="distribution">randint</value>
        <value name="min">30</value>
        <value name="max">60</value>
        <value name="step">10</value>
    </custom_values>
    <custom_values name="new_risk">
        <value name="min">10</value>
        <value name="max">initial_risk-10</value>
        <value name="step">10</value>
    </custom_values>
    <custom_values name="reason">
        <value name="default">by chance</value>
        <value name="law">by law</value>
    </custom_values>
    <variant name="default">VERSIONS</variant>
    <variant name="law">VERSIONS</variant>
</config>
""".replace(
    "VERSIONS",
    """
        <template type="control">
            <situation>The path has a risk of {{initial_risk}}%, {{reason}}.</situation>
            <prompt>Do you go?</prompt><option>yes</option><option>in {{hours}} hours</option>
        </template>
        <template type="treatment">
            <situation>A rail lowers the risk by {{fall}} points to {{new_risk}}%.</situation>
            <prompt>Do you go?</prompt><option>yes</option><option>in {{hours}} hours</option>
        </template>""",
)
RULES = """
[[templates]]
group = "SteepPath"
values.fall = "initial_risk - new_risk"
values.hours = ["2", "3"]
rules.k = 1
rules.x1 = "round(initial_risk / 10) + 5"
rules.x2 = "(new_risk - 5) / 10"
"""


def risk(*changes: tuple[str, str]) -> CaseTemplate:
    text = RISK
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return published_template(text, "'risk.xml'")


def risk_with_rules(text: str = RULES) -> CaseTemplate:
    (rules,) = rules_from_toml(text, "'rules.toml'")
    return with_rules(risk(), {joined_name(rules.group): rules})


def test_value_that_no_list_gives_is_named_with_its_place_and_must_be_given() -> None:
    wanted = {name: (wrong, place.line) for name, wrong, place in values_to_give(risk())}
    assert wanted == {
        "fall": ("value 'fall' is computed elsewhere", 23),
        "hours": ("value 'hours' is computed elsewhere", 20),
    }
    with pytest.raises(
        InputError, match=r"'risk.xml', line 20, .*'hours' is computed elsewhere; give it as val"
    ):
        check_fillable(risk())


def test_generation_refuses_a_value_that_is_computed_elsewhere() -> None:
    written = templates_to_toml(TemplateFile((risk(),)))
    (read,) = templates_from_toml(written, "'a.toml'").templates
    assert read == risk()
    settings = TreatmentSettings.model_validate({"templates": templates_settings(risk())})
    with pytest.raises(InputError, match=r"'hours' is computed elsewhere; give it as values\.hours"):
        templates_in(settings)
    settings = TreatmentSettings.model_validate({"templates": templates_settings(risk_with_rules())})
    assert templates_in(settings) == (risk_with_rules(),)


def templates_settings(template: CaseTemplate) -> object:

    return templates_as_values(TemplateFile((template,)))["templates"]


def test_range_has_steps_and_an_end_that_follows_from_another_value() -> None:
    template = risk_with_rules()
    drawn = [template.sampled(random.Random(seed), "law") for seed in range(200)]
    pairs = {(values["initial_risk"], values["new_risk"]) for values in drawn}
    expected = {(first, second) for first in (30, 40, 50) for second in range(10, first - 10, 10)}
    assert pairs == {(str(first), str(second)) for first, second in expected}
    assert all(int(v["initial_risk"]) - int(v["new_risk"]) == int(v["fall"]) for v in drawn)


def test_text_of_a_variant_is_that_of_its_name_or_the_default() -> None:
    template = risk(('<value name="law">by law</value>', '<value name="law">by law</value>'))
    assert template.values["reason"] == VariantValue({"default": "by chance", "law": "by law"})
    assert template.sampled(random.Random(0), "law")["reason"] == "by law"
    assert template.sampled(random.Random(0), "default")["reason"] == "by chance"


@pytest.mark.parametrize(
    ("before", "after", "known"),
    [
        ('<value name="law">', '<value name="rain">', "default = by chance; rain = by law"),
        ('<value name="default">by chance</value>', "", "law = by law"),
        ('<value name="default">', '<value name="max">5</value><value name="default">', ""),
    ],
    ids=["names that are no variants", "no text for a variant", "a range with a default"],
)
def test_named_texts_that_variants_do_not_tell_apart_must_be_given(
    before: str, after: str, known: str
) -> None:
    value = risk((before, after)).values["reason"]
    assert isinstance(value, OutsideValue)
    assert known in value.known
    assert "reason" in {name for name, _, _ in values_to_give(risk((before, after)))}


def test_range_in_decimals_must_be_given() -> None:
    value = risk((">30<", ">30.5<")).values["initial_risk"]
    assert isinstance(value, OutsideValue)
    assert "min = 30.5" in value.known


def test_range_that_can_be_empty_must_be_given() -> None:
    template = risk((">30<", ">20<"))
    assert ("new_risk", "value 'new_risk' has nothing to choose from where initial_risk is 20") in {
        (name, wrong) for name, wrong, _ in values_to_give(template)
    }


def test_parameters_have_offsets_rounding_and_the_chance_of_their_values() -> None:
    weights = template_weights(risk_with_rules())
    third, sixth = Fraction(1, 3), Fraction(1, 6)
    assert weights == {
        ScoreParameters(1, 8, 0.5): third,
        ScoreParameters(1, 9, 0.5): sixth,
        ScoreParameters(1, 9, 1.5): sixth,
        ScoreParameters(1, 10, 0.5): third / 3,
        ScoreParameters(1, 10, 1.5): third / 3,
        ScoreParameters(1, 10, 2.5): third / 3,
    }


def test_rules_round_half_to_even_or_as_they_say() -> None:
    for text, number in (
        ("round(a / 10)", 2),
        ("floor(a / 10 + 0.5)", 3),
        ("a / 10", 2.5),
        ("-(a + 5) / 10", -3),
    ):
        rules = (
            f'[[templates]]\ngroup = "A"\nvalues.a = ["25"]\nrules.k = 1\nrules.x1 = "{text}"\nrules.x2 = 0'
        )
        (table,) = rules_from_toml(rules, "'r.toml'")
        assert template_weights(table) == {ScoreParameters(1, number, 0): 1}


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ("initial_risk - new_risk", "risk - new_risk", "line 4, .*'fall' uses 'risk', which no list gives"),
        ('["2", "3"]', "3", "value 'hours'.*|has a value where a table belongs"),
        ("+ 5", "+", "the rule for x1 ends too early; complete it"),
        ("(new_risk - 5)", "(reason - 5)", "rule for x2 uses the value 'reason', which is not sampled"),
        ("rules.k = 1", "rules.k = 1\nvariants = []", "unknown key 'variants'"),
        ('group = "SteepPath"\n', "", "a table of rules has no text as its group"),
    ],
)
def test_fault_in_a_file_of_rules_is_named(before: str, after: str, wrong: str) -> None:
    assert before in RULES
    with pytest.raises(InputError, match=wrong):
        risk_with_rules(RULES.replace(before, after))


def test_kinds_of_the_published_form_are_written_and_read_again_equal() -> None:
    assert published_template(published_text(risk()), "'again.xml'") == risk()
    with pytest.raises(RequestError, match="'reason' cannot be written in the published form"):
        published_text(risk(('<value name="law">', '<value name="rain">')))
