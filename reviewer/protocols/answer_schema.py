"""Answers as JSON by a schema: names of the labels that a reply may choose, and the choice that it made.

The reader of a protocol says which names it takes for which label under a condition. A reply that keeps to
the schema is then read without a guess. Servers may ignore the schema; their replies are read as any other.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from string import ascii_uppercase
from typing import Final, Literal

from store.records import JsonValue

AnswersAs = Literal["text", "schema"]
ANSWER: Final = "answer"
EXPLANATION: Final = "explanation"

_READ_AS: Final = "Answer: {}"
_FORMS: Final = ("Option {}", "{}")


def named_labels(read: Callable[[str], str | None], labels: Sequence[str]) -> dict[str, str]:
    """Every usual name of an option with the label that it stands for; ``read`` gives a reply's label."""
    names = [name for form in _forms(labels) for name in form]
    found = {name: read(in_words(name)) for name in dict.fromkeys(names)}
    return {name: label for name, label in found.items() if label is not None}


def answer_names(read: Callable[[str], str | None], labels: Sequence[str], asked: str) -> tuple[str, ...]:
    """Names of one form that stand for all labels, each for another; () if no form does.

    Names that the question ``asked`` has itself come before others.
    """
    forms = sorted(_forms(labels), key=lambda form: not all(_is_named(name, asked) for name in form))
    for form in forms:
        if sorted(str(read(in_words(name))) for name in form) == sorted(labels):
            return tuple(form)
    return ()


def _is_named(name: str, asked: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", asked, re.IGNORECASE) is not None


def _forms(labels: Sequence[str]) -> list[list[str]]:
    """The ways in which questions call their options: by letter, by label, by number."""
    letters = ascii_uppercase[: len(labels)]
    numbers = [str(number) for number in range(1, len(labels) + 1)]
    lettered, numbered = (
        [[form.format(one) for one in ones] for form in _FORMS] for ones in (letters, numbers)
    )
    return [*lettered, list(labels), *numbered]


def in_words(name: str) -> str:
    """A reply that names an option and says nothing else."""
    return _READ_AS.format(name)


def response_format(names: Sequence[str]) -> dict[str, JsonValue]:
    """The schema as servers take it. The explanation is first, so that a model thinks before it answers."""
    properties: dict[str, JsonValue] = {
        EXPLANATION: {"type": "string"},
        ANSWER: {"type": "string", "enum": list(names)},
    }
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": ANSWER, "strict": True, "schema": schema}}


def schema_answer(reply: str) -> str | None:
    """The answer of a reply that keeps to the schema; None for any other reply."""
    try:
        value = json.loads(reply)
    except (ValueError, RecursionError):
        return None
    answer = (
        value.get(ANSWER) if isinstance(value, Mapping) and value.keys() <= {EXPLANATION, ANSWER} else None
    )
    return answer if isinstance(answer, str) else None
