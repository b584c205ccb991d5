"""Background work of the generation screen: reading runs, and starting or resuming one."""

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from textual.message import Message
from textual.screen import Screen

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.source_text import NO_SOURCE, read_settings
from reviewer.llm.client import ModelClient, open_client
from reviewer.llm.errors import Stopped
from reviewer.llm.settings import Endpoint, ModelSettings
from reviewer.llm.usage import Usage
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
from reviewer.tui.dialogs.new_run import RunForm, ServerForm, models_file
from store.calls import StoredCalls
from store.candidates import case_making_runs, find_run
from store.database import Database
from store.embeddings import StoredVectors
from store.records import JsonValue, Run, RunLock
from store.run_lock import held

_SECONDS_BETWEEN = 0.2


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A generation run and its progress, or a discovery run and what it has done."""

    run: Run
    progress: RunProgress | DiscoveryStanding


class GenerationWork:
    """Works in threads, and reports to its screen through messages only."""

    def __init__(self, screen: Screen[None], database: Database) -> None:
        self._screen, self._database = screen, database
        self._client: ModelClient | None = None

    class Listed(Message):
        """The runs of the store."""

        def __init__(self, runs: list[ListedRun]) -> None:
            self.runs = runs
            super().__init__()

    class Moved(Message):
        """The progress of the run under way, what it has spent, and how long it will take."""

        def __init__(
            self, name: str, progress: RunProgress | DiscoveryProgress, spent: Usage, left: str
        ) -> None:
            self.name, self.progress, self.spent, self.left = name, progress, spent, left
            super().__init__()

    class Asking(Message):
        """The calls to models begin; ``stop`` ends them after those under way."""

        def __init__(self, stop: Callable[[], object]) -> None:
            self.stop_asking = stop
            super().__init__()

    class Ended(Message):
        """The run ended; ``sentence`` says how, and ``spent`` what it took since it was begun here."""

        def __init__(self, name: str, sentence: str, failed: bool, spent: Usage | None = None) -> None:
            self.name, self.sentence, self.failed, self.spent = name, sentence, failed, spent
            super().__init__()

    class Estimated(Message):
        """What a run may cost; nothing was sent."""

        def __init__(self, form: RunForm, model: str, estimate: CostEstimate) -> None:
            self.form, self.model, self.estimate = form, model, estimate
            super().__init__()

    class Noted(Message):
        """Something about a run that goes on; ``sentence`` says what."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    class Refused(Message):
        """A run could not begin, and nothing was sent; ``sentence`` says why."""

        def __init__(self, form: RunForm, sentence: str) -> None:
            self.form, self.sentence = form, sentence
            super().__init__()

    def read_runs(self) -> None:
        """Read the runs and their progress."""
        self._screen.run_worker(self._read_runs, thread=True, exclusive=True, group="read")

    def _read_runs(self) -> None:
        try:
            with self._database.read() as session:
                runs = case_making_runs(session)
            self._screen.post_message(self.Listed([self._listed(run) for run in runs]))
        except ReviewerError as error:
            self._screen.post_message(self.Ended("", str(error), failed=True))

    def _listed(self, run: Run) -> ListedRun:
        if run.procedure == "discover":
            return ListedRun(run, discovery_standing(self._database, run))
        return ListedRun(run, read_progress(self._database, run))

    def without_seeds(self) -> dict[str, str]:
        """The titles, by name, of the protocols whose cases need no seeds."""
        plans = {known: known.generation_plan() for known in protocols_of(self._database).values()}
        return {known.name: known.title for known, plan in plans.items() if plan and plan.groups}

    def estimate(self, form: RunForm) -> None:
        """Estimate what a run costs."""
        self._screen.run_worker(partial(self._estimate, form), thread=True, group="generate")

    def _estimate(self, form: RunForm) -> None:
        try:
            settings = model_settings(form)
            run = self._run_of(form) if form.target else known_run(self._database, form.name)
            estimate = (self._generation_cost if form.target else self._discovery_cost)(run, settings)
            self._screen.post_message(self.Estimated(form, run.model, estimate))
        except ReviewerError as error:
            self._screen.post_message(self.Refused(form, str(error)))

    def _generation_cost(self, run: Run, settings: ModelSettings) -> CostEstimate:
        from reviewer.runs.generation.run_setup import generation_of, plan_of

        settings.check_prices((run.model,))
        plan = plan_of(protocols_of(self._database).named(run.protocol))
        published = next((published for published in plan.published if published.valid), None)
        generation = generation_of(self._database, run)
        return cost_estimate(generation, list(run.seeds), published, settings.prices.get(run.model))

    def _discovery_cost(self, run: Run, settings: ModelSettings) -> CostEstimate:
        settings.check_prices((run.model, run.roles[TEACHER]))
        discovery = discovery_of(self._database, run)
        return CostEstimate(discovery.samples(), discovery.calls(), settings.prices)

    def carry_on(self, form: RunForm) -> None:
        """Start or resume a run; it goes on until it ends or is stopped."""
        self._screen.run_worker(partial(self._generate, form), thread=True, group="generate")

    def _generate(self, form: RunForm) -> None:
        self._client = None
        try:
            with held(self._database, form.name, kind="generate" if form.target else "discover") as lock:
                why = asyncio.run((self._go if form.target else self._discover)(form, lock))
        except Stopped:
            self._end(form, "stopped; all answers are kept, and the run can be resumed from here")
        except ReviewerError as error:
            if self._client is None:
                self._screen.post_message(self.Refused(form, str(error)))
            else:
                self._end(form, str(error), failed=True)
        else:
            self._end(form, f"finished. {why}".strip())

    async def _go(self, form: RunForm, lock: RunLock) -> str:
        """Run it; returns why groups were given up, "" where none was. Raises ReviewerError."""
        from reviewer.runs.generation.generator import Generator
        from reviewer.runs.generation.run_setup import changed_by_release, generation_of, plan_of

        run = self._run_of(form)
        for sentence in changed_by_release(self._database, run):
            self._screen.post_message(self.Noted(sentence))
        plan = plan_of(protocols_of(self._database).named(run.protocol))
        calls = StoredCalls(self._database)
        with _executor_if(plan.runs_programs) as executor:
            async with open_client(model_settings(form), calls) as client:
                self._ask_through(client)
                generation = generation_of(self._database, run)
                embedder = open_embedder(self._database) if plan.compares_texts else None
                report = _ProgressReporter(self._screen, form.name, client).report
                generator = Generator(
                    self._database, lock, run, generation, client, embedder, executor, report
                )
                return (await generator.go()).why

    async def _discover(self, form: RunForm, lock: RunLock) -> str:
        """Carry a discovery run on; returns why it ended. Raises ReviewerError."""
        from reviewer.runs.discovery.discoverer import Discoverer

        run = known_run(self._database, form.name)
        embedder = open_embedder(self._database)
        async with open_client(model_settings(form), StoredCalls(self._database)) as client:
            self._ask_through(client)
            report = _ProgressReporter(self._screen, form.name, client).report_discovery
            discoverer = Discoverer(self._database, lock, run, client, embedder, report)
            return f"Why: {(await discoverer.go()).why}."

    def _ask_through(self, client: ModelClient) -> None:
        """From now on calls are made, which can be stopped."""
        self._client, loop = client, asyncio.get_running_loop()
        self._screen.post_message(self.Asking(lambda: loop.call_soon_threadsafe(client.stop)))

    def _run_of(self, form: RunForm) -> Run:
        """The run in the store, or a new one, for which the shipped seeds are imported."""
        from reviewer.exchange.rows.shipped_seeds import ensure_seeds
        from reviewer.runs.generation.run_setup import RunRequest, open_run

        request = RunRequest(form.name, form.seeds, form.model, settings={"target": form.target})
        with self._database.read() as session:
            is_new = find_run(session, form.name) is None
        if is_new:
            request = replace(request, seed=form.seed, **_settings_of(form))
        if is_new and not form.protocol:
            ensure_seeds(self._database, form.seeds)
        return open_run(self._database, request)

    def _end(self, form: RunForm, sentence: str, failed: bool = False) -> None:
        spent = None if self._client is None else self._client.spent
        self._screen.post_message(self.Ended(form.name, f"{form.name}: {sentence}", failed, spent))


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


