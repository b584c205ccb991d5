"""What an audit found in a dataset, in the order in which an author reads it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewer.core.check_result import SEVERITIES
from reviewer.core.pane import Pane
from reviewer.protocols.altered_case import panes_of
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.check_texts import NOT_TESTED, audit_of, check_order
from reviewer.runs.audit.dataset_audit import MARK
from store.cases import get_dataset, get_measurements
from store.database import Database
from store.findings import (
    PlacedFinding,
    cases_in,
    count_marked,
    failed_findings,
    get_findings,
    marks_of,
    untested_findings,
)
from store.readable_cases import readable_case
from store.records import Case, Finding, Measurement


@dataclass(frozen=True, slots=True)
class AuditFindings:
    """How many cases of a dataset were audited, and every check that one of them did not pass.

    Serious ones first, a check at a time, each in the order of the dataset; dismissed ones among them, and
    last the checks that could not look. ``unchecked`` cases have neither programs nor rules to be audited by.
    """

    dataset: str
    protocol: Protocol
    cases: int
    audited: int
    unchecked: int
    found: tuple[PlacedFinding, ...]

    @property
    def due(self) -> int:
        """How many cases an audit would audit for the first time."""
        return self.cases - self.audited - self.unchecked


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which findings to look through; None filters nothing. ``state`` is open, dismissed or not tested."""

    severity: str | None = None
    check: str | None = None
    group: str | None = None
    state: str | None = "open"

    @property
    def words(self) -> str:
        """For people: "serious, framing effect"; "" where only what is open is asked for."""
        shown = self.state if self.state != "open" else None
        parts = (self.severity, self.check and check_words(self.check), self.group, shown)
        return ", ".join(filter(None, parts))

    def takes(self, placed: PlacedFinding) -> bool:
        """Whether a finding is among them."""
        mine = _fields(placed)
        return all(getattr(self, name) in (None, value) for name, value in mine.items())


@dataclass(frozen=True)
class AuditedCase:
    """A case with all that machines measured and found on it."""

    protocol: Protocol
    case: Case
    measurements: tuple[Measurement, ...]
    findings: tuple[Finding, ...]

    @property
    def panes(self) -> Sequence[Pane]:
        """Everything there is to look at."""
        return panes_of(self.protocol, self.case, self.measurements, self.findings)


def read_findings(database: Database, dataset: str) -> AuditFindings:
    """Everything that the audit found; raises RequestError where there is no such dataset."""
    with database.read() as session:
        header = get_dataset(session, dataset)
        cases, audited = count_marked(session, MARK).get(dataset, (0, 0))
        found = failed_findings(session, dataset, dismissed=True)
        found += untested_findings(session, dataset)
    protocol = protocols_of(database).named(header.protocol)
    unchecked = _unchecked(database, dataset, protocol) if audited < cases else 0
    return AuditFindings(dataset, protocol, cases, audited, unchecked, tuple(sorted(found, key=_rank)))


def _unchecked(database: Database, dataset: str, protocol: Protocol) -> int:
    with database.read() as session:
        cases = cases_in(session, dataset)
        marked = marks_of(session, MARK, [case.digest for case in cases])
    return sum(case.digest not in marked and audit_of(protocol, case) is None for case in cases)


def case_of_finding(database: Database, placed: PlacedFinding) -> AuditedCase:
    """The case of a finding; published values are those of its place."""
    digest, key = placed.place.case, placed.place.key
    with database.read() as session:
        case = readable_case(session, digest)
        values = get_measurements(session, [digest])[digest]
        findings = get_findings(session, [digest])[digest]
    here = tuple(value for value in values if not value.came_with_place or value.key == key)
    return AuditedCase(protocols_of(database).named(case.protocol), case, here, tuple(findings))


def narrowed_by(found: Iterable[PlacedFinding]) -> dict[str, Counter[str]]:
    """Value → findings, by each field of ``Wanted``, in the order of the findings.

    What was not tested is no finding: it is counted as that alone.
    """
    counts: dict[str, Counter[str]] = {"severity": Counter(), "check": Counter(), "group": Counter()}
    counts["state"] = Counter()
    for placed in found:
        for name, value in _fields(placed).items():
            if placed.finding.tested or name == "state":
                counts[name][value] += 1
    return counts


def check_words(check: str) -> str:
    """The name of a check as people read it."""
    return check.replace("_", " ")


def severity_words(placed: PlacedFinding) -> str:
    """How much a finding may matter, or that its check could not look."""
    return placed.finding.severity if placed.finding.tested else NOT_TESTED


def _fields(placed: PlacedFinding) -> dict[str, str]:
    tested = placed.finding.tested
    return {
        "severity": severity_words(placed),
        "check": placed.finding.check,
        "group": placed.group,
        "state": ("dismissed" if placed.dismissal else "open") if tested else NOT_TESTED,
    }


def _rank(placed: PlacedFinding) -> tuple[bool, int, tuple[int, str], int]:
    finding = placed.finding
    severity = SEVERITIES.index(finding.severity)
    return not finding.tested, severity, check_order(finding.check), placed.place.position
