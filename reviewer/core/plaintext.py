"""Text from outside, made harmless for a terminal without changing its length."""

import unicodedata

_BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_CONTROL_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
_HARMLESS = (
    _CONTROL_PICTURES
    | dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
    | dict.fromkeys(map(ord, _BIDI_CONTROLS), 0xFFFD)
    | dict.fromkeys((0x2028, 0x2029), 0x240A)
)


def visible(text: str) -> str:
    """The text with control characters and direction marks replaced, one for one, by visible signs."""
    return text.translate(_HARMLESS)


def one_line(text: str, width: int = 80) -> str:
    """The text as a single visible line of at most ``width`` characters, cut with an ellipsis."""
    line = " ".join(visible(text).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def strange_character(text: str) -> str | None:
    """The name of the first character that no stored text may hold (NUL, lone surrogate), or None."""
    for character in text:
        if character == "\0":
            return "a NUL character"
        if 0xD800 <= ord(character) <= 0xDFFF:
            return f"a lone surrogate (U+{ord(character):04X})"
    return None


def is_single_line(text: str) -> bool:
    """Whether the text has no control, format or separator characters other than plain spaces."""
    return all(c == " " or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"} for c in text)
