"""Prompts: text files with named placeholders. They are checked when they are read and filled in one pass.

A file holds messages, each below a line ``[system]``, ``[user]`` or ``[assistant]``. A placeholder is a name
in braces. Inserted text is not searched for placeholders, so text from outside cannot add any.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line, strange_character
from reviewer.core.source_text import read_source_text
from reviewer.llm.request import ChatMessage
from store.records import digest_of

Role = Literal["system", "user", "assistant"]

_HEADING = re.compile(r"^\[(system|user|assistant)\][ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_MOST_CHARACTERS = 50_000
_MOST_BYTES = 4 * _MOST_CHARACTERS
_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class PromptPlan:
    """The prompts of a protocol: the package whose folder ``prompts`` holds them, and for each prompt by name
    exactly the placeholders that it must have.
    """

    package: str
    placeholders: Mapping[str, frozenset[str]]


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
            ChatMessage(role, _PLACEHOLDER.sub(lambda found: values[found[1]], text))
            for role, text in _messages(self.texts[name])
        )


def load_prompts(plan: PromptPlan, folder: Path | None = None) -> Prompts:
    """The prompts of the plan; those in ``folder`` replace shipped ones; raises InputError."""
    shipped = files(plan.package) / "prompts"
    texts = {name: (shipped / f"{name}.txt").read_text(encoding="utf-8") for name in plan.placeholders}
    if folder is not None:
        texts |= _replaced(plan, folder)
    for name, text in texts.items():
        _check(name, text, plan.placeholders[name])
    return Prompts({name: texts[name].strip() + "\n" for name in sorted(texts)})


def _replaced(plan: PromptPlan, folder: Path) -> dict[str, str]:
    where = repr(one_line(str(folder), 120))
    try:
        found = {path.stem: path for path in sorted(folder.iterdir()) if path.suffix == ".txt"}
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path can have this name"
        raise InputError(where, f"cannot be read ({reason})", "give a folder of prompts") from error
    texts = {
        name: read_source_text(path, f"prompt {name}.txt", _MOST_BYTES, "give a folder of prompts")
        for name, path in found.items()
    }
    known = ", ".join(f"{name}.txt" for name in plan.placeholders)
    if not texts:
        raise InputError(where, "contains no prompt", f"put some of {known} there")
    if strangers := sorted(texts.keys() - plan.placeholders.keys()):
        wrong = f"is not a prompt of this protocol ({known})"
        raise InputError(repr(one_line(f"{strangers[0]}.txt")), wrong, "rename or remove it")
    return texts


def _check(name: str, text: str, expected: frozenset[str]) -> None:
    where = f"prompt {name}.txt"
    if len(text) > _MOST_CHARACTERS or (strange := strange_character(text)):
        wrong = f"has more than {_MOST_CHARACTERS:,} characters" if len(text) > _MOST_CHARACTERS else strange
        raise InputError(where, str(wrong), "correct it")
    messages = _messages(text)
    before = _HEADING.split(text, maxsplit=1)[0].strip()
    if before or not messages or messages[-1][0] != "user" or not all(said for _, said in messages):
        wrong = "does not consist of messages below [system], [user] or [assistant] with [user] last"
        raise InputError(where, wrong, "write it like the shipped prompt")
    found = {placeholder for _, said in messages for placeholder in _PLACEHOLDER.findall(said)}
    if missing := sorted(expected - found):
        raise InputError(where, f"lacks the placeholder {{{missing[0]}}}", "add it")
    if unknown := sorted(found - expected):
        known = ", ".join(f"{{{placeholder}}}" for placeholder in sorted(expected))
        raise InputError(where, f"has the unknown placeholder {{{unknown[0]}}}", f"use only {known}")


def _messages(text: str) -> list[tuple[Role, str]]:
    parts = _HEADING.split(text)[1:]
    return [(_ROLES[role], said.strip()) for role, said in zip(parts[::2], parts[1::2], strict=True)]
