"""What nothing in a release proves, and what follows from other parts of its content."""

import math
from collections.abc import Iterator, Sequence

from reviewer import __version__
from reviewer.core.sanitize import counted, shown
from reviewer.exchange.releases.limits import makers_word
from reviewer.exchange.releases.release_checks import ReleaseCheck
from reviewer.exchange.releases.release_content import GuessFacts, ReleaseContent, RightOptionFacts
from reviewer.exchange.releases.release_facts import guess_facts, right_option_facts
from reviewer.exchange.releases.release_files import DataRow, stored_case
from reviewer.protocols.registry import Protocols

_RIGHT_OPTIONS = "right options"
_GUESSING = "answers without reading"


def makers_word_check(content: ReleaseContent) -> ReleaseCheck:
    """What has to be believed, in one row."""
    return ReleaseCheck("what only its makers know", "not checked", makers_word(content))


def contradicted_parts(content: ReleaseContent, rows: Sequence[DataRow]) -> list[str]:
    """The parts of the content that the rows or its other parts contradict."""
    name = content.protocol.partition("@")[0]  # a declared one adds its version
    follows = {
        "the protocol": {row["protocol"] for row in rows} <= {name},
        "the number of contents": content.audit.contents == len({*content.cases.values()}),
    }
    return [part for part, fits in follows.items() if not fits]


def right_options_check(
    content: ReleaseContent, rows: Sequence[DataRow], protocols: Protocols
) -> Iterator[ReleaseCheck]:
    """How often each option is right, against the decisions that the release states."""
    protocol = protocols.get(content.protocol)
    if protocol is None:
        return
    choices = {
        content.cases[key]: choices for key, choices in content.decisions.items() if key in content.cases
    }
    try:
        cases = [stored_case(row, position, protocol) for position, row in enumerate(rows)]
        found = right_option_facts(protocol, cases, cases, choices)
    except (ValueError, KeyError, TypeError, AttributeError):
        yield ReleaseCheck(_RIGHT_OPTIONS, "fails", "cannot be counted in the rows")
        return
    if found or content.right_options:
        fits = _counts(content.right_options) == _counts(found)
        detail = (
            "as often right as decisions say"
            if fits
            else "are right in other numbers of cases than decisions say"
        )
        yield ReleaseCheck(_RIGHT_OPTIONS, "holds" if fits else "fails", detail)


def guessing_check(
    content: ReleaseContent, rows: Sequence[DataRow], protocols: Protocols
) -> Iterator[ReleaseCheck]:
    """What answers without reading score, computed again from the rows."""
    protocol = protocols.get(content.protocol)
    if protocol is None or not content.guessing:
        return
    try:
        found = guess_facts(protocol, [stored_case(row, at, protocol) for at, row in enumerate(rows)])
    except (ValueError, KeyError, TypeError, AttributeError):
        yield ReleaseCheck(_GUESSING, "fails", "cannot be computed from the rows")
        return
    if [stated.measure for stated in content.guessing] != [each.measure for each in found]:
        if content.program != __version__:
            why = f"version {shown(content.program)} of the program had other measures"
            yield ReleaseCheck(_GUESSING, "not checked", why)
            return
        yield ReleaseCheck(_GUESSING, "fails", "has other measures than the benchmark")
        return
    for stated, again in zip(content.guessing, found, strict=True):
        differs = next((name for name in again.values if not _same(stated, again, name)), None)
        alike = (stated.cases, stated.meaning, stated.best) == (again.cases, again.meaning, again.best)
        alike = alike and stated.values.keys() == again.values.keys()
        about = f"{_GUESSING}: {shown(stated.measure)}"
        if differs is None and alike:
            yield ReleaseCheck(about, "holds", f"over {counted(again.cases, 'case')}")
        else:
            what = f"of {shown(differs)} is another" if differs else "is of other cases or in other words"
            yield ReleaseCheck(about, "fails", f"the value {what} than the rows give")


def _same(stated: GuessFacts, again: GuessFacts, name: str) -> bool:
    one, other = stated.values.get(name), again.values[name]
    return one == other or (one is not None and other is not None and math.isclose(one, other, rel_tol=1e-9))


def _counts(facts: Sequence[RightOptionFacts]) -> list[tuple[str | None, int]]:
    return [(right.option, right.cases) for right in facts]
