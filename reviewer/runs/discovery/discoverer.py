"""Discovery: rounds that look for new entries of a library. Each decides about all that it tried."""

from collections.abc import Sequence
from dataclasses import replace

from reviewer.protocols.discovery import Discovery, DiscoveryPlan, DiscoveryRound
from reviewer.protocols.registry import protocols_of
from reviewer.protocols.work import Trace, Work, traced
from reviewer.runs.case_making import CaseMakingRun
from reviewer.runs.discovery.discovery_progress import (
    kept_discovery,
    round_left,
    round_under_way,
    why_ended,
)
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.engine.run_share import HeldRun
from reviewer.runs.engine.work_runner import RunTools, WorkRunner
from reviewer.runs.tried_cases import CaseRecorder, came_with
from store.cases import Filter, list_places, values_at_places
from store.entries import Entry
from store.records import Run

LIBRARY = "library"
"""The part of the material with the known entries."""
REWRITES = ".rewrites"
"""The ending of the name of a run's dataset of rewrites."""


class Discoverer(CaseMakingRun[int, Trace[DiscoveryRound]]):
    """A discovery run; a unit is a whole round, by its number."""

    def __init__(self, share: HeldRun, run: Run, discovery: Discovery, tools: RunTools) -> None:
        protocols = protocols_of(share.database)
        plan = protocols.named(run.protocol).procedure(DiscoveryPlan)
        made = {
            run.protocol: ("", f"discovered with {run.model}"),
            plan.rewrites_protocol: (REWRITES, f"rewritten for {run.model}"),
        }
        self._discovery = discovery
        super().__init__(
            share,
            run,
            tools,
            discovery.sampling,
            WorkRunner(tools.embedder, on_done=self._add_work),
            CaseRecorder(run, protocols, run.roles[plan.author], len(run.seeds[LIBRARY]), made),
        )
        self._kept = kept_discovery(self._database, run)
        self._work: dict[str, tuple[int, int]] = {}

    @property
    def progress(self) -> RunProgress:
        """How far the run is, with the round under way unless it is at its end."""
        return self._kept if why_ended(self.run) else round_under_way(self.run, self._kept, self._work)

    def why_ended(self) -> str:
        """Why the run is at its end."""
        return why_ended(self.run)

    async def first_entries(self) -> Sequence[Entry]:
        """The library that the run starts from, with the values that were published there."""
        name = str(self.run.material[LIBRARY])
        with self._database.read() as session:
            places = list_places(session, Filter(datasets=(name,)))
            values = values_at_places(session, name)
        changed = {"dataset": self.run.name, "origin": "seed"}
        entries = []
        for position, (place, case) in enumerate(places):
            own = place.model_copy(update=changed | {"position": position})
            entries.append(Entry(case, own, came_with(own, values.get((place.key, case.digest), {}))))
        return entries

    def units(self) -> Sequence[int]:
        """The next round, unless the last one kept nothing or there were enough."""
        self._kept, self._work = kept_discovery(self._database, self.run), {}
        self._tools.report(self.progress)
        return () if why_ended(self.run) else (self.run.rounds + 1,)

    def work(self, unit: int) -> Work[Trace[DiscoveryRound]]:
        """A round, with what it asked."""
        return traced(self._discovery.round(unit, round_left(self.run)[0]))

    async def keep(self, products: Sequence[Trace[DiscoveryRound]], last: bool) -> None:
        """Write a round."""
        for asked in products:
            found = asked.returned
            tried = [
                self._recorder.valid(replace(each, place=place))
                for place, each in enumerate(found.records, 1)
            ]
            left = {"state": found.state, "kept": list(found.kept)}
            await self.write(tried, left, asked.calls)

    def _add_work(self, title: str, done: int, total: int) -> None:
        self._work[title] = done, total
        self._tools.report(self.progress)
