"""Prompts: texts with named placeholders, from files that ``reviewer/runs/run_setup.py`` reads.

They are checked before anything is asked, and filled in one pass. A file holds messages, each below a line
``[system]``, ``[user]`` or ``[assistant]``. A placeholder is a name in braces. Inserted text is not searched
for placeholders, so text from outside cannot add any.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from reviewer.core.errors import InputError
from reviewer.core.sanitize import strange_character
from reviewer.llm.request import ChatMessage
from store.records import digest_of

Role = Literal["system", "user", "assistant"]

_HEADING = re.compile(r"^\[(system|user|assistant)\][ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
MOST_CHARACTERS_OF_PROMPT = 50_000
_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class PromptPlan:
    """The prompts of a protocol: the package whose folder ``prompts`` holds them, and for each prompt by name
    exactly the placeholders that it must have. ``texts`` are prompts that are not files of the package.
    """

    package: str
    placeholders: Mapping[str, frozenset[str]]
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prompts:
    """Prompts that were read and checked, by name, as their files hold them."""

    texts: Mapping[str, str]

    @property
    def digest(self) -> str:
        """SHA-256 over all prompts; it identifies what a run's candidates were generated with."""
        return digest_of(dict(self.texts))

    def fill(self, name: str, **values: str) -> tuple[ChatMessage, ...]:
        """The messages of a prompt with its placeholders filled; raises KeyError if a value is missing."""
        return tuple(
            ChatMessage(role, _PLACEHOLDER.sub(lambda match: values[match[1]], text))
            for role, text in _messages(self.texts[name])
        )


def checked_prompts(plan: PromptPlan, texts: Mapping[str, str]) -> Prompts:
    """The prompts of the plan from the texts of their files, by name; raises InputError."""
    for name in plan.placeholders:
        _check(name, texts[name], plan.placeholders[name])
    return Prompts({name: texts[name].strip() + "\n" for name in sorted(plan.placeholders)})


def _check(name: str, text: str, expected: frozenset[str]) -> None:
    where = f"prompt {name}.txt"
    if len(text) > MOST_CHARACTERS_OF_PROMPT or (strange := strange_character(text)):
        wrong = (
            f"has more than {MOST_CHARACTERS_OF_PROMPT:,} characters"
            if len(text) > MOST_CHARACTERS_OF_PROMPT
            else strange
        )
        raise InputError(where, str(wrong), "correct it")
    messages = _messages(text)
    before = _HEADING.split(text, maxsplit=1)[0].strip()
    if before or not messages or messages[-1][0] != "user" or not all(said for _, said in messages):
        wrong = "does not consist of messages below [system], [user] or [assistant] with [user] last"
        raise InputError(where, wrong, "write it like the shipped prompt")
    placeholders = {placeholder for _, said in messages for placeholder in _PLACEHOLDER.findall(said)}
    if missing := sorted(expected - placeholders):
        raise InputError(where, f"lacks the placeholder {{{missing[0]}}}", "add it")
    if unknown := sorted(placeholders - expected):
        known = ", ".join(f"{{{placeholder}}}" for placeholder in sorted(expected))
        raise InputError(where, f"has the unknown placeholder {{{unknown[0]}}}", f"use only {known}")


@lru_cache(maxsize=64)  # a run fills a few prompts thousands of times
def _messages(text: str) -> tuple[tuple[Role, str], ...]:
    parts = _HEADING.split(text)[1:]
    return tuple((_ROLES[role], said.strip()) for role, said in zip(parts[::2], parts[1::2], strict=True))
