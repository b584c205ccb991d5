"""Runs that make cases: a round is written whole, with the state that it leaves."""

import asyncio
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from reviewer.protocols.procedure import TriedCase
from reviewer.protocols.role import Sampling
from reviewer.runs.engine.run_loop import ProductT, RunInRounds, UnitT
from reviewer.runs.engine.run_share import HeldRun
from reviewer.runs.engine.work_runner import Requester, RunTools, WorkRunner, role_models
from reviewer.runs.run_setup import begun_run
from reviewer.runs.tried_cases import CaseRecorder
from store.calls import with_calls
from store.candidates import candidate_count, keep_round, keep_run
from store.clock import instant, now_ms
from store.entries import Entry
from store.records import Candidate, JsonValue, Run, plain_json
from store.runs import find_run


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
