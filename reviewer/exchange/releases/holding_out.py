"""Cases that a release seals by their digests and does not publish."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, shown
from reviewer.exchange.releases.release_content import LeftOutCases
from reviewer.exchange.releases.selection import Selection
from store.records import Release, digest_of

_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)%")


def checked_share(text: str) -> float:
    """The share that a text such as ``20%`` names; raises RequestError."""
    match = _SHARE.fullmatch(text.strip())
    if match is None:
        raise RequestError(f"{shown(text)!r} is not a share; give --hold-out a percentage, such as 20%.")
    share = float(match[1]) / 100
    if not 0 < share < 1:
        raise RequestError(
            f"--hold-out {match[0]} holds out {'no case' if share == 0 else 'all cases'}; give a share "
            "between 0% and 100%, such as 20%, or leave it out."
        )
    return share


def hold_out(chosen: Selection, share: str, earlier: Sequence[Release]) -> Selection:
    """The selection without a share of its cases, such as ``20%``; raises RequestError for none or all.

    Cases that an earlier release held out come first, and those that one published come last. The rest stand
    in an order of digests, the same in all versions, so that a larger share holds out the same cases too.
    """
    held_before, published = _known(earlier, "held_out"), _known(earlier, "cases")
    digests = sorted(
        {stored.case.digest for stored in chosen.cases},
        key=lambda case: (case not in held_before, case in published, digest_of(["held out", case])),
    )
    number = round(checked_share(share) * len(digests))
    if not 0 < number < len(digests):
        found = "all of them" if number else "no case"
        raise RequestError(
            f"--hold-out {share} of {counted(len(digests), 'case')} is {found}; give another share."
        )
    held = frozenset(digests[:number])
    cases_kept = tuple(stored for stored in chosen.cases if stored.case.digest not in held)
    kept = {stored.place.key for stored in cases_kept}
    left_out = LeftOutCases(why="held out", cases=len(chosen.cases) - len(cases_kept))
    return replace(
        chosen,
        cases=cases_kept,
        left_out=(*chosen.left_out, left_out),
        withdrawn=tuple(key for key in chosen.withdrawn if key in kept),
        held_out=held,
    )


def _known(earlier: Sequence[Release], name: str) -> Collection[str]:
    """The digests that earlier releases have under a name of their content."""
    found = set[str]()
    for release in earlier:
        held = release.content.get(name, ())
        found.update(map(str, held.values() if isinstance(held, dict) else held))
    return found
