"""Names that people give to datasets, studies and raters, and suggestions for a word that is not known."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import has_unseen, one_line, shown

_NAME = re.compile(r"\w(?:[\w .@+-]*[\w.@+-])?")
_LONGEST, _LONGEST_MODEL = 64, 200
_LATIN = str.maketrans(
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425"
    "\u0430\u0435\u0455\u0456\u0458\u043e\u0440\u0441\u0443\u0445\u0501\u04bb\u051b\u051d\u04cf"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f"
    "\u03a1\u03a4\u03a5\u03a7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7",
    "ABESIJKMHOPCTYXaesijopcyxdhqwlABEZHIKMNOPTYXikvopux",
)
"""Cyrillic and Greek letters that look like Latin ones."""


def checked_name(kind: str, name: str) -> str:
    """The name, if it is valid; raises RequestError. ``kind`` is "study", "rater" or "dataset".

    Names occur in file names and tables. They have letters, digits and ``_ - . @ +``, single blanks between,
    and at most 64 characters.
    """
    if len(name) > _LONGEST:
        raise RequestError(
            f"{kind} name {one_line(name, 24)!r} has {len(name):,} characters; use at most {_LONGEST}."
        )
    if not _NAME.fullmatch(name) or "  " in name or has_unseen(name):
        raise RequestError(
            f"{kind} name {one_line(name)!r} is not valid; use letters, digits and _ - . @ +, "
            "begin with a letter, a digit or _, and put only single blanks, between other characters."
        )
    return name


def checked_model(name: str) -> str:
    """The name of a model as its server has it, if it can be read whole; raises RequestError."""
    if (
        not 0 < len(name) <= _LONGEST_MODEL
        or not name.isprintable()
        or name != name.strip()
        or has_unseen(name)
    ):
        raise RequestError(
            f"{shown(name)!r} cannot be the name of a model; give one line of at most {_LONGEST_MODEL} "
            "characters, all of them visible."
        )
    return name


def lookalike_form(name: str) -> str:
    """A form that names share if people take one for the other: letters of other scripts, case, accents."""
    return unicodedata.normalize("NFKC", name.translate(_LATIN)).casefold()


def likeness(name: str, other: str) -> str:
    """How two names with one form differ, in a few words."""
    strange = [sign for sign in name if sign not in other and not sign.isascii()]
    strange = strange or [sign for sign in other if sign not in name and not sign.isascii()]
    named = [f"it has a {unicodedata.name(sign, 'character').capitalize()}" for sign in strange[:1]]
    return named[0] if named else "they differ only in capital letters or blanks"


_CLOSE = 0.6


def closest(word: str, known: Iterable[str], otherwise: str) -> str:
    """ "did you mean …" with up to three similar words; if none is similar, ``otherwise`` and all words.

    Words may come from outside, such as the columns of a file; each is shown on one line.
    """
    names = tuple(sorted(map(shown, known)))
    close = similar_names(word, names)
    return f"did you mean {' or '.join(close)}" if close else f"{otherwise} {', '.join(names)}"


@lru_cache(maxsize=64)
def similar_names(word: str, names: tuple[str, ...]) -> list[str]:
    """The most similar names, at most three. Each of thousands of rows may lack the same column."""
    return get_close_matches(word, names, 3, _CLOSE)
