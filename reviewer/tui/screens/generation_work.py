"""Background work of the generation screen: reading runs, and starting or resuming one."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from textual.message import Message

from reviewer.core.errors import RequestError
from reviewer.core.number_text import fixed
from reviewer.core.sanitize import counted
from reviewer.core.source_text import NO_SOURCE, read_settings
from reviewer.llm.settings import ModelSettings
from reviewer.protocols.registry import protocols_of
from reviewer.runs.discovery.discovery_progress import (
    DiscoveryProgress,
    DiscoveryStanding,
    discovery_standing,
)
from reviewer.runs.discovery.discovery_setup import TEACHER, discovery_of
from reviewer.runs.generation.cost_estimate import CostEstimate, cost_estimate
from reviewer.runs.generation.progress_text import time_left
from reviewer.runs.generation.run_progress import RunProgress, read_progress
from reviewer.runs.generation.run_setup import known_run
from reviewer.similarity.embeddings import Embeddings
from reviewer.similarity.encoder import open_encoder
from reviewer.tui.dialogs.new_run import RunForm
from reviewer.tui.dialogs.start_run import budget_line
from reviewer.tui.screens.run_work import RunWork, model_settings
from store.candidates import case_making_runs, find_run
from store.database import Database
from store.embeddings import StoredVectors
from store.records import JsonValue, Run, RunLock
from store.run_lock import held


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A generation run and its progress, or a discovery run and what it has done."""

    run: Run
    progress: RunProgress | DiscoveryStanding


class GenerationWork(RunWork[RunForm]):
    """Reads the runs that make cases, estimates them, and carries them on."""

    class Listed(Message):
        """The runs of the store."""

        def __init__(self, runs: list[ListedRun]) -> None:
            self.runs = runs
            super().__init__()

    def read_runs(self) -> None:
        """Read the runs and their progress."""
        self.read(self._read_runs)

    def _read_runs(self) -> None:
        with self.database.read() as session:
            runs = case_making_runs(session)
        self.screen.post_message(self.Listed([self._listed(run) for run in runs]))

    def _listed(self, run: Run) -> ListedRun:
        if run.procedure == "discover":
            return ListedRun(run, discovery_standing(self.database, run))
        return ListedRun(run, read_progress(self.database, run))

    def without_seeds(self) -> dict[str, str]:
        """The titles, by name, of the protocols whose cases need no seeds."""
        plans = {known: known.generation_plan() for known in protocols_of(self.database).values()}
        return {known.name: known.title for known, plan in plans.items() if plan and plan.groups}

    def planned(self, form: RunForm) -> tuple[str, Sequence[str]]:
        """What a run may cost."""
        settings = model_settings(form)
        run = self._run_of(form) if form.target else known_run(self.database, form.name)
        estimate = (self._generation_cost if form.target else self._discovery_cost)(run, settings)
        return f"{form.name} · {run.model} at {form.base_url}", [*_cost_lines(form, estimate)]

    def _generation_cost(self, run: Run, settings: ModelSettings) -> CostEstimate:
        from reviewer.runs.generation.run_setup import generation_of, plan_of

        settings.check_prices((run.model,))
        plan = plan_of(protocols_of(self.database).named(run.protocol))
        published = next((published for published in plan.published if published.valid), None)
        generation = generation_of(self.database, run)
        return cost_estimate(generation, list(run.seeds), published, settings.prices.get(run.model))

    def _discovery_cost(self, run: Run, settings: ModelSettings) -> CostEstimate:
        settings.check_prices((run.model, run.roles[TEACHER]))
        discovery = discovery_of(self.database, run)
        return CostEstimate(discovery.samples(), discovery.calls(), settings.prices)

    def carried_on(self, form: RunForm) -> tuple[str, bool]:
        """Do what is left of a run."""
        with held(self.database, form.name, kind="generate" if form.target else "discover") as lock:
            why = asyncio.run((self._go if form.target else self._discover)(form, lock))
        return f"finished. {why}".strip(), False

    async def _go(self, form: RunForm, lock: RunLock) -> str:
        """Run it; returns why groups were given up, "" where none was. Raises ReviewerError."""
        from reviewer.runs.generation.generator import Generator
        from reviewer.runs.generation.run_setup import changed_by_release, generation_of, plan_of

        run = self._run_of(form)
        for sentence in changed_by_release(self.database, run):
            self.screen.post_message(self.Noted(sentence))
        plan = plan_of(protocols_of(self.database).named(run.protocol))
        with _executor_if(plan.runs_programs) as executor:
            async with self.asking(model_settings(form)) as client:
                generation = generation_of(self.database, run)
                embedder = open_embedder(self.database) if plan.compares_texts else None
                report = self.reporter(form.name, client, lambda progress: not progress.missing, _time_left)
                generator = Generator(
                    self.database, lock, run, generation, client, embedder, executor, report
                )
                return (await generator.go()).why

    async def _discover(self, form: RunForm, lock: RunLock) -> str:
        """Carry a discovery run on; returns why it ended. Raises ReviewerError."""
        from reviewer.runs.discovery.discoverer import Discoverer

        run = known_run(self.database, form.name)
        embedder = open_embedder(self.database)
        async with self.asking(model_settings(form)) as client:
            report = self.reporter(form.name, client, _is_new_round)
            discoverer = Discoverer(self.database, lock, run, client, embedder, report)
            return f"Why: {(await discoverer.go()).why}."

    def _run_of(self, form: RunForm) -> Run:
        """The run in the store, or a new one, for which the shipped seeds are imported."""
        from reviewer.exchange.rows.shipped_seeds import ensure_seeds
        from reviewer.runs.generation.run_setup import RunRequest, open_run

        request = RunRequest(form.name, form.seeds, form.model, settings={"target": form.target})
        with self.database.read() as session:
            is_new = find_run(session, form.name) is None
        if is_new:
            request = replace(request, seed=form.seed, **_settings_of(form))
        if is_new and not form.protocol:
            ensure_seeds(self.database, form.seeds)
        return open_run(self.database, request)


