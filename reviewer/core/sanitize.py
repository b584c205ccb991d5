"""Making text from outside harmless for a terminal, and small helpers for sentences."""

import re
import unicodedata
from collections.abc import Sequence

_BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_CONTROL_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
_CONTROLS = _CONTROL_PICTURES | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_HARMLESS = (
    _CONTROLS
    | dict.fromkeys(map(ord, _BIDI_CONTROLS), 0xFFFD)
    | dict.fromkeys((0x2028, 0x2029), 0x240A)
    | dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
)

LONGEST_TEXT = 10_000
"""The maximum number of characters of a comment, a note or a reason: some pages."""

_LONGEST_SHOWN = 100
_DRAWN_AS_NOTHING = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0]")
"""Letters and signs that no font draws: fillers, the empty Braille cell, variation selectors."""

# Overrides show letters in another order. Other direction signs are part of texts from right to left.
_OVERRIDES = dict.fromkeys((0x202D, 0x202E), 0xFFFD)
_CONTROLS_BUT_LINE_ENDS = {code: sign for code, sign in _CONTROLS.items() if code != ord("\r")} | _OVERRIDES
_STRANGE = re.compile("[\0\ud800-\udfff]")


def visible(text: str) -> str:
    """The text with control characters and direction marks replaced, one for one, by visible signs."""
    return text.translate(_HARMLESS)


def without_controls(text: str) -> str:
    """The text with control characters other than tabs and line ends, and direction overrides, replaced one
    for one.
    """
    return text.translate(_CONTROLS_BUT_LINE_ENDS)


def one_line(text: str, width: int = 80) -> str:
    """The text as a single visible line of at most ``width`` characters, cut with an ellipsis."""
    line = " ".join(visible(text).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def shortened(text: str, width: int) -> str:
    """The text as a single visible line; a longer one than ``width`` ends with a whole word and " …"."""
    line = " ".join(visible(text).split())
    if len(line) <= width:
        return line
    whole_words = line[: width + 1].rpartition(" ")[0]
    return f"{whole_words or line[:width]} …"


def shown(text: str) -> str:
    """A name from outside for use in a sentence: one visible line of limited length."""
    return one_line(printable(text[: 2 * _LONGEST_SHOWN]), _LONGEST_SHOWN)


def printable(text: str) -> str:
    """The text with lone surrogates replaced; Python puts them in file names that are not UTF-8."""
    return text.encode(errors="replace").decode()


def counted(number: int, noun: str) -> str:
    """A number and its noun, with a regular plural: "1 case", "2,415 cases"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def with_article(noun: str) -> str:
    """A noun after "a" or "an"."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def enumerated(names: Sequence[str]) -> str:
    """Names in a sentence: "a", "a and b", "a, b and c"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def capitalised(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def agreeing(number: int, singular: str, plural: str) -> str:
    """The form of a verb or noun for a number: the singular for 1, otherwise the plural."""
    return singular if number == 1 else plural


def strange_character(text: str) -> str | None:
    """The name of the first character that no stored text may contain (NUL, lone surrogate), or None."""
    if text.isascii() and "\0" not in text:  # far quicker than the search, and true of most texts
        return None
    match = _STRANGE.search(text)
    if match is None:
        return None
    return "a NUL character" if match[0] == "\0" else f"a lone surrogate (U+{ord(match[0]):04X})"


def too_long(text: str) -> str | None:
    """A message if a comment, a note or a reason is too long; else None."""
    if len(text) <= LONGEST_TEXT:
        return None
    return f"{len(text):,} characters; at most {LONGEST_TEXT:,} are kept"


def text_fault(text: str) -> tuple[str, str] | None:
    """The fault of a text that somebody wrote, and the remedy; None if it can be kept."""
    if strange := strange_character(text):
        return f"holds {strange}, which cannot be kept", "take it out"
    return (f"has {long}", "shorten it") if (long := too_long(text)) else None


_LONGEST_LINK = 2_000


def link_fault(link: str) -> tuple[str, str] | None:
    """The fault of the address of a page, and the remedy; None if it can be kept."""
    remedy = "give an address that begins with https:// or http://, or leave it out"
    if len(link) > _LONGEST_LINK:
        return f"has more than {_LONGEST_LINK:,} characters", remedy
    if not link.startswith(("https://", "http://")) or not is_single_line(link) or " " in link:
        return f"{shown(link)!r} is not a link", remedy
    return None


def has_unseen(text: str) -> bool:
    """Whether the text has letters or signs that no font draws."""
    return not text.isascii() and _DRAWN_AS_NOTHING.search(text) is not None


def is_blank(text: str) -> bool:
    """Whether the text is invisible: only blanks, control and format characters, and fillers."""
    unseen = {"Cc", "Cf", "Zl", "Zp", "Zs"}
    return all(unicodedata.category(c) in unseen for c in _DRAWN_AS_NOTHING.sub("", text))


def is_single_line(text: str) -> bool:
    """Whether the text has no control, format or separator characters other than plain spaces."""
    if text.isascii():
        return text.isprintable()
    return all(c == " " or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"} for c in text)
