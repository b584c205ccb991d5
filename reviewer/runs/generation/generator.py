"""Generation: rounds of expansions, each round's candidates checked side by side and written whole.

A round asks every group that still lacks cases for more. Its candidates are approved in a fixed order when
all have been through the steps, so that seed and replies alone decide what a run makes. What was interrupted
is a round that was not written: it is done again, with the answers that are in the store.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress

from reviewer.core.errors import StoreError
from reviewer.llm.client import ModelClient
from reviewer.llm.errors import Stopped
from reviewer.protocols.generation import Generation, Tried
from reviewer.protocols.registry import protocols_of
from reviewer.runs.generation.candidate_pipeline import CandidatePipeline, CandidateResult
from reviewer.runs.generation.candidate_records import CandidateRecorder, Kept, read_seeds
from reviewer.runs.generation.nearest import ApprovedTexts
from reviewer.runs.generation.run_progress import (
    GroupProgress,
    Progress,
    RunProgress,
    groups_of,
    run_progress,
)
from reviewer.runs.generation.run_state import kept_settings, round_state, settings_values
from reviewer.runs.generation.step_runner import Embedder, StepRunner, all_of
from store.candidates import (
    CandidateBatch,
    Fate,
    candidate_count,
    expansions_of,
    fates,
    find_run,
    keep_round,
    keep_run,
)
from store.cases import Filter, list_places
from store.clock import instant, now_ms
from store.database import Database
from store.records import JsonValue, Run, RunLock
from store.run_lock import LEASE_MS, check_hold, renew_hold

_RENEWALS = 4
"""In the time that a hold stands."""


class Generator:
    """Carries a run on from where it is.

    Raises what the door raises where no more can be asked; everything answered until then is in the store.
    """

    def __init__(
        self,
        database: Database,
        hold: RunLock,
        run: Run,
        generation: Generation,
        door: ModelClient,
        embedder: Embedder | None,
        executor: Executor | None,
        progress: Progress = lambda run_progress: None,
    ) -> None:
        self._database = database
        self._hold = hold
        self._run = run
        self._generation = generation
        self._approved = ApprovedTexts()
        self._door = door
        self._workshop = StepRunner(door, embedder, executor, self._approved)
        self._trial = CandidatePipeline(generation, self._workshop, self._hear)
        protocol = protocols_of(database).named(run.protocol)
        self._books = CandidateRecorder(run, protocol, generation)
        self._progress = progress
        self._groups = groups_of(protocol, run)
        self._under_way: list[CandidateResult] = []
        with database.read() as session:
            self._fates = fates(session, run.name)
            self._expansions = expansions_of(session, run.name)
            self._tried = candidate_count(session, run.name)

    @property
    def run_progress(self) -> RunProgress:
        """How far the run is, the round under way included."""
        heard = (Fate(each.group, each.passed, each.step, "", each.counts_as, 1) for each in self._under_way)
        return run_progress(
            self._groups,
            self._generation.settings,
            [*self._fates, *heard],
            self._expansions,
            self._run.rounds,
        )

    async def go(self) -> Run:
        """Do rounds until every group has its cases or is given up; the run as it stands then.

        Raises RequestError where another process has taken the run over.
        """
        holding = asyncio.create_task(self._keep_holding())
        try:
            return await self._to_the_end()
        except Stopped:
            with self._database.read() as session:
                check_hold(session, self._hold)
            raise
        finally:
            holding.cancel()

    async def _keep_holding(self) -> None:
        """Say again and again that the run is held; once it is not, ask nothing more."""
        kept = True
        while kept:
            await asyncio.sleep(LEASE_MS / 1000 / _RENEWALS)
            with suppress(StoreError):  # a store that is away just now is told the next time
                kept = await asyncio.to_thread(renew_hold, self._database, self._hold)
        self._door.stop()

    async def _to_the_end(self) -> Run:
        await self._begin()
        await self._recall()
        self._progress(self.run_progress)
        while groups := [group for group in self.run_progress.groups if group.is_open]:
            await self._round(groups)
        self._run = self._run.model_copy(
            update={"state": "finished", "why": _why(self.run_progress), "ended_at": instant(now_ms())}
        )
        keep_run(self._database, self._hold, self._run)
        return self._run

    async def _begin(self) -> None:
        """Write the run as it is now; a new one with its seeds, which no candidate may be too like either."""
        with self._database.read() as session:
            begun = find_run(session, self._run.name) is not None
        seeds = [] if begun else read_seeds(self._database, self._run, self._groups)
        entries = []
        for position, seed in enumerate(seeds):
            values = await self._workshop.do(self._generation.values_of_seed(seed.case), [])
            entries.append(self._books.seed_entry(seed, position, values))
        keep_run(self._database, self._hold, self._run, [CandidateBatch(self._books.dataset, tuple(entries))])

    async def _recall(self) -> None:
        """What was approved before, seeds first."""
        with self._database.read() as session:
            places = list_places(session, Filter(datasets=(self._run.name,)))
        await self._remember([(place.key, case.payload) for place, case in places])

    async def _remember(self, approved: Sequence[tuple[str, Mapping[str, JsonValue]]]) -> None:
        """Keep the compared texts of approved cases, by key and payload, where they have any."""
        texts = {key: self._generation.compared_text(payload) for key, payload in approved}
        compared = {key: text for key, text in texts.items() if text}
        if compared:
            self._approved.add(list(compared), await self._workshop.vectors(list(compared.values())))

    async def _round(self, groups: Sequence[GroupProgress]) -> None:
        self._under_way.clear()
        expansions = [
            (each.group, each.expansions + further)
            for each in groups
            for further in range(self._generation.settings.expansions_at_once)
        ]
        state = round_state(self._run)
        outcomes = await all_of([self._trial.expansion(group, number, state) for group, number in expansions])
        kept = [await self._settled(outcome) for found in outcomes for outcome in found]
        self._write(kept)
        self._expansions.all.update(group for group, _ in expansions)
        for candidate in (each.candidate for each in kept if each.candidate.approved):
            self._expansions.fruitful[candidate.group] = candidate.expansion + 1
        self._progress(self.run_progress)

    async def _settled(self, outcome: CandidateResult) -> Kept:
        """A candidate as it is kept. One that passed is compared with all that were approved before it."""
        if outcome.passed:
            outcome = self._books.refused(await self._trial.last(outcome))
        kept = self._books.keep(outcome, self._tried)
        self._tried += 1
        if outcome.passed:
            await self._remember([(kept.candidate.key, kept.candidate.payload)])
        return kept

    def _write(self, kept: Sequence[Kept]) -> None:
        calls = {call for each in kept for call in each.candidate.calls}
        state = self._generation.next_state(round_state(self._run), [_tried(each.outcome) for each in kept])
        self._run = self._run.model_copy(
            update={
                "settings": kept_settings(settings_values(self._run), state),
                "rounds": self._run.rounds + 1,
                "calls": self._run.calls + len(calls),
            }
        )
        findings = [finding for each in kept for finding in each.findings]
        candidates = [each.candidate for each in kept]
        keep_round(self._database, self._hold, self._run, candidates, self._books.batches(kept), findings)
        self._under_way.clear()
        counted = Counter((c.group, c.approved, c.step, c.check, c.counts_as) for c in candidates)
        self._fates += [Fate(*what, number) for what, number in counted.items()]

    def _hear(self, outcome: CandidateResult) -> None:
        self._under_way.append(outcome)
        self._progress(self.run_progress)


def _tried(outcome: CandidateResult) -> Tried:
    decisive = outcome.decisive
    return Tried(outcome.expansion, outcome.draft, outcome.passed, decisive.check, decisive.why)


def _why(reached: RunProgress) -> str:
    """Which groups were given up, "" where none was."""
    given_up = [
        f"{group.group} ({group.valid} valid in {group.expansions} expansions)"
        for group in reached.groups
        if group.given_up
    ]
    return f"given up, for the model does not converge: {', '.join(given_up)}" if given_up else ""
