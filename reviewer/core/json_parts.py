"""A large JSON object written in parts, so that neither its text nor its lists are ever held whole."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

UNSEEN = {
    code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
}
"""What terminals obey, and where some readers break lines. Only texts contain it, so JSON may escape it."""


def json_parts(whole: Mapping[str, Any]) -> Iterator[str]:
    """The parts of ``json.dumps(whole, indent=1, sort_keys=True)`` and a line end, with UNSEEN escaped.

    Iterators among the values are written as lists, one element after the other.
    """
    before = "{"
    for name in sorted(whole):
        value = whole[name]
        yield f"{before}\n {_text(name)}: "
        if isinstance(value, Iterator):
            yield from _elements(value)
        else:
            yield _text(value, 1)
        before = ","
    yield "\n}\n" if whole else "{}\n"


def _elements(values: Iterator[Any]) -> Iterator[str]:
    before = "["
    for value in values:
        yield f"{before}\n  {_text(value, 2)}"
        before = ","
    yield "[]" if before == "[" else "\n ]"


def _text(value: Any, depth: int = 0) -> str:
    """The text of a value at a depth. Texts in JSON have no line ends of their own."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
    return text.translate(UNSEEN).replace("\n", "\n" + " " * depth)
