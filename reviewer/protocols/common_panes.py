"""Panes that cases of any benchmark have: values that came with them, and checks that failed."""

from collections.abc import Collection, Iterator, Sequence

from reviewer.core.pane import Pane
from reviewer.core.table import Table
from store.records import Finding, Measurement


def panes_after_answer(
    measurements: Sequence[Measurement], findings: Sequence[Finding], measured: Collection[str] = ()
) -> Iterator[Pane]:
    """Values that were published with the case or measured when it was generated, those that are
    ``measured`` later, and failed checks.
    """
    came = [
        value
        for value in measurements
        if value.source == "published" or value.came_with_place or value.name in measured
    ]
    if rows := [(value.name, str(value.value)) for value in came]:
        yield Pane("published", "published and measured values", Table.of(("name", "content"), rows))
    yield from findings_pane(findings)


def findings_pane(findings: Sequence[Finding]) -> Iterator[Pane]:
    """The pane of the checks that failed, if any did."""
    if failed := [(finding.check, finding.why) for finding in findings if not finding.passed]:
        yield Pane("findings", "findings", Table.of(("check", "why"), failed))
