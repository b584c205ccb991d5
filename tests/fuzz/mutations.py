"""Changing texts and bytes at random: cutting, doubling, exchanging, and inserting known hostile parts."""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 1e308, "", " ", "x", "1", "yes", "[", "{}", '["hot"', "\0", "\u202e"),
    *([], {}, [[]], [{}], [None], {"a": 1}, ["hot"], [1, [2]], {"user_id": {"id": [1]}}, "x" * 12_000),
)
"""Values that no field expects."""
_WORDS = re.compile(r"\w+")


def mutated_text(random: Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    """A text after one to six changes; ``others`` are texts to splice with, ``pieces`` what to put in."""
    for _ in range(random.choice((1, 1, 2, 3, 6))):
        text = random.choice(_CHANGES)(random, text, others, pieces)
    return text[:20_000]


def _cut(random: Random, text: str, _others: Sequence[str], _pieces: Sequence[str]) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + text[at + random.choice((1, 2, 10, 100)) :]


def _insert(random: Random, text: str, _others: Sequence[str], pieces: Sequence[str]) -> str:
    at = random.choice((0, len(text), *(random.randrange(len(text) + 1) for _ in range(4))))
    return text[:at] + random.choice(pieces) + text[at:]


def _shuffle_lines(random: Random, text: str, _others: Sequence[str], _pieces: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    random.shuffle(lines)
    return "".join(lines)


def _change_a_line(random: Random, text: str, others: Sequence[str], _pieces: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at = random.randrange(len(lines))
    lines[at] = random.choice(("", lines[at] * 2, random.choice(lines), _a_line(random, others)))
    return "".join(lines)


def _splice(random: Random, text: str, others: Sequence[str], _pieces: Sequence[str]) -> str:
    other = random.choice(others)
    return text[: random.randrange(len(text) + 1)] + other[random.randrange(len(other) + 1) :]


def _exchange_words(random: Random, text: str, _others: Sequence[str], _pieces: Sequence[str]) -> str:
    words = _WORDS.findall(text)
    return text.replace(random.choice(words), random.choice(words)) if words else text


def _a_line(random: Random, texts: Sequence[str]) -> str:
    return random.choice(random.choice(texts).splitlines(keepends=True) or [""])


_CHANGES = (_cut, _insert, _insert, _insert, _shuffle_lines, _change_a_line, _splice, _exchange_words)


def mutated_bytes(random: Random, data: bytes) -> bytes:
    """Bytes after flips, cuts, runs of one byte, or a piece moved elsewhere."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8, 64))):
        at = random.randrange(max(1, len(changed)))
        match random.randrange(5):
            case 0 | 1 if changed:
                changed[at] ^= 1 << random.randrange(8)
            case 2:
                changed[at : at + random.choice((1, 4, 100))] = random.randbytes(
                    random.choice((0, 1, 4, 100))
                )
            case 3:
                changed[at : at + 16] = random.choice((b"\0", b"\xff", b"9")) * 16
            case _:
                there = random.randrange(max(1, len(changed)))
                changed[at : at + 32] = changed[there : there + 32]
    return bytes(changed[: random.randrange(len(changed) + 1)] if random.random() < 0.1 else changed)


def changed_value(random: Random, value: Any, names: Sequence[str]) -> Any:
    """The value with a few others in it, fields that are gone, and fields of other names."""
    if random.random() < 0.05:
        return random.choice(ODD)
    if isinstance(value, Mapping):
        left = {name: one for name, one in value.items() if random.random() > 0.02}
        return {
            random.choice(names) if random.random() < 0.02 else name: changed_value(random, one, names)
            for name, one in left.items()
        }
    return [changed_value(random, one, names) for one in value] if isinstance(value, list) else value