class _ProgressReporter:
    """Reports the progress of a run to the screen, at most every 0.2 seconds."""

    def __init__(self, screen: Screen[None], name: str, client: ModelClient) -> None:
        self._screen, self._name, self._client = screen, name, client
        self._began, self._reported = time.monotonic(), 0.0
        self._valid_at_begin: int | None = None

    def report(self, progress: RunProgress) -> None:
        """Report the progress, unless the last report was just now."""
        now = time.monotonic()
        if self._valid_at_begin is None:
            self._valid_at_begin = progress.valid
        elif now - self._reported < _SECONDS_BETWEEN and progress.missing:
            return
        self._reported = now
        left = time_left(progress, progress.valid - self._valid_at_begin, now - self._began)
        self._screen.post_message(GenerationWork.Moved(self._name, progress, self._client.spent, left))

    def report_discovery(self, progress: DiscoveryProgress) -> None:
        """Report the progress of a discovery run, unless the last report was just now."""
        now = time.monotonic()
        if now - self._reported >= _SECONDS_BETWEEN or not progress.work:
            self._reported = now
            self._screen.post_message(GenerationWork.Moved(self._name, progress, self._client.spent, ""))


def model_settings(form: ServerForm) -> ModelSettings:
    """Address and key from the form, limits and prices from the models file; raises ReviewerError."""
    file = models_file()
    endpoint = Endpoint.of(form.base_url or file.base_url, form.key_variable or file.key_env)
    limits = file.limits.model_copy(update={"budget": form.budget})
    return ModelSettings(endpoint, limits, file.patience, file.prices)


def open_embedder(database: Database) -> Embeddings:
    """The default sentence model, loaded when a text is new; its vectors are kept in the store."""
    return Embeddings(open_encoder(), StoredVectors(database))
