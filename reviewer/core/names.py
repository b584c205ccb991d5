"""Names that people give to datasets, studies and raters."""

import re

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line

_NAME = re.compile(r"\w(?:[\w .@+-]*[\w.@+-])?")
_LONGEST = 64


def checked_name(kind: str, name: str) -> str:
    """The name, if it may be one ("study", "rater" or "dataset" is the kind); raises RequestError.

    Names stand in file names and tables: letters, digits and ``_ - . @ +`` with single blanks between,
    64 characters at the most.
    """
    if len(name) > _LONGEST:
        raise RequestError(
            f"{kind} name {one_line(name, 24)!r} has {len(name):,} characters; use at most {_LONGEST}."
        )
    if not _NAME.fullmatch(name) or "  " in name:
        raise RequestError(
            f"{kind} name {one_line(name)!r} will not do; "
            "use letters, digits and _ - . @ +, a letter or digit first, blanks only single and between."
        )
    return name
