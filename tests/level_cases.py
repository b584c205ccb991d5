"""Instances at five levels of detail, made for tests of ours."""

from reviewer.protocols.detail_levels.levels_protocol import ANSWERS, DetailLevels
from store.records import Case

PROTOCOL = DetailLevels()
CHOICES = ("by plane", "by car", "it makes no difference")
KEYS = ("unbiased", "biased", "unrelated")


def an_instance(number: int, group: str = "Availability", **given: object) -> Case:
    """An instance with a text of its own; two each share a template."""
    text = f"Trip {number}: how do you travel?"
    payload = {
        "template": f"trip-{number // 2}",
        "levels": [text + " Think." * level for level in range(5)],
        "choices": [{"text": text, "key": key} for text, key in zip(CHOICES, KEYS, strict=True)],
        **given,
    }
    return PROTOCOL.case(group, payload)


def an_answer(number: int) -> Case:
    """A free answer to a level of an instance."""
    return ANSWERS.case("Availability", {"text": f"Trip {number}?", "choices": CHOICES, "answer": "By car."})
