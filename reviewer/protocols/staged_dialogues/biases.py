"""The 72 biases that a text may show, from ``biases.toml``, with the spellings of their names."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from reviewer.core.source_text import shipped_toml


@dataclass(frozen=True, slots=True)
class Bias:
    """A bias by its name, with its definition, other spellings of the name, and a note for readers."""

    name: str
    definition: str
    also: tuple[str, ...] = ()
    note: str = ""


def _read(kind: str) -> Iterator[Bias]:
    for row in shipped_toml("reviewer.protocols.staged_dialogues", "biases.toml")[kind]:
        yield Bias(row["name"], row["definition"], tuple(row.get("also", ())), row.get("note", ""))


BIASES: Final = tuple(_read("bias"))
"""The 72, in the order of the published tables."""
OUTSIDE: Final = tuple(_read("outside"))
"""Biases that published files name and that are none of the 72."""
DEFINITIONS: Final = {bias.name: bias.definition for bias in (*BIASES, *OUTSIDE)}
"""Our own definitions by name, also of those outside."""
NO_BIAS: Final = "none"
"""The label of a text that shows none of the 72."""
BIAS_LABELS: Final = (*(bias.name for bias in BIASES), NO_BIAS)
"""The 73 labels of a text."""


def bias_named(name: str) -> Bias | None:
    """The bias that a name means, in any spelling of ``biases.toml``, case and hyphens ignored; else None."""
    return _spelled().get(_folded(name))


@cache
def _spelled() -> dict[str, Bias]:
    return {_folded(name): bias for bias in (*BIASES, *OUTSIDE) for name in (bias.name, *bias.also)}


def _folded(name: str) -> str:
    return " ".join(name.replace("-", " ").replace("’", "'").casefold().split())
