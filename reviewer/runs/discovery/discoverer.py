"""The engine of discovery: carries a run on, a round at a time.

Discovery has an engine of its own, over the needs and the step runner of generation. Generation decides about
each candidate by itself and asks until every group has its cases. Discovery decides about all candidates of a
round together (merging and Holm's correction need them all), makes two kinds of case, and ends when a round
keeps nothing. A round that was interrupted was not written: it is repeated, with the answers in the store.
"""

import asyncio

from reviewer.llm.client import ModelClient
from reviewer.protocols.discovery import DiscoveryRound
from reviewer.protocols.registry import protocols_of
from reviewer.runs.discovery.discovery_progress import (
    DiscoveryProgress,
    DiscoveryProgressCallback,
    discovery_standing,
    round_left,
    why_ended,
)
from reviewer.runs.discovery.discovery_records import DiscoveryRecorder
from reviewer.runs.discovery.discovery_setup import LIBRARY, discovery_of
from reviewer.runs.engine.lock_renewal import renewed
from reviewer.runs.engine.work_runner import Embedder, Requester, RoleModel, WorkRunner
from store.candidates import candidate_count, find_run, keep_round, keep_run
from store.cases import Filter, list_places, values_at_places
from store.clock import instant, now_ms
from store.database import Database
from store.records import Run, RunLock, plain_json


class Discoverer:
    """Continues a run from its last complete round.

    Raises what the client raises if no more requests can be made. All answers until then are in the store.
    """

    def __init__(
        self,
        database: Database,
        hold: RunLock,
        run: Run,
        client: ModelClient,
        embedder: Embedder,
        progress: DiscoveryProgressCallback = lambda progress: None,
    ) -> None:
        self._database, self._hold, self._run = database, hold, run
        self._client = client
        self._discovery = discovery_of(database, run)
        self._recorder = DiscoveryRecorder(run, protocols_of(database))
        self._runner = WorkRunner(embedder, on_done=self._report)
        self._on_progress = progress
        self._progress = self._standing()

    async def go(self) -> Run:
        """Run rounds until one keeps nothing or there were enough; returns the finished run.

        Raises RequestError if another process has taken over the run.
        """
        async with renewed(self._database, self._hold, self._client):
            await asyncio.to_thread(self._begin)
            while not (why := why_ended(self._run)):
                await self._round()
            if self._run.state != "finished":
                ended = {"state": "finished", "why": why, "ended_at": instant(now_ms())}
                self._run = self._run.model_copy(update=ended)
                await asyncio.to_thread(keep_run, self._database, self._hold, self._run)
        return self._run

    async def _round(self) -> None:
        number, (state, _) = self._run.rounds + 1, round_left(self._run)
        self._progress = self._standing()
        self._on_progress(self._progress)
        requester = Requester({"": RoleModel(self._client)})
        tried = await self._runner.run(self._discovery.round(number, state), requester)
        await asyncio.to_thread(self._keep, number, tried, len(set(requester.calls)))

    def _keep(self, number: int, tried: DiscoveryRound, calls: int) -> None:
        """Write a round, in one transaction."""
        left = {"state": tried.state, "kept": list(tried.kept)}
        self._run = self._run.model_copy(
            update={
                "left": plain_json(left),
                "state": "open",
                "rounds": number,
                "calls": self._run.calls + calls,
            }
        )
        with self._database.read() as session:
            before = candidate_count(session, self._run.name)
        rows = self._recorder.rows(tried.records, number, before)
        keep_round(self._database, self._hold, self._run, rows.candidates, rows.batches, rows.findings)

    def _begin(self) -> None:
        """Write a new run with the library that it starts from."""
        with self._database.read() as session:
            if find_run(session, self._run.name) is not None:
                return
            name = str(self._run.material[LIBRARY])
            places = list_places(session, Filter(datasets=(name,)))
            values = values_at_places(session, name)
        entries = [(place, case, values.get((place.key, case.digest), {})) for place, case in places]
        keep_run(self._database, self._hold, self._run, [self._recorder.library(entries)])

    def _standing(self) -> DiscoveryProgress:
        rounds = self._discovery.settings.rounds
        return DiscoveryProgress(
            self._run.rounds, rounds, len(discovery_standing(self._database, self._run).kept)
        )

    def _report(self, title: str, done: int, total: int) -> None:
        self._progress = self._progress.after(title, done, total)
        self._on_progress(self._progress)
