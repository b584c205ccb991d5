"""Generation: rounds of expansions. The candidates of a round are checked concurrently and written together.

A round asks for more candidates in every group that still lacks cases. After all of them went through the
steps, they are approved in a fixed order, so the result depends on the seed and the replies alone. A round
that was interrupted was not written. It is repeated, with the answers that are in the store.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor

from reviewer.llm.client import ModelClient
from reviewer.protocols.generation import Generation, Tried
from reviewer.protocols.registry import protocols_of
from reviewer.runs.engine.lock_renewal import renewed
from reviewer.runs.engine.nearest import ApprovedTexts
from reviewer.runs.engine.work_runner import Embedder, Requester, RoleModel, WorkRunner, all_of
from reviewer.runs.generation.candidate_pipeline import CandidatePipeline, CandidateResult
from reviewer.runs.generation.candidate_records import CandidateRecorder, Kept, read_seeds
from reviewer.runs.generation.run_progress import (
    GroupProgress,
    RunProgress,
    RunProgressCallback,
    groups_of,
    run_progress,
)
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
from store.records import JsonValue, Run, RunLock, plain_json


class Generator:
    """Continues a run from its last complete round.

    Raises what the client raises if no more requests can be made. All answers until then are in the store.
    """

    def __init__(
        self,
        database: Database,
        hold: RunLock,
        run: Run,
        generation: Generation,
        client: ModelClient,
        embedder: Embedder | None,
        executor: Executor | None,
        progress: RunProgressCallback = lambda run_progress: None,
    ) -> None:
        self._database = database
        self._hold = hold
        self._run = run
        self._generation = generation
        self._approved = ApprovedTexts()
        self._client = client
        self._roles = {"": RoleModel(client)}
        self._runner = WorkRunner(embedder, executor, self._approved)
        self._pipeline = CandidatePipeline(generation, self._runner, self._roles, self._add_result)
        protocol = protocols_of(database).named(run.protocol)
        self._recorder = CandidateRecorder(run, protocol, generation)
        self._progress = progress
        self._groups = groups_of(protocol, run)
        self._under_way: list[CandidateResult] = []
        with database.read() as session:
            self._fates = fates(session, run.name)
            self._expansions = expansions_of(session, run.name)
            self._tried = candidate_count(session, run.name)

    @property
    def run_progress(self) -> RunProgress:
        """How far the run is, including the current round."""
        current = (
            Fate(result.group, result.passed, result.step, "", result.counts_as, 1)
            for result in self._under_way
        )
        return run_progress(
            self._groups,
            self._generation.settings,
            [*self._fates, *current],
            self._expansions,
            self._run.rounds,
        )

    async def go(self) -> Run:
        """Run rounds until every group has its cases or is given up; returns the finished run.

        Raises RequestError if another process has taken over the run.
        """
        async with renewed(self._database, self._hold, self._client):
            return await self._to_the_end()

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
        """Write the run as it is now. For a new run, also write its seeds."""
        with self._database.read() as session:
            begun = find_run(session, self._run.name) is not None
        seeds = [] if begun else read_seeds(self._database, self._run, self._groups)
        entries = []
        for position, seed in enumerate(seeds):
            values = await self._runner.run(
                self._generation.values_of_seed(seed.case), Requester(self._roles)
            )
            entries.append(self._recorder.seed_entry(seed, position, values))
        keep_run(
            self._database, self._hold, self._run, [CandidateBatch(self._recorder.dataset, tuple(entries))]
        )

    async def _recall(self) -> None:
        """Load the texts that were approved before, seeds first."""
        with self._database.read() as session:
            places = list_places(session, Filter(datasets=(self._run.name,)))
        await self._remember([(place.key, case.payload) for place, case in places])

    async def _remember(self, approved: Sequence[tuple[str, Mapping[str, JsonValue]]]) -> None:
        """Add the texts of approved cases (key, payload) to those that later candidates are compared with."""
        texts = {key: self._generation.compared_text(payload) for key, payload in approved}
        compared = {key: text for key, text in texts.items() if text}
        if compared:
            self._approved.add(list(compared), await self._runner.vectors(list(compared.values())))

    async def _round(self, groups: Sequence[GroupProgress]) -> None:
        self._under_way.clear()
        expansions = [
            (group.group, group.expansions + further)
            for group in groups
            for further in range(self._generation.settings.expansions_at_once)
        ]
        state = self._run.left
        results = await all_of(
            [self._pipeline.expansion(group, number, state) for group, number in expansions]
        )
        kept = [await self._recorded(result) for expansion in results for result in expansion]
        self._write(kept)
        self._expansions.all.update(group for group, _ in expansions)
        for candidate in (record.candidate for record in kept if record.candidate.approved):
            self._expansions.fruitful[candidate.group] = candidate.expansion + 1
        self._progress(self.run_progress)

    async def _recorded(self, result: CandidateResult) -> Kept:
        """The records of a candidate. One that passed is first compared with all approved before it."""
        if result.passed:
            result = self._recorder.refused(await self._pipeline.last(result))
        kept = self._recorder.keep(result, self._tried)
        self._tried += 1
        if result.passed:
            await self._remember([(kept.candidate.key, kept.candidate.payload)])
        return kept

    def _write(self, kept: Sequence[Kept]) -> None:
        calls = {call for record in kept for call in record.candidate.calls}
        left = self._generation.next_state(self._run.left, [_tried(record.result) for record in kept])
        self._run = self._run.model_copy(
            update={
                "left": plain_json(left),
                "rounds": self._run.rounds + 1,
                "calls": self._run.calls + len(calls),
            }
        )
        findings = [finding for record in kept for finding in record.findings]
        candidates = [record.candidate for record in kept]
        keep_round(self._database, self._hold, self._run, candidates, self._recorder.batches(kept), findings)
        self._under_way.clear()
        counted = Counter((c.group, c.approved, c.step, c.check, c.counts_as) for c in candidates)
        self._fates += [Fate(*fate, number) for fate, number in counted.items()]

    def _add_result(self, result: CandidateResult) -> None:
        self._under_way.append(result)
        self._progress(self.run_progress)


def _tried(result: CandidateResult) -> Tried:
    decisive = result.decisive
    return Tried(result.expansion, result.draft, result.passed, decisive.check, decisive.why)


def _why(reached: RunProgress) -> str:
    """Which groups were given up; "" if none was."""
    given_up = [
        f"{group.group} ({group.valid} valid in {group.expansions} expansions)"
        for group in reached.groups
        if group.given_up
    ]
    return f"given up because the model does not converge: {', '.join(given_up)}" if given_up else ""
