"""What nothing in a release proves, and what follows from other parts of its content."""

from collections.abc import Iterator, Sequence

from reviewer.exchange.releases.limits import makers_word
from reviewer.exchange.releases.release_checks import ReleaseCheck
from reviewer.exchange.releases.release_content import ReleaseContent, RightOptionFacts
from reviewer.exchange.releases.release_facts import right_option_facts
from reviewer.exchange.releases.release_files import DataRow, stored_case
from reviewer.protocols.registry import Protocols

_RIGHT_OPTIONS = "right options"


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


def _counts(facts: Sequence[RightOptionFacts]) -> list[tuple[str | None, int]]:
    return [(right.option, right.cases) for right in facts]
