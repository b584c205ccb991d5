"""Names that people give to datasets, studies and raters."""

import re

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line

_NAME = re.compile(r"\w(?:[\w .@+-]*[\w.@+-])?")
_LONGEST = 64


def checked_name(kind: str, name: str) -> str:
    """The name, if it is valid; raises RequestError. ``kind`` is "study", "rater" or "dataset".

    Names occur in file names and tables. They have letters, digits and ``_ - . @ +``, single blanks between,
    and at most 64 characters.
    """
    if len(name) > _LONGEST:
        raise RequestError(
            f"{kind} name {one_line(name, 24)!r} has {len(name):,} characters; use at most {_LONGEST}."
        )
    if not _NAME.fullmatch(name) or "  " in name:
        raise RequestError(
            f"{kind} name {one_line(name)!r} is not valid; use letters, digits and _ - . @ +, "
            "begin with a letter, a digit or _, and put only single blanks, between other characters."
        )
    return name
