"""What an audit found in a dataset, in the order in which an author reads it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewer.core.errors import RequestError
from reviewer.core.pane import Pane
from reviewer.oracle.checks import CHECKS
from reviewer.oracle.evidence import SEVERITIES
from reviewer.protocols.altered_case import panes_of
from reviewer.runs.audit.dataset_audit import MARK
from store.cases import find_dataset, get_measurements
from store.database import Database
from store.findings import PlacedFinding, count_marked, failed_findings, get_findings, untested_findings
from store.readable_cases import readable_case
from store.records import Case, Finding, Measurement

_ORDER = {check.name: place for place, check in enumerate(CHECKS)}
ASKS = {check.name: check.asks for check in CHECKS}
"""What each check looks for, in a sentence, by its name."""
NOT_TESTED = "not tested"
MEANINGS = {
    "serious": "The decision may rest on something other than the case: read this first.",
    "doubtful": "The label may well be right; the programs show less than they should.",
    "untidy": "This is only untidy.",
    NOT_TESTED: "This check is neither passed nor failed.",
}
"""What each severity says about the case."""


@dataclass(frozen=True, slots=True)
class AuditFindings:
    """How many cases of a dataset were audited, and every check that one of them did not pass.

    Serious ones first, a check at a time, each in the order of the dataset; dismissed ones among them, and
    last the checks that could not look.
    """

    dataset: str
    cases: int
    audited: int
    found: tuple[PlacedFinding, ...]


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

    case: Case
    measurements: tuple[Measurement, ...]
    findings: tuple[Finding, ...]

    @property
    def panes(self) -> Sequence[Pane]:
        """Everything there is to look at."""
        return panes_of(self.case, self.measurements, self.findings)


def read_findings(database: Database, dataset: str) -> AuditFindings:
    """Everything that the audit found; raises RequestError where there is no such dataset."""
    with database.read() as session:
        if find_dataset(session, dataset) is None:
            raise RequestError(f"dataset {dataset!r} is not in the store; see `reviewer datasets`.")
        cases, audited = count_marked(session, MARK).get(dataset, (0, 0))
        found = failed_findings(session, dataset, tuple(_ORDER), dismissed=True)
        found += untested_findings(session, dataset, tuple(_ORDER))
    return AuditFindings(dataset, cases, audited, tuple(sorted(found, key=_rank)))


def case_of_finding(database: Database, placed: PlacedFinding) -> AuditedCase:
    """The case of a finding; published values are those of its place."""
    digest, key = placed.place.case, placed.place.key
    with database.read() as session:
        case = readable_case(session, digest)
        values = get_measurements(session, [digest])[digest]
        findings = get_findings(session, [digest])[digest]
    here = tuple(value for value in values if value.source == "measured" or value.key == key)
    return AuditedCase(case, here, tuple(findings))


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


def _rank(placed: PlacedFinding) -> tuple[bool, int, int, int]:
    finding = placed.finding
    severity = SEVERITIES.index(finding.severity)
    return not finding.tested, severity, _ORDER[finding.check], placed.place.position
