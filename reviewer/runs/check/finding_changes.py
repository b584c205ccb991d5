"""What a change of a dataset brought: findings of its new version against those of its old one."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reviewer.core.check_result import SEVERITIES, Severity
from reviewer.core.sanitize import counted, one_line
from reviewer.protocols.base import DatasetFinding
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.audit_state import audit_state
from reviewer.runs.check.dataset_findings import findings_and_texts
from store.cases import get_dataset, places_of, values_at_places
from store.database import Database
from store.findings import failed_findings, untested_findings
from store.records import Membership
from store.revisions import withdrawn_places

Change = Literal["new", "gone", "stays"]


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A standing finding of the new version, or one of the old version that is gone.

    ``record`` is the number of the case in its file, from 1, None for findings about the whole dataset.
    ``content`` says whether the case is new or changed.
    """

    change: Change
    severity: str
    check: str
    key: str | None
    record: int | None
    content: str
    why: str


@dataclass(frozen=True, slots=True)
class DatasetChange:
    """How many cases the new version has otherwise than the old one, and the findings that this changed.

    ``untested`` counts checks of the new version that could not run, ``unaudited`` its cases that are not
    audited by the present checks.
    """

    added: int
    removed: int
    changed: int
    findings: tuple[FindingChange, ...]
    untested: int
    unaudited: int
    revalued: tuple[Membership, ...] = ()
    """Cases with the same content and other published values, such as another right answer."""

    def sentences(self, base: str, head: str) -> list[str]:
        """What a person has to know about the rows."""
        counts = Counter(each.change for each in self.findings)
        cases = f"{self.added:,} added, {self.changed:,} changed, {self.removed:,} removed"
        findings = f"{counts['new']:,} new, {counts['gone']:,} gone, {counts['stays']:,} in both"
        said = [f"Cases from {base} to {head}: {cases}. Findings: {findings}."]
        if self.revalued:
            first = self.revalued[0]
            cases = counted(len(self.revalued), "case")
            at = f"record {first.position + 1}, {first.key}"
            said.append(f"Published values differ in {cases} with the same content. The first: {at}.")
        if self.unaudited:
            cases = counted(self.unaudited, "case")
            said.append(f"Not audited by the present checks: {cases} of {head}. Run `reviewer audit {head}`.")
        if self.untested:
            said.append(f"Not tested: {counted(self.untested, 'check')} of {head}.")
        return said

    def fault(self, worst: Severity) -> str:
        """The first new finding of this severity or a worse one, or what is not known; "" for neither."""
        if new := self.new(worst):
            first = new[0]
            at = "the whole dataset" if first.key is None else f"record {first.record}, {first.key}"
            return f"{counted(len(new), 'new finding')}. The first: {at}: {first.why}"
        if self.unaudited or self.untested:
            return "not every check of every case ran, so its findings are not known."
        return ""

    def new(self, worst: Severity) -> list[FindingChange]:
        """The new findings of this severity or a worse one."""
        severe = SEVERITIES[: SEVERITIES.index(worst) + 1]
        return [each for each in self.findings if each.change == "new" and each.severity in severe]


_LONGEST = 80
"""Characters of a passage that are shown."""
_Finding = tuple[str, str | None]
"""The check, and the key of the case; None for the dataset as a whole."""
_Findings = dict[_Finding, tuple[str, str]]
"""The severity of each finding, and why it stands."""


def dataset_change(database: Database, base: str, head: str) -> DatasetChange:
    """Compare two datasets that hold versions of one file; cases are the same if their keys are."""
    before, after = _places(database, base), _places(database, head)
    changed = {key for key in before.keys() & after.keys() if before[key].case != after[key].case}
    old, new = _findings(database, base), _findings(database, head)

    def content(key: str | None) -> str:
        if key is None or key in before.keys() & after.keys() - changed:
            return ""
        return "changed" if key in changed else "added" if key in after else "removed"

    def rows(keys: Sequence[_Finding], change: Change, of: _Findings) -> Iterator[FindingChange]:
        places = before if change == "gone" else after
        for check, key in keys:
            severity, why = of[check, key]
            record = places[key].position + 1 if key in places else None
            yield FindingChange(change, severity, check, key, record, content(key), why)

    findings = (
        *rows([each for each in new if each not in old], "new", new),
        *rows([each for each in old if each not in new], "gone", old),
        *rows([each for each in new if each in old], "stays", new),
    )
    with database.read() as session:
        protocol = protocols_of(database).named(get_dataset(session, head).protocol)
        untested = len(untested_findings(session, head))
    state = audit_state(database, head, protocol)
    unaudited = len(state.cases - state.current) if protocol.machine_checks or protocol.logic() else 0
    added, removed = len(after.keys() - before.keys()), len(before.keys() - after.keys())
    revalued = _revalued(database, base, head, before, after)
    return DatasetChange(added, removed, len(changed), findings, untested, unaudited, revalued)


def _revalued(
    database: Database,
    base: str,
    head: str,
    before: Mapping[str, Membership],
    after: Mapping[str, Membership],
) -> tuple[Membership, ...]:
    """The cases of the new version whose published values are others than those of the same old case."""
    with database.read() as session:
        old, new = values_at_places(session, base), values_at_places(session, head)
    same = (place for key, place in after.items() if key in before and before[key].case == place.case)
    return tuple(
        place
        for place in same
        if old.get((place.key, place.case), {}) != new.get((place.key, place.case), {})
    )


def _places(database: Database, dataset: str) -> dict[str, Membership]:
    """The cases of a dataset by key, without withdrawn ones."""
    with database.read() as session:
        get_dataset(session, dataset)
        gone = withdrawn_places(session, [dataset])
        return {place.key: place for place in places_of(session, dataset) if (dataset, place.key) not in gone}


def _findings(database: Database, dataset: str) -> _Findings:
    """The findings that stand: check and key → severity and why, the whole dataset's first."""
    findings: _Findings = {}
    for whole in findings_and_texts(database, dataset):
        if whole.stands:
            findings |= dict(_by_case(whole))
    with database.read() as session:
        for placed in failed_findings(session, dataset):
            found = placed.finding
            findings[found.check, placed.place.key] = (found.severity, found.why)
    return findings


def _by_case(finding: DatasetFinding) -> Iterator[tuple[_Finding, tuple[str, str]]]:
    """A finding about texts for each case with its passage; any other once, for the whole dataset."""
    passages = finding.value.get("found") if isinstance(finding.value, dict) else None
    if not isinstance(passages, dict):
        yield (finding.check, None), (finding.severity, finding.says)
        return
    for key, passage in passages.items():
        yield (finding.check, key), (finding.severity, repr(one_line(str(passage), _LONGEST)))
