"""What a discovery run stores: candidates with their fates, cases at their places, findings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from reviewer.core.check_result import result_of
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import MachineCheck
from reviewer.protocols.discovery import DiscoveryRecord
from reviewer.protocols.registry import Protocols
from reviewer.runs.discovery.discovery_setup import DISCARDED, LIBRARY, REWRITES, TEACHER
from reviewer.runs.findings import finding_of
from store.candidates import CandidateBatch
from store.entries import Entry
from store.records import Candidate, Case, Dataset, Finding, JsonValue, Measurement, Membership, Run

NO_CASE = "no_case"
"""The check that an approved record fails if it is not a valid case of its protocol."""


@dataclass(frozen=True, slots=True)
class RoundRows:
    """The rows of one round."""

    candidates: list[Candidate]
    batches: list[CandidateBatch]
    findings: list[Finding]


@dataclass(frozen=True, slots=True)
class DiscoveryRecorder:
    """Turns what the rounds of one run tried into rows."""

    run: Run
    protocols: Protocols

    def library(self, entries: Sequence[tuple[Membership, Case, Mapping[str, JsonValue]]]) -> CandidateBatch:
        """The library that a run starts from, at the first places of its own dataset."""
        placed = []
        for position, (place, case, values) in enumerate(entries):
            own = place.model_copy(update={"dataset": self.run.name, "position": position, "origin": "seed"})
            placed.append(Entry(case, own, tuple(_values(own, values, ""))))
        return CandidateBatch(self._dataset(self.run.protocol, approved=True), tuple(placed))

    def rows(self, records: Sequence[DiscoveryRecord], number: int, tried: int) -> RoundRows:
        """The rows of the round with this number; ``tried`` candidates were stored before it."""
        candidates, findings = [], []
        entries: dict[tuple[str, bool], list[Entry]] = {}
        for place, record in enumerate(records, 1):
            case, fault = self._case(record)
            approved = record.approved and not fault
            candidate = self._candidate(record, number, place, tried + place - 1, case, fault)
            candidates.append(candidate)
            if case is not None:
                of = (record.protocol, approved)
                entries.setdefault(of, []).append(self._entry(case, candidate, of))
                if not approved:
                    findings.append(self._finding(candidate, case))
        batches = [CandidateBatch(self._dataset(*of), tuple(own)) for of, own in entries.items()]
        return RoundRows(candidates, batches, findings)

    def _finding(self, candidate: Candidate, case: Case) -> Finding:
        """Why a candidate was discarded, under the name that other checks use."""
        found = result_of(candidate.check, False, candidate.value, candidate.threshold, candidate.why)
        check = self.protocols.named(case.protocol).machine_checks.get(
            candidate.check, MachineCheck("doubtful")
        )
        return finding_of(check.weighed(found), case.digest, check.question)

    def _case(self, record: DiscoveryRecord) -> tuple[Case | None, str]:
        """The case of a record, or None and why it is none."""
        try:
            return self.protocols.named(record.protocol).case(record.group, record.payload), ""
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(map(str, first["loc"]))
            return None, f"Field {one_line(field)!r} of the case: {one_line(first['msg'])}."

    def _candidate(
        self, record: DiscoveryRecord, number: int, place: int, at: int, case: Case | None, fault: str
    ) -> Candidate:
        refused = record.approved and bool(fault)
        return Candidate(
            run=self.run.name,
            number=at,
            group=record.group,
            expansion=number,
            place=place,
            key=record.key,
            approved=record.approved and not fault,
            step=record.step,
            check=NO_CASE if refused else record.check,
            counts_as=record.counts_as,
            value=record.value,
            threshold=record.threshold,
            why=fault if refused else record.why,
            payload=dict(record.payload),
            values=dict(record.values),
            calls=list(record.calls),
            prompts_digest=self.run.prompts_digest,
            case=None if case is None else case.digest,
        )

    def _entry(self, case: Case, candidate: Candidate, of: tuple[str, bool]) -> Entry:
        place = Membership(
            dataset=self._dataset(*of).name,
            key=candidate.key,
            case=case.digest,
            position=len(self.run.seeds[LIBRARY]) + candidate.number,
            generator=self.run.roles[TEACHER],
            run=str(candidate.expansion),
            origin="generated",
            extra={"prompts": self.run.prompts_digest} | ({} if candidate.approved else {"valid": False}),
        )
        return Entry(case, place, tuple(_values(place, candidate.values, f"run {self.run.name}")))

    def _dataset(self, protocol: str, approved: bool) -> Dataset:
        own = protocol == self.run.protocol
        name = self.run.name + ("" if own else REWRITES) + ("" if approved else DISCARDED)
        what = "discovered with" if own else "rewritten for"
        source = f"{what} {self.run.model}" if approved else f"discarded of {self.run.name}"
        return Dataset(name=name, protocol=protocol, source=source, imported_at=self.run.started_at)


def _values(place: Membership, values: Mapping[str, JsonValue], engine: str) -> Iterator[Measurement]:
    """Values that came with a place; measured by an engine, or published if there is none."""
    for name, value in values.items():
        if value is not None:
            yield Measurement(
                case=place.case,
                name=name,
                source="measured" if engine else "published",
                dataset=place.dataset,
                key=place.key,
                engine=engine,
                value=value,
            )
