"""Tests of a bias with a control and a treatment, made for tests of ours."""

from reviewer.protocols.treatment_tests.protocol import TreatmentTests
from store.records import Case

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
