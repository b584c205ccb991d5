"""What the generation screen has done in the background: reading runs, and carrying one on."""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from textual import work
from textual.message import Message
from textual.screen import Screen

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.llm.client import ModelClient, open_client
from reviewer.llm.errors import Stopped
from reviewer.llm.models_file import ModelsFile, read_models_file
from reviewer.llm.settings import Endpoint, ModelSettings
from reviewer.llm.usage import Usage
from reviewer.protocols.registry import protocols_of
from reviewer.runs.generation.progress_text import time_left
from reviewer.runs.generation.run_progress import RunProgress, read_progress
from reviewer.similarity.embeddings import Embeddings
from reviewer.similarity.encoder import open_encoder
from reviewer.tui.dialogs.new_run import RunForm
from store.calls import StoredCalls
from store.candidates import all_runs, find_run
from store.database import Database
from store.embeddings import StoredVectors
from store.records import Run, RunLock
from store.run_lock import held

_SECONDS_BETWEEN = 0.2


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run and how far it is."""

    run: Run
    standing: RunProgress


class GenerationWork(Screen[None]):
    """Works in threads, and speaks through messages only."""

    database: Database

    class Listed(Message):
        """The runs of the store."""

        def __init__(self, runs: list[ListedRun]) -> None:
            self.runs = runs
            super().__init__()

    class Moved(Message):
        """The run under way is so far, has spent so much, and has such a time left."""

        def __init__(self, name: str, standing: RunProgress, spent: Usage, left: str) -> None:
            self.name, self.standing, self.spent, self.left = name, standing, spent, left
            super().__init__()

    class Asking(Message):
        """Models are being asked; ``stop`` ends that after the calls under way."""

        def __init__(self, stop: Callable[[], object]) -> None:
            self.stop_asking = stop
            super().__init__()

    class Ended(Message):
        """The run ended; ``sentence`` says how."""

        def __init__(self, name: str, sentence: str, failed: bool) -> None:
            self.name, self.sentence, self.failed = name, sentence, failed
            super().__init__()

    @work(thread=True, exclusive=True, group="read")
    def read_runs(self) -> None:
        """Read the runs and how far they are."""
        try:
            with self.database.read() as session:
                runs = all_runs(session)
            self.post_message(
                self.Listed([ListedRun(run, read_progress(self.database, run)) for run in runs])
            )
        except ReviewerError as error:
            self.post_message(self.Ended("", str(error), failed=True))

    @work(thread=True, group="generate")
    def carry_on(self, form: RunForm) -> None:
        """Carry a run on, from its beginning if it is new, until it ends or is stopped."""
        try:
            with held(self.database, form.name) as hold:
                why = asyncio.run(self._go(form, hold))
        except Stopped:
            self._end(form, "stopped; what was answered is kept, and it carries on from here")
        except ReviewerError as error:
            self._end(form, str(error), failed=True)
        else:
            self._end(form, f"finished. {why}".strip())

    async def _go(self, form: RunForm, hold: RunLock) -> str:
        """Why groups were given up, "" where none was; raises ReviewerError."""
        from reviewer.runs.generation.generator import Generator
        from reviewer.runs.generation.run_setup import generation_of, plan_of

        run = self._run_of(form)
        plan = plan_of(protocols_of(self.database).named(run.protocol))
        calls = StoredCalls(self.database)
        with _executor_if(plan.runs_programs) as executor:
            async with open_client(model_settings(form), calls) as client:
                loop = asyncio.get_running_loop()
                self.post_message(self.Asking(lambda: loop.call_soon_threadsafe(client.stop)))
                generation = generation_of(self.database, run)
                embedder = open_embedder(self.database) if plan.compares_texts else None
                tell = _ProgressReporter(self, form.name, client).tell
                generator = Generator(self.database, hold, run, generation, client, embedder, executor, tell)
                return (await generator.go()).why

    def _run_of(self, form: RunForm) -> Run:
        """The run as it is in the store, or a new one; the shipped seeds are imported for it."""
        from reviewer.exchange.rows.shipped_seeds import ensure_seeds
        from reviewer.runs.generation.run_setup import RunRequest, open_run

        request = RunRequest(form.name, form.seeds, form.model, settings={"target": form.target})
        with self.database.read() as session:
            is_new = find_run(session, form.name) is None
        if is_new:
            ensure_seeds(self.database, form.seeds)
        return open_run(self.database, request)

    def _end(self, form: RunForm, sentence: str, failed: bool = False) -> None:
        self.post_message(self.Ended(form.name, f"{form.name}: {sentence}", failed))


@contextmanager
def _executor_if(needed: bool) -> Iterator[Executor | None]:
    """Where programs run, if a run has any; raises ReviewerError where they cannot, or not safely."""
    if not needed:
        yield None
        return
    from reviewer.oracle import pool
    from reviewer.oracle.doctor import without_jail

    if problem := without_jail():
        raise RequestError(f"{problem} Or run `reviewer generate`, which asks you first.")
    pool.calibration()  # without logic no candidate gets far, and asking costs money
    with pool.open_executor() as executor:
        yield executor


class _ProgressReporter:
    """Tells the screen how far a run is, but not so often that it does nothing else than draw."""

    def __init__(self, screen: GenerationWork, name: str, client: ModelClient) -> None:
        self._screen, self._name, self._door = screen, name, client
        self._began, self._told = time.monotonic(), 0.0
        self._valid_at_begin: int | None = None

    def tell(self, standing: RunProgress) -> None:
        """The run stands so now."""
        now = time.monotonic()
        if self._valid_at_begin is None:
            self._valid_at_begin = standing.valid
        elif now - self._told < _SECONDS_BETWEEN and standing.missing:
            return
        self._told = now
        left = time_left(standing, standing.valid - self._valid_at_begin, now - self._began)
        self._screen.post_message(GenerationWork.Moved(self._name, standing, self._door.spent, left))


def model_settings(form: RunForm) -> ModelSettings:
    """Address and key as the form says, limits and prices as the models file does; raises ReviewerError."""
    named = os.environ.get("REVIEWER_MODELS")
    file = read_models_file(Path(named)) if named else ModelsFile()
    endpoint = Endpoint.of(form.base_url or file.base_url, form.key_variable or file.key_env)
    return ModelSettings(endpoint, file.limits, file.patience, file.prices)


def open_embedder(database: Database) -> Embeddings:
    """The default sentence model, its vectors kept in the store; loaded when a text is new."""
    return Embeddings(open_encoder(), StoredVectors(database))
