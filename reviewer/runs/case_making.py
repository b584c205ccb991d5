"""Runs that make cases: a round is written whole, with the state that it leaves.

The records of the cases that a run tried are rows, cases at their places, and findings.
"""

import asyncio
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from pydantic import ValidationError

from reviewer.core.check_result import result_of
from reviewer.core.sanitize import one_line
from reviewer.protocols.base import MachineCheck
from reviewer.protocols.procedure import Sampling, TriedCase
from reviewer.protocols.registry import Protocols
from reviewer.runs.check_findings import finding_of
from reviewer.runs.engine.run_loop import HeldRun, ProductT, RunInRounds, UnitT
from reviewer.runs.engine.work_runner import Requester, RunTools, WorkRunner, role_models
from reviewer.runs.run_setup import begun_run
from store.calls import with_calls
from store.candidates import CandidateBatch, candidate_count, keep_round, keep_run
from store.case_import import Entry, published_at
from store.clock import instant, now_ms
from store.records import (
    Candidate,
    Case,
    Dataset,
    Finding,
    JsonValue,
    Measurement,
    Membership,
    Run,
    plain_json,
)
from store.runs import find_run

PAYLOAD = "payload"
"""The name of the step that discards an approved case that is not valid in its protocol."""
DISCARDED = ".discarded"
"""The ending of the name of a dataset of discarded cases."""


@dataclass(frozen=True, slots=True)
class TriedRows:
    """The rows of tried cases."""

    candidates: list[Candidate]
    batches: list[CandidateBatch]
    findings: list[Finding]


@dataclass(frozen=True, slots=True)
class CaseRecorder:
    """Turns the cases that one run tried into records.

    ``author`` is the model that wrote them, and ``start`` the number of places that the run began with.
    ``made`` has for each protocol of cases the ending of its dataset's name, and where approved cases come
    from.
    """

    run: Run
    protocols: Protocols
    author: str
    start: int
    made: Mapping[str, tuple[str, str]]

    def valid(self, tried: TriedCase) -> TriedCase:
        """The same; an approved case that its protocol does not accept becomes a discarded one."""
        if tried.approved:
            try:
                self.protocols.named(tried.protocol).case(tried.group, tried.payload)
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False)[0]
                field = ".".join(map(str, first["loc"]))
                why = f"Field {one_line(field)!r} of the case: {one_line(first['msg'])}."
                return replace(
                    tried, step=PAYLOAD, judged=(result_of("valid", False, why=why),), counts_as=""
                )
        return tried

    def rows(self, tried: Sequence[TriedCase], before: int) -> TriedRows:
        """The rows of cases of which ``before`` were tried earlier."""
        entries: dict[tuple[str, bool], list[Entry]] = {}
        rows = TriedRows([], [], [])
        for number, each in enumerate(tried, before):
            case = self._case(each)
            candidate = self._candidate(each, number, case)
            rows.candidates.append(candidate)
            if case is not None:
                kind = (each.protocol, each.approved)
                entries.setdefault(kind, []).append(self._entry(case, candidate, self.dataset(*kind).name))
                rows.findings.extend(() if each.approved else self._findings(each, case))
        rows.batches.extend(CandidateBatch(self.dataset(*kind), tuple(own)) for kind, own in entries.items())
        return rows

    def beginning(self, entries: Sequence[Entry]) -> CandidateBatch:
        """The cases that a run starts from, at the first places of its own dataset."""
        return CandidateBatch(self.dataset(self.run.protocol, approved=True), tuple(entries))

    def dataset(self, protocol: str, approved: bool) -> Dataset:
        """The dataset of approved or discarded cases of a protocol."""
        ending, source = self.made[protocol]
        return Dataset(
            name=self.run.name + ending + ("" if approved else DISCARDED),
            protocol=protocol,
            source=source if approved else f"discarded of {self.run.name}",
            imported_at=self.run.started_at,
        )

    def measured(self, place: Membership, values: Mapping[str, JsonValue]) -> Iterator[Measurement]:
        """Values that the run measured at a place. They are not published ones."""
        for value in came_with(place, values):
            yield value.model_copy(update={"source": "measured", "engine": self.run.engine})

    def _case(self, tried: TriedCase) -> Case | None:
        protocol = self.protocols.named(tried.protocol)
        made = protocol.case if tried.approved else protocol.draft_case
        return made(tried.group, tried.payload)

    def _candidate(self, tried: TriedCase, number: int, case: Case | None) -> Candidate:
        decisive = tried.decisive
        return Candidate(
            run=self.run.name,
            number=number,
            group=tried.group,
            expansion=tried.expansion,
            place=tried.place,
            key=tried.key,
            approved=tried.approved,
            step=tried.step,
            check=decisive.check,
            counts_as=tried.counts_as,
            value=decisive.value,
            threshold=decisive.threshold,
            why=decisive.why.replace("\0", "\ufffd"),
            payload=dict(tried.payload),
            values=dict(tried.values),
            calls=list(tried.calls),
            prompts_digest=self.run.prompts_digest,
            case=None if case is None else case.digest,
        )

    def _entry(self, case: Case, candidate: Candidate, dataset: str) -> Entry:
        place = Membership(
            dataset=dataset,
            key=candidate.key,
            case=case.digest,
            position=self.start + candidate.number,
            generator=self.author,
            run=str(candidate.expansion),
            origin="generated",
            extra={"prompts": self.run.prompts_digest} | ({} if candidate.approved else {"valid": False}),
        )
        return Entry(case, place, tuple(self.measured(place, candidate.values)))

    def _findings(self, tried: TriedCase, case: Case) -> Iterator[Finding]:
        """The failed checks of a discarded case as findings, under the names that other checks use."""
        protocol = self.protocols.named(tried.protocol)
        for result in tried.judged:
            if not result.passed:
                check = protocol.machine_checks.get(result.check, MachineCheck("doubtful"))
                yield finding_of(check.weighed(result), case.digest, protocol.concerns.get(result.check))


