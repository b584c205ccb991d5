"""Background work of the screen of runs: preparing a run from its form, estimating it, and carrying it on."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from reviewer.core.errors import RequestError, ReviewerError
from reviewer.core.source_text import NO_SOURCE, read_settings
from reviewer.exchange.evaluations.case_sample import draw_sample
from reviewer.exchange.rows.shipped import ensure_seeds
from reviewer.exchange.rows.template_files import read_scenarios
from reviewer.llm.client import ModelClient, open_client
from reviewer.llm.model_settings import Endpoint, ModelSettings
from reviewer.llm.rate_limit import SharedLimits
from reviewer.llm.request_errors import Stopped
from reviewer.llm.usage import Usage
from reviewer.protocols.registry import protocols_of
from reviewer.runs.case_values import case_procedure, prepared_case_run
from reviewer.runs.discovery.discovery_setup import prepared_discovery
from reviewer.runs.engine.run_loop import carry_to_end
from reviewer.runs.engine.run_progress import ProgressCallback, RunProgress, time_left
from reviewer.runs.engine.work_runner import RunTools
from reviewer.runs.evaluation.evaluation_setup import EvaluationRequest, new_evaluation, stored_evaluation
from reviewer.runs.generation.generation_setup import SEEDS, prepared_generation
from reviewer.runs.judging.judging_setup import JudgingRequest, stored_judging
from reviewer.runs.prepared_run import PreparedRun
from reviewer.runs.repair.proposal_run import stored_repairs
from reviewer.runs.run_setup import RunRequest
from reviewer.similarity.encoder import open_encoder
from reviewer.similarity.text_vectors import Embeddings
from reviewer.tui.dialogs.new_evaluation import EvaluationForm
from reviewer.tui.dialogs.new_run import RunForm, budget_line, models_file
from store.calls import StoredCalls
from store.database import Database
from store.embeddings import StoredVectors
from store.evaluations import Evaluations
from store.records import REPAIR, JsonValue, Run
from store.runs import find_run

if TYPE_CHECKING:
    from reviewer.tui.screens.runs_screen import RunsScreen

AskingForm = RunForm | EvaluationForm
_SECONDS_BETWEEN = 0.2


@dataclass(frozen=True)
class RunMoved:
    """The progress of the run under way, what it has spent, and how long it will take."""

    name: str
    progress: RunProgress
    spent: Usage
    left: str


class RunWork:
    """Works in threads, and tells its screen what becomes of a run."""

    def __init__(self, screen: "RunsScreen", database: Database, person: str) -> None:
        self.screen, self.database, self._person = screen, database, person
        self._client: ModelClient | None = None

    def _tell(self, show: Callable[..., None], *what: object) -> None:
        """Let the screen show something once it has time."""
        self.screen.call_later(show, *what)

    def estimate(self, form: AskingForm) -> None:
        """Estimate what a run takes."""
        self.screen.run_worker(partial(self._estimate, form), thread=True, group="run")

    def _estimate(self, form: AskingForm) -> None:
        try:
            settings = model_settings(form)
            prepared = self._prepared(form, settings.endpoint.url)
            settings.check_prices(prepared.priced)
            estimate = prepared.estimate(settings.prices, settings.limits)
        except ReviewerError as error:
            self._tell(self.screen.show_refusal, form, str(error))
            return
        head = f"{form.name} · {', '.join(prepared.models)} at {form.base_url}"
        lines = (*estimate.lines, budget_line(form.budget, estimate.end))
        self._tell(self.screen.show_estimate, form, head, lines)

    def carry_on(self, form: AskingForm) -> None:
        """Start or resume a run; it goes on until it ends or is stopped."""
        self.screen.run_worker(partial(self._carry_on, form), thread=True, group="run")

    def _carry_on(self, form: AskingForm) -> None:
        self._client = None
        try:
            progress = self._carried_on(form)
        except Stopped:
            self._end(form, "stopped; all answers are kept, and the run can be resumed from here")
        except ReviewerError as error:
            if self._client is None:
                self._tell(self.screen.show_refusal, form, str(error))
            else:
                self._end(form, str(error), failed=True)
        else:
            if progress.failed:
                self._end(form, progress.failed[0], failed=True)
            else:
                self._end(form, f"finished. {progress.ended or progress.sentence}")

    def _end(self, form: AskingForm, sentence: str, failed: bool = False) -> None:
        spent = None if self._client is None else self._client.spent
        self._tell(self.screen.show_end, form.name, f"{form.name}: {sentence}", failed, spent)

    def _carried_on(self, form: AskingForm) -> RunProgress:
        """Do what is left of a run; returns how far it came. Raises ReviewerError."""
        settings = model_settings(form)
        url = settings.endpoint.url
        prepared = self._prepared(form, url)
        for sentence in prepared.notes:
            self._tell(self.screen.say, sentence)

        async def go(executor: Executor | None, shared: SharedLimits | None, share: Any) -> RunProgress:
            embedder = open_embedder(self.database) if prepared.compares_texts else None
            async with self._asking(settings, shared) as client:
                report = self._reporter(form.name, client)
                tools = RunTools(client, url, embedder, executor, report)
                return await carry_to_end(prepared.carried(share, tools))

        with (
            prepared.share(url, settings.limits) as share,
            _executor_if(prepared.runs_programs) as executor,
        ):
            return asyncio.run(go(executor, share.limits, share))

    @asynccontextmanager
    async def _asking(
        self, settings: ModelSettings, shared: SharedLimits | None
    ) -> AsyncIterator[ModelClient]:
        """A client whose calls the screen can stop."""
        async with open_client(settings, StoredCalls(self.database), shared=shared) as client:
            self._client, loop = client, asyncio.get_running_loop()
            self._tell(self.screen.can_stop, lambda: loop.call_soon_threadsafe(client.stop))
            yield client

    def _reporter(self, name: str, client: ModelClient) -> ProgressCallback:
        """Reports the progress of a run to the screen, at most every 0.2 seconds unless a round is over."""
        began, reported = time.monotonic(), 0.0
        first = last = RunProgress("")

        def report(progress: RunProgress) -> None:
            nonlocal first, last, reported
            now = time.monotonic()
            is_urgent = progress.is_finished or progress.rounds != last.rounds
            if last.sentence and now - reported < _SECONDS_BETWEEN and not is_urgent:
                return
            first, last, reported = first if first.sentence else progress, progress, now
            left = time_left(first, progress, now - began)
            self._tell(self.screen.show_moved, RunMoved(name, progress, client.spent, left))

        return report

    # -- what a form asks for ------------------------------------------------------------------------

    def _prepared(self, form: AskingForm, endpoint: str) -> PreparedRun:
        """The run in the store, or a new one; of a new one at most its seeds are written."""
        if isinstance(form, EvaluationForm):
            return self._evaluation(form, endpoint)
        with self.database.read() as session:
            run = find_run(session, form.name)
        if run is None or run.procedure == "generate":
            return self._generation(form, run)
        if run.procedure == "discover":
            return prepared_discovery(self.database, RunRequest(form.name))
        procedure = case_procedure(protocols_of(self.database).named(run.protocol), run.procedure)
        return prepared_case_run(self.database, procedure, RunRequest(form.name))

    def _generation(self, form: RunForm, run: Run | None) -> PreparedRun:
        """A run over the seeds of a dataset, or over none."""
        settings: dict[str, JsonValue] = {"target": form.target}
        request = RunRequest(form.name, {SEEDS: form.seeds}, {"": form.model}, settings=settings)
        if run is None:
            request = replace(request, seed=form.seed, **_settings_of(form))
            if not form.protocol:
                ensure_seeds(self.database, form.seeds)
        return prepared_generation(self.database, request)

    def _evaluation(self, form: EvaluationForm, endpoint: str) -> PreparedRun:
        """A run with its sample drawn."""
        if form.sample is None:
            request = EvaluationRequest(form.name, form.models)
            run = Evaluations(self.database).with_outcomes(form.name)
            if run.procedure == REPAIR:
                return stored_repairs(self.database, run, form.models)
            if run.judged_study:
                return stored_judging(self.database, JudgingRequest(run.judged_study, request), run, endpoint)
            return stored_evaluation(self.database, request, endpoint)
        drawn = draw_sample(self.database, form.sample, partial(self._tell, self.screen.say))
        sampling = {"repeats_by": form.repeats_by} if form.repeats_by else None
        request = EvaluationRequest(form.name, form.models, form.conditions, form.repeats, sampling)
        return new_evaluation(self.database, request, drawn, self._person)


def _settings_of(form: RunForm) -> dict[str, Any]:
    """What a new run is asked for beside its seeds, as the command asks; raises InputError."""
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


def open_embedder(database: Database) -> Embeddings:
    """The default sentence model, loaded when a text is new; its vectors are kept in the store."""
    return Embeddings(open_encoder(), StoredVectors(database))


def model_settings(form: AskingForm) -> ModelSettings:
    """Address and key from the form, limits and prices from the models file; raises ReviewerError."""
    file = models_file()
    endpoint = Endpoint.of(form.base_url or file.base_url, form.key_variable or file.key_env)
    limits = file.limits.model_copy(update={"budget": form.budget})
    return ModelSettings(endpoint, limits, file.patience, file.prices)
