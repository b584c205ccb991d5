"""The findings of an audit on a dataset, in the order in which an author reads them, and their panes.

In the panes of a finding, what it is about comes first and is marked.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.check_result import NOT_TESTED, SEVERITIES, check_words
from reviewer.core.errors import RequestError
from reviewer.core.names import closest
from reviewer.core.pane import Code, Pair, Pane, Sheet, Text
from reviewer.core.sanitize import one_line
from reviewer.protocols.altered_case import panes_of
from reviewer.protocols.base import Protocol
from reviewer.protocols.logic import Logic
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.runs.audit.audit_state import AuditState, audit_state
from reviewer.runs.audit.check_texts import audit_of, check_order, has_checks
from reviewer.runs.audit.dataset_audit import MARK
from store.cases import find_dataset, get_dataset, get_measurements, readable_case
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
from store.records import Case, Finding, JsonValue, Measurement

DISMISSED_EARLIER = "dismissed for an earlier version"
"""The state of an open finding whose check changed after somebody had dismissed it."""


@dataclass(frozen=True, slots=True)
class AuditFindings:
    """The number of audited cases of a dataset, and every check that one of them failed.

    Findings are ordered by severity (serious first), then by check, then by place in the dataset. Dismissed
    ones are included. Checks that were not tested come last. ``unchecked`` cases have nothing to audit.
    ``audited`` counts cases audited by whatever checks; ``state`` tells them apart.
    """

    dataset: str
    protocol: Protocol
    cases: int
    audited: int
    unchecked: int
    found: tuple[PlacedFinding, ...]
    state: AuditState

    @property
    def due(self) -> int:
        """The number of cases that can be audited, and were not or only by earlier checks."""
        return self.cases - self.audited - self.unchecked + len(self.state.earlier)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter of findings; None and "" filter nothing.

    ``state`` is open, dismissed, dismissed for an earlier version (which is open too), or not tested. Every
    word of ``text`` must occur in the finding's sentence or subject, its check, its group, or its key.
    """

    severity: str | None = None
    check: str | None = None
    group: str | None = None
    state: str | None = "open"
    text: str = ""

    @property
    def words(self) -> str:
        """For people: "serious, framing effect"; "" for the default filter, all open findings."""
        shown = self.state if self.state != "open" else None
        said = f'"{self.text}"' if self.text else None
        parts = (self.severity, self.check and check_words(self.check), self.group, shown, said)
        return ", ".join(filter(None, parts))

    def takes(self, placed: PlacedFinding) -> bool:
        """Whether a finding passes the filter."""
        fields = _fields(placed)
        if not all(getattr(self, name) in (None, *values) for name, values in fields.items()):
            return False
        said = _text_of(placed) if self.text else ""
        return all(word in said for word in self.text.casefold().split())


@dataclass(frozen=True)
class AuditedCase:
    """A case with all its measurements and findings."""

    protocols: Protocols
    case: Case
    measurements: tuple[Measurement, ...]
    findings: tuple[Finding, ...]

    @property
    def panes(self) -> Sequence[Pane]:
        """All panes of the case."""
        return panes_of(self.protocols, self.case, self.measurements, self.findings)


def read_findings(database: Database, dataset: str) -> AuditFindings:
    """All findings on a dataset; raises RequestError if there is no such dataset."""
    with database.read() as session:
        header = get_dataset(session, dataset)
        cases, audited = count_marked(session, MARK).get(dataset, (0, 0))
        findings = failed_findings(session, dataset, dismissed=True)
        findings += untested_findings(session, dataset)
    protocol = protocols_of(database).named(header.protocol)
    unchecked = _unchecked(database, dataset, protocol) if audited < cases else 0
    ordered = tuple(sorted(findings, key=_rank))
    state = audit_state(database, dataset, protocol)
    return AuditFindings(dataset, protocol, cases, audited, unchecked, ordered, state)


def _unchecked(database: Database, dataset: str, protocol: Protocol) -> int:
    with database.read() as session:
        cases = cases_in(session, dataset)
        marked = marks_of(session, MARK, [case.digest for case in cases])
    whole = [case for case in cases if case.is_whole]  # nobody knows the needs of an altered case
    return sum(case.digest not in marked and audit_of(protocol, case) is None for case in whole)


def case_of_finding(database: Database, placed: PlacedFinding) -> AuditedCase:
    """The case of a finding; published values are those of its place."""
    digest, key = placed.place.case, placed.place.key
    with database.read() as session:
        protocol = protocols_of(database).named(get_dataset(session, placed.place.dataset).protocol)
        case = readable_case(session, digest)
        values = get_measurements(session, [digest])[digest]
        findings = get_findings(session, [digest])[digest]
    here = tuple(value for value in values if not value.came_with_place or value.key == key)
    return AuditedCase(Protocols(protocol), case, here, tuple(findings))


def narrowed_by(found: Iterable[PlacedFinding]) -> dict[str, Counter[str]]:
    """For each field of ``Wanted``: the values that occur, each with its number of findings.

    A check that was not tested is not a finding: it is counted under ``state`` only.
    """
    counts: dict[str, Counter[str]] = {"severity": Counter(), "check": Counter(), "group": Counter()}
    counts["state"] = Counter()
    for placed in found:
        for name, values in _fields(placed).items():
            if placed.finding.tested or name == "state":
                counts[name].update(values)
    return counts


def _fields(placed: PlacedFinding) -> dict[str, tuple[str, ...]]:
    """What a finding is, by field of ``Wanted``; it may be in two states."""
    return {
        "severity": (placed.severity,),
        "check": (placed.finding.check,),
        "group": (placed.group,),
        "state": _states(placed),
    }