def came_with(place: Membership, values: Mapping[str, JsonValue]) -> tuple[Measurement, ...]:
    """The values that were published at a place and say something."""
    return published_at(place, {name: value for name, value in values.items() if value is not None})


class CaseMakingRun(RunInRounds[UnitT, ProductT]):
    """A run that continues from its last complete round. A round that was interrupted is repeated."""

    def __init__(
        self,
        share: HeldRun,
        run: Run,
        tools: RunTools,
        sampling: Mapping[str, Sampling],
        runner: WorkRunner,
        recorder: CaseRecorder,
    ) -> None:
        self.run, self.runner = run, runner
        self._share, self._database, self._tools = share, share.database, tools
        self._roles = role_models(tools.client, run.roles, sampling)
        self._recorder = recorder
        with self._database.read() as session:
            self._tried = candidate_count(session, run.name)

    @abstractmethod
    async def first_entries(self) -> Sequence[Entry]:
        """The cases that a new run starts from, at their places."""

    @abstractmethod
    def why_ended(self) -> str:
        """Why the run is at its end; "" if there is nothing to say."""

    def renewed(self) -> AbstractAsyncContextManager[None]:
        """Renew the lock during the block; raises RequestError if another process took it over."""
        return self._share.renewed(self._tools.client)

    def requester(self, unit: UnitT | None = None) -> Requester:
        """The models of the roles."""
        return Requester(self._roles)

    async def begin(self) -> None:
        """Write the run as it is now. For a new run, also write the cases that it starts from."""
        with self._database.read() as session:
            begun = begun_run(find_run(session, self.run.name), self.run)
        self.run = begun or self.run
        first = [] if begun else [self._recorder.beginning(await self.first_entries())]
        await asyncio.to_thread(keep_run, self._database, self._share.lease, self.run, first)

    async def write(
        self, tried: Sequence[TriedCase], left: JsonValue, calls: Collection[str]
    ) -> list[Candidate]:
        """Write a round in one transaction: what it tried, the state that it leaves, and its calls (ids)."""
        rows = self._recorder.rows(tried, self._tried)
        run = await asyncio.to_thread(with_calls, self._database, self.run, calls)
        news = {"left": plain_json(left), "state": "open", "rounds": self.run.rounds + 1}
        self.run = run.model_copy(update=news)
        written = (self.run, rows.candidates, rows.batches, rows.findings)
        await asyncio.to_thread(keep_round, self._database, self._share.lease, *written)
        self._tried += len(tried)
        return rows.candidates

    async def end(self) -> None:
        """Write that the run is finished, if it was not."""
        if self.run.state == "finished":
            return
        ended = {"state": "finished", "why": self.why_ended(), "ended_at": instant(now_ms())}
        self.run = self.run.model_copy(update=ended)
        await asyncio.to_thread(keep_run, self._database, self._share.lease, self.run)
