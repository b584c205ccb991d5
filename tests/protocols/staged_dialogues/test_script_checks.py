"""A script or question of each kind of fault gives exactly its findings, with their places."""

from collections.abc import Mapping

import pytest

from reviewer.protocols.staged_dialogues.biases import BIASES
from reviewer.protocols.staged_dialogues.script import OpenQuestion, Script
from reviewer.protocols.staged_dialogues.script_checks import (
    judge_question,
    judge_script,
    stems_of,
)
from tests.staged_cases import ROLES, RULES, a_script_payload, an_open_question

BIAS = "Sunk cost fallacy"
ADA, BEN, CLEO = ROLES


def failed(bias: str = BIAS, **given: object) -> dict[str, str]:
    script = Script.model_validate(a_script_payload(**given))
    return {result.check: result.why for result in judge_script(script, bias) if not result.passed}


def a_rule(**given: object) -> Mapping[str, object]:
    return {"mode": "unicast", "purpose": "joke", "text": "Ben asks Ada.", **given}


def test_script_without_a_fault_has_no_finding() -> None:
    assert failed() == {}


@pytest.mark.parametrize(
    ("given", "check", "why"),
    [
        (
            {"roles": [ADA, BEN, {**CLEO, "kind": "other"}]},
            "roles_of_each_kind",
            "The script has no moderator.",
        ),
        (
            {
                "roles": [*ROLES, {"name": "Dan", "kind": "subject"}],
                "rules": [*RULES, a_rule(text="Dan asks Ada.")],
            },
            "roles_of_each_kind",
            "The script has 2 subjects.",
        ),
        (
            {
                "roles": [*ROLES, {"name": "ada", "kind": "other"}],
                "rules": [*RULES, a_rule(text="ada asks Ben.")],
            },
            "role_names",
            "Role 1 has the name of another role (“Ada”); role 4 has the name of another role (“ada”).",
        ),
        (
            {"roles": [*ROLES, {"name": "Multicast", "kind": "other"}]},
            "role_names",
            "Role 4 has a name that means something else (“Multicast”).",
        ),
        (
            {"roles": [{**ADA, "task": "Ada thinks of Sunk-Costs."}, BEN, CLEO]},
            "subject_is_told",
            "Role 1 task (characters 15 to 24) names the bias (“Sunk-Costs”).",
        ),
        (
            {"background": "A study of the sunk cost fallacy."},
            "subject_is_told",
            "The background (characters 16 to 32) names the bias (“sunk cost fallacy”).",
        ),
        (
            {"rules": [*RULES, a_rule(text="Ben tells Ada of the sunk cost.")]},
            "others_are_told",
            "Rule 5 (characters 22 to 30) names the bias (“sunk cost”).",
        ),
        (
            {
                "background": "A bakery.",
                "rules": [*RULES, a_rule(text="Ben loves Ada's oven.")],
                "stems": ["oven"],
            },
            "others_are_told",
            "Role 2 background (characters 11 to 15) names the bias (“ovens”)",
        ),
        ({"rules": [*RULES, a_rule(mode="An alle")]}, "modes", "Rule 5 has the mode “An alle”."),
        ({"rules": [*RULES, a_rule(mode="")]}, "modes", "Rule 5 has no mode."),
        ({"rules": [*RULES, a_rule(purpose="Witz")]}, "purposes", "Rule 5 has the purpose “Witz”."),
        ({"rules": [*RULES, a_rule(text="")]}, "texts_of_rules", "Rule 5 has no text."),
        (
            {"rules": [*RULES, a_rule(text="Dan asks Ada.")]},
            "addressees",
            "Rule 5 is for “Dan”, who has no role.",
        ),
        (
            {"rules": [*RULES, a_rule(speaker="Ben", addressees=["Dan"])]},
            "addressees",
            "Rule 5 is for “Dan”, who has no role.",
        ),
        ({"rules": [*RULES, a_rule(text="It rains.")]}, "addressees", "Rule 5 is said by nobody known."),
        (
            {"rules": [*RULES, a_rule(text="Ben laughs.")]},
            "assumed_addressees",
            "Rule 5 names no addressee, so it is taken to go to Ada.",
        ),
        (
            {
                "roles": [*ROLES, {"name": "Dan", "kind": "other"}],
                "rules": [r for r in RULES if r["mode"] != "broadcast"],
            },
            "unused_roles",
            "Role 4 (“Dan”) takes part in no rule.",
        ),
        ({"method": " "}, "method", "The script says no method of observation."),
        (
            {"rules": RULES * 75},
            "size",
            "The script has 300 rules, more than 60.",
        ),
        (
            {"roles": [*ROLES, *({"name": f"Guest {number}x", "kind": "other"} for number in range(37))]},
            "size",
            "The script has 40 roles, more than 12.",
        ),
    ],
)
def test_each_fault_gives_its_finding_alone(given: Mapping[str, object], check: str, why: str) -> None:
    found = failed(**given)
    assert list(found) == [check]
    assert found[check].startswith(why)


def test_bias_outside_the_72_is_named() -> None:
    assert failed("Order bias")["known_bias"].startswith("The bias “Order bias” is none of the 72, so")
    assert failed("Sunk cots fallacy")["known_bias"].endswith("did you mean “Sunk cost fallacy”.")
    for bias in ("Contrast effect", "Distinction bias"):
        assert failed(bias) == {}


def test_place_of_a_finding_is_its_piece_and_its_characters() -> None:
    script = Script.model_validate(
        a_script_payload(rules=[*RULES, a_rule(text="Ben tells Ada of the sunk cost.")])
    )
    (place,) = [place for result in judge_script(script, BIAS) for place in result.places]
    assert (place.part, script.rules[4].text[place.start : place.end]) == ("rule 5", "sunk cost")


def test_no_stem_is_a_word_of_other_meaning_alone() -> None:
    short = {"unit", "order", "belief", "present", "outcome", "information", "default", "impact", "contrast"}
    assert not [bias.name for bias in BIASES if short & set(map(str.casefold, stems_of(bias.name)))]
    assert stems_of("Anchoring effect")[-1] == "anchor"


def asked(**given: object) -> dict[str, str]:
    payload = an_open_question(criterion="word " * 90, **given).payload
    question = OpenQuestion.model_validate(payload)
    return {result.check: result.why for result in judge_question(question, BIAS) if not result.passed}


def test_open_question_is_long_enough_and_does_not_name_the_bias() -> None:
    assert asked() == {}
    assert asked(scenario="Short.") == {"length": "The case has 97 words, fewer than 100."}
    named = asked(question="Do you know the sunk cost fallacy, and what do you do?")
    assert named == {
        "subject_is_told": "Question (characters 17 to 33) names the bias (“sunk cost fallacy”)."
    }