def _settings_of(form: RunForm) -> dict[str, Any]:
    """What a new run is asked for beside its seeds, as the command asks; raises InputError."""
    from reviewer.exchange.rows.template_files import read_scenarios

    own: dict[str, JsonValue] = {"target": form.target}
    if form.scenarios:
        own["scenarios"] = list(read_scenarios(form.scenarios))
    said, source = read_settings(form.settings_file) if form.settings_file else ({}, NO_SOURCE)
    source = replace(source, names=frozenset(source.names) - own.keys())
    return {"protocol": form.protocol or None, "settings": said | own, "source": source}


@contextmanager
def _executor_if(needed: bool) -> Iterator[Executor | None]:
    """The executor for programs, if a run needs one; raises ReviewerError where they cannot run safely."""
    if not needed:
        yield None
        return
    from reviewer.oracle import pool
    from reviewer.oracle.doctor import without_jail

    if problem := without_jail():
        raise RequestError(f"{problem} Or run `reviewer generate`, which asks you first.")
    pool.calibration()  # fails before any paid call: no candidate would pass without logic
    with pool.open_executor() as executor:
        yield executor


def _is_new_round(progress: DiscoveryProgress) -> bool:
    return not progress.work


def _time_left(first: RunProgress, now: RunProgress, seconds: float) -> str:
    return time_left(now, now.valid - first.valid, seconds)


def open_embedder(database: Database) -> Embeddings:
    """The default sentence model, loaded when a text is new; its vectors are kept in the store."""
    return Embeddings(open_encoder(), StoredVectors(database))


def _cost_lines(form: RunForm, estimate: CostEstimate) -> Iterator[str]:
    of_each = f"For {counted(form.target, 'valid case')} of each group, the" if form.target else "The"
    yield f"{of_each} whole run takes about:"
    for title, (calls, tokens, cost) in estimate.totals.items():
        money = "" if cost is None else f", cost {fixed(cost)}"
        yield f"  {title}: {calls:,} calls, {tokens:,} tokens{money}"
    yield "Tokens are characters / 4, without reasoning. Answers that are kept already cost nothing."
    if estimate.without_price:
        yield f"No price is known for {', '.join(estimate.without_price)}, so the cost is not known."
    yield budget_line(form.budget, "the target" if form.target else "a round that keeps nothing")
