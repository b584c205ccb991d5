"""What is shown instead of a case that cannot be shown, since it was altered or its protocol: a sentence."""

from collections.abc import Sequence

from reviewer.core.errors import StoreError
from reviewer.core.pane import Pane, Text
from reviewer.core.sanitize import one_line
from reviewer.protocols.registry import Protocols
from store.records import Case, Finding, Measurement

ALTERED = "altered"
"""The key of the pane with this sentence."""


def altered_words(case: Case) -> str:
    """The sentence: which case, what is wrong with it, and what to do."""
    return (
        f"Case {case.digest[:12]} was changed or damaged outside this program: its content does not fit its "
        "digest. It is not shown and takes no answer; the other cases are not affected. "
        "`reviewer store check` names everything that was changed; ask for a backup of the store."
    )


def check_whole(case: Case) -> None:
    """Raise StoreError if the case was altered."""
    if not case.is_whole:
        raise StoreError(altered_words(case))


def altered_pane(case: Case) -> Pane:
    """The pane that replaces the panes of an altered case."""
    return Pane(ALTERED, "this case was changed", Text(f"✗ {altered_words(case)}"))


def panes_of(
    protocols: Protocols, case: Case, measurements: Sequence[Measurement], findings: Sequence[Finding] = ()
) -> Sequence[Pane]:
    """All panes of a case, or the pane that says that it was altered."""
    if not case.is_whole:
        return (altered_pane(case),)
    try:
        protocol = protocols.named(case.protocol)
    except StoreError as error:
        return (Pane(ALTERED, "no protocol", Text(f"✗ {error}")),)
    return protocol.panes(case, measurements, findings)


def headline_of(protocols: Protocols, case: Case) -> str:
    """The headline of a case, or a line that says that it was altered."""
    if not case.is_whole:
        return "✗ changed outside this program; see `reviewer store check`"
    try:
        return protocols.named(case.protocol).headline(case)
    except StoreError:
        return f"✗ protocol {one_line(case.protocol, 60)} cannot be used; see `reviewer store check`"
