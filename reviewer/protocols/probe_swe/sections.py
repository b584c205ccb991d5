"""The sections of a reply, with headings and fences in various styles.

Headings are lines such as ``## Unbiased``, ``**Unbiased**`` or ``Unbiased:`` outside of fences. A fence is
three or more backticks, tildes or quotes of one kind; fenced text is taken unchanged.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,}|'{3,}|‘{3,}|’{3,}|\"{3,})([^\n]*)")
_HEADING = re.compile(r"[ \t]*(#{1,6}|\*\*|)[ \t]*(\w[^\n#*:]{0,60}?)[ \t]*(:?)(\*\*|)(:?)[ \t#]*")
_WRAPPING = re.compile(r"\A\s*(`{3,}|~{3,})[ \t]*(?:markdown|md)[ \t]*\n(.*?)(?:\n\1[ \t]*)?\s*\Z", re.DOTALL)
_QUOTES = ("`", "'", '"', "‘’", "“”")


@dataclass(frozen=True, slots=True)
class ReplySection:
    """The text below a heading; ``name`` is the recognised name of the heading."""

    name: str
    body: str


def sections_of(text: str, recognise: Callable[[str], str | None]) -> Iterator[ReplySection]:
    """The sections with recognised headings, in order; text before the first one is left out."""
    name, body = None, list[str]()
    for line, fenced in _lines(_unwrapped(text)):
        recognised = None if fenced else _recognised(line, recognise)
        if recognised is None:
            body.append(line)
            continue
        if name is not None:
            yield ReplySection(name, content("\n".join(body)))
        name, body = recognised, []
    if name is not None:
        yield ReplySection(name, content("\n".join(body)))


def content(text: str) -> str:
    """The first fenced part of a text, or the whole text if nothing is fenced; without quotes around it."""
    lines, fence = list[str](), ""
    for line in text.split("\n"):
        mark = _fence(line)
        if fence and mark.startswith(fence):
            return "\n".join(lines).strip()
        if not fence and mark:
            fence, lines = mark, []
        else:
            lines.append(line)
    return _unquoted("\n".join(lines).strip())


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Every line, and whether it is fenced or a fence itself."""
    fence = ""
    for line in text.split("\n"):
        mark = _fence(line)
        if fence:
            yield line, True
            fence = "" if mark.startswith(fence) else fence
        else:
            yield line, bool(mark)
            fence = mark


def _fence(line: str) -> str:
    """The marks of a line that opens or closes a fence; "" for any other line."""
    match = _FENCE.fullmatch(line)
    if match is None or match[1][0] in match[2]:
        return ""
    return match[1][:3]


def _recognised(line: str, recognise: Callable[[str], str | None]) -> str | None:
    match = _HEADING.fullmatch(line)
    if match is None or not (match[1] or match[3] or match[5]):
        return None
    return recognise(" ".join(match[2].casefold().split()))


def _unwrapped(text: str) -> str:
    """The text without a fence that encloses all of it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    match = _WRAPPING.fullmatch(text)
    return match[2] if match else text


def _unquoted(text: str) -> str:
    for marks in _QUOTES:
        inner = text[1:-1]
        if len(text) > 1 and text[0] == marks[0] and text[-1] == marks[-1] and not set(inner) & set(marks):
            return inner.strip()
    return text
