"""A large JSON object written in parts, so that neither its text nor its lists are ever held whole."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def json_parts(whole: Mapping[str, Any]) -> Iterator[str]:
    """The parts of ``json.dumps(whole, indent=1, sort_keys=True)`` and a line end.

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
    return text.replace("\n", "\n" + " " * depth)
