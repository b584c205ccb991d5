"""Bounds of TOML text, found before it is parsed: size, depth, and the parts of its dotted keys.

The parser takes time and memory that grow with the square of the parts of a key: 20,000 parts, which are
40 KB, took 6.5 s and 1.6 GB.
"""

import re

MOST_CHARACTERS_OF_TOML = 16 * 1024 * 1024
MOST_PARTS_OF_A_KEY = 16
MOST_PARTS = 250_000
"""Parts of all keys, and values, of one text. The parser needs about a kilobyte for a part."""
_DEEPEST = 64

# A text that is not closed goes to its end, as the parser reads it, so no sign is read twice.
_TEXT = r""""(?:[^"\\\n]|\\[^\n])*+"?|'[^'\n]*+'?"""
_PART = rf"(?:[A-Za-z0-9_-]++|{_TEXT})"
_TOKEN = re.compile(
    r'(?P<skipped>#[^\n]*+|"""(?:[^"\\]|\\.|"(?!""))*+"{0,5}+|' + r"'''(?:[^']|'(?!''))*+'{0,5}+)"
    rf"|(?P<key>{_PART}(?:[ \t]*+\.[ \t]*+{_PART})*+)"
    r"|(?P<open>[\[{])|(?P<close>[\]}])",
    re.DOTALL,
)


def toml_fault(text: str) -> str | None:
    """Why a TOML text is not parsed, or None."""
    if len(text) > MOST_CHARACTERS_OF_TOML:
        return f"it has {len(text):,} characters; at most {MOST_CHARACTERS_OF_TOML:,} are read"
    depth = all_parts = 0
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "open":
                depth, all_parts = depth + 1, all_parts + 1
            case "close":
                depth = max(0, depth - 1)
            case "key":
                parts = _parts(token[0])
                all_parts += parts
                if parts > MOST_PARTS_OF_A_KEY:
                    line = text.count("\n", 0, token.start()) + 1
                    return f"line {line} has a key of {parts:,} parts; at most {MOST_PARTS_OF_A_KEY} are read"
        if depth > _DEEPEST:
            return "it is nested too deeply"
        if all_parts > MOST_PARTS:
            return f"it has more than {MOST_PARTS:,} keys and values"
    return None


def _parts(key: str) -> int:
    return 1 if "." not in key else sum(1 for _ in re.finditer(_PART, key))
