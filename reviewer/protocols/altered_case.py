"""What is shown instead of a case that cannot be shown, since it was altered or its protocol: a sentence."""

import json
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
    """All panes of a case; its content as JSON without a usable protocol; a sentence if it was altered."""
    if not case.is_whole:
        return (altered_pane(case),)
    if fault := protocols.fault(case.protocol):
        content = json.dumps(case.payload, indent=2, ensure_ascii=False)
        return (Pane(ALTERED, "no protocol", Text(f"✗ {fault}")), Pane("json", "JSON", Text(content)))
    return protocols.named(case.protocol).panes(case, measurements, findings)


def headline_of(protocols: Protocols, case: Case) -> str:
    """The headline of a case, or a line that says that it was altered."""
    if not case.is_whole:
        return "✗ changed outside this program; see `reviewer store check`"
    protocol = protocols.usable(case.protocol)
    if protocol is None:
        return f"✗ protocol {one_line(case.protocol, 60)} cannot be used; see `reviewer protocol list`"
    return protocol.headline(case)