def _states(placed: PlacedFinding) -> tuple[str, ...]:
    if not placed.finding.tested:
        return (NOT_TESTED,)
    if placed.dismissal:
        return ("dismissed",)
    return ("open", DISMISSED_EARLIER) if placed.earlier else ("open",)


def _text_of(placed: PlacedFinding) -> str:
    """Everything that a finding says, without the difference of capitals."""
    finding, place = placed.finding, placed.place
    parts = (
        finding.why,
        str(finding.value),
        check_words(finding.check),
        finding.check,
        placed.group,
        place.key,
    )
    return "\n".join(parts).casefold()


def _rank(placed: PlacedFinding) -> tuple[bool, int, tuple[int, str], int]:
    finding = placed.finding
    severity = SEVERITIES.index(finding.severity)
    return not finding.tested, severity, check_order(finding.check), placed.place.position


def refuse_unknown_checks(checks: Sequence[str], findings: Mapping[str, Sequence[Finding]]) -> None:
    """Raise RequestError for a check that none of these findings is of: nothing can be left out by it."""
    known = sorted({finding.check for some in findings.values() for finding in some})
    for check in checks:
        if check not in known:
            said = closest(check, known, "these checks have results") if known else "audit the dataset first"
            raise RequestError(
                f"no case of the dataset has a result of check {one_line(check, 60)!r}, so nothing can be "
                f"left out by it; {said}."
            )


def audits_in_words(database: Database) -> dict[str, str]:
    """By dataset: whether it was audited, and the number of cases whose worst finding has each severity."""
    with database.read() as session:
        audited = count_marked(session, MARK)
        headers = {name: header for name in audited if (header := find_dataset(session, name))}
    protocols = protocols_of(database)
    said: dict[str, str] = {}
    for dataset, counts in audited.items():
        protocol = protocols.usable(headers[dataset].protocol) if dataset in headers else None
        if protocol is None or not has_checks(protocol):
            said[dataset] = "nothing to audit"
        else:
            said[dataset] = _in_words(*counts, audit_state(database, dataset, protocol))
    return said


def _in_words(cases: int, audited: int, state: AuditState) -> str:
    if not audited:
        return "not audited"
    some = f" of {audited:,}" if audited < cases else ""
    return f"audit{some}: {state.earlier_words or state.clean_words}"


Marks = dict[tuple[str, int], list[tuple[int, int]]]
"""By pane and side: the characters that a finding is about."""


def finding_panes(audited: AuditedCase, finding: Finding) -> Sheet:
    """The texts of the case, the panes that show most about the check, those with marks, then the rest."""
    logic = _logic(audited)
    panes = {pane.key: pane for pane in audited.panes}
    if logic is None:
        return Sheet((), tuple(panes.values()))
    variants = {pane.key: pane for pane in logic.variant_panes(audited.case, audited.measurements)}
    wanted = logic.beside.get(finding.check, ())
    panes |= {key: variants[key] for key in wanted if key in variants}
    marks = _marks(logic, finding.places or ())
    marked = [key for key in logic.shows if any(pane == key for pane, _ in marks)]
    texts, *others = logic.shows
    order = dict.fromkeys((texts, *wanted, *marked, *others))
    first = tuple(_marked(panes[key], marks) for key in order if key in panes)
    return Sheet(first, tuple(pane for key, pane in panes.items() if key not in order))


def marked_clauses(audited: AuditedCase, finding: Finding) -> Iterator[str]:
    """The lines that a finding is about, as text, each once."""
    logic = _logic(audited)
    panes = {pane.key: pane for pane in audited.panes}
    marks = _marks(logic, finding.places or ()) if logic else {}
    lines = (
        line
        for (key, side), spans in marks.items()
        if key in panes
        for line in _lines(_side(panes[key], side).text, spans)
    )
    yield from dict.fromkeys(lines)


def _logic(audited: AuditedCase) -> Logic | None:
    """What decides the case; None if it has no programs or was altered."""
    case = audited.case
    logic = audited.protocols.named(case.protocol).logic() if case.is_whole else None
    return logic if logic and logic.examination(case) else None


def _lines(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    for start, end in spans:
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", max(first, end - 1))
        line = " ".join(text[first : last if last >= 0 else None].split())
        yield f"{text.count(chr(10), 0, first) + 1:>3} {line}"


def _marks(logic: Logic, places: Iterable[Mapping[str, JsonValue]]) -> Marks:
    marks: Marks = {}
    for row in places:
        where = logic.sources.get((str(row["variant"]), str(row["part"])))
        if where is not None:
            marks.setdefault(where, []).append((int(row["start"]), int(row["end"])))
    return marks


def _marked(pane: Pane, marks: Marks) -> Pane:
    """The pane with its marks; of two sources only the one that has any, both if both have."""
    match pane.body:
        case Code() as code:
            return replace(pane, body=_with_marks(code, marks.get((pane.key, 0), [])))
        case Pair(left_title, right_title, Code() as left, Code() as right) as pair:
            sides = [side for side in (0, 1) if (pane.key, side) in marks]
            ours, theirs = (
                _with_marks(code, marks.get((pane.key, side), [])) for side, code in enumerate((left, right))
            )
            if sides == [0]:
                return Pane(pane.key, left_title, ours)
            if sides == [1]:
                return Pane(pane.key, right_title, theirs)
            return replace(pane, body=replace(pair, left=ours, right=theirs))
        case _:
            return pane


def _with_marks(code: Code, spans: list[tuple[int, int]]) -> Code:
    return replace(code, marks=tuple(sorted(spans)), numbered=True)


def _side(pane: Pane, side: int) -> Text | Code:
    body = pane.body
    if isinstance(body, Pair):
        return body.right if side else body.left
    return body if isinstance(body, Text | Code) else Text("")
