"""Text as Prolog reads it."""

import json


def quoted(text: str) -> str:
    """The text as a double-quoted Prolog string in ASCII.

    No encoding has to be agreed on, and no flag given whose value differs between versions.
    """
    plain = json.dumps(text, ensure_ascii=False)[1:-1]
    if plain == text and text.isascii():
        return f'"{text}"'
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char.isascii() and char.isprintable() and char not in '"\\':
        return char
    return f"\\x{ord(char):x}\\"
