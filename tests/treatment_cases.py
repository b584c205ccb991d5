"""Tests of a bias with a control and a treatment, made for tests of ours."""

from reviewer.protocols.treatment_tests.tests_protocol import TreatmentTests
from store.records import Case, JsonValue

PROTOCOL = TreatmentTests()
OPTIONS = ("surely A", "probably A", "rather A", "neither", "rather B", "probably B", "surely B")


def a_test(number: int, group: str = "Bandwagon Effect", **given: object) -> Case:
    """A test with a text of its own."""
    text = f"You plan garden {number}. Which opinion do you share?"
    payload = {
        "scenario": f"A gardener deciding about garden {number // 2}.",
        "control": text,
        "treatment": f"Most share A. {text}",
        "options": OPTIONS,
        "k": 1,
        "x1": 0,
        "x2": 0,
        **given,
    }
    return PROTOCOL.case(group, payload)


TEMPLATES: dict[str, JsonValue] = {
    "scenarios": [f"A gardener deciding about garden {number}." for number in range(7)],
    "templates": [
        {
            "group": "Bandwagon Effect",
            "values": {"others": ["roses", "tulips"], "share": {"from": 60, "below": 95}},
            "rules": {"k": {"value": "others", "choices": {"roses": 1, "tulips": -1}}, "x1": 0, "x2": 0},
            "variants": [
                {
                    "control": {
                        "situations": [
                            "You work as [[a role of at least five words]].",
                            "You plan [[a garden. Do not include any numbers.]].",
                        ],
                        "prompt": "Which flowers do you choose?",
                        "options": ["surely roses", "neither", "surely [[tulips in other words]]"],
                    },
                    "treatment": {
                        "situations": [
                            "You work as [[a role of at least five words]].",
                            "You plan [[a garden. Do not include any numbers.]].",
                            "You heard that [[a clause that {{share}}% of people prefer {{others}}]].",
                        ],
                        "prompt": "Which flowers do you choose?",
                        "options": ["surely roses", "neither", "surely [[tulips in other words]]"],
                    },
                }
            ],
        }
    ],
}
"""What the generation of tests needs: scenarios, and a template with a gap of the treatment alone."""
