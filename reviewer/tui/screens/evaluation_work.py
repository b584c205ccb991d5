"""Background work of the evaluations screen: reading runs, and starting or resuming one."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

from textual.message import Message
from textual.screen import Screen

from reviewer.core.errors import ReviewerError
from reviewer.core.number_text import fixed
from reviewer.core.sanitize import counted
from reviewer.exchange.evaluations.case_sample import draw_sample, factors_for
from reviewer.llm.client import ModelClient, open_client
from reviewer.llm.errors import Stopped
from reviewer.llm.settings import ModelSettings
from reviewer.llm.usage import Usage
from reviewer.protocols.evaluation import Factor
from reviewer.runs.evaluation.evaluation_progress import (
    EvaluationProgress,
    evaluation_progress,
    missing_in_words,
)
from reviewer.runs.evaluation.evaluation_settings import evaluation_settings
from reviewer.runs.evaluation.evaluation_setup import (
    EvaluationRequest,
    PreparedEvaluation,
    new_evaluation,
    stored_evaluation,
)
from reviewer.runs.evaluation.evaluator import Evaluator
from reviewer.runs.evaluation.planned_calls import PlannedCalls, evaluation_time, planned_calls
from reviewer.runs.evaluation.run_share import RunShare, share_of_run
from reviewer.runs.generation.progress_text import time_for
from reviewer.tui.dialogs.new_evaluation import EvaluationForm
from reviewer.tui.dialogs.start_run import budget_line
from reviewer.tui.screens.generation_work import model_settings
from store.calls import StoredCalls
from store.database import Database
from store.evaluations import Evaluations, KeptCalls
from store.records import Run

_SECONDS_BETWEEN = 0.2


@dataclass(frozen=True, slots=True)
class ListedEvaluation:
    """A run with the size of its sample, its progress, and what its stored calls took."""

    run: Run
    cases: int
    progress: EvaluationProgress
    kept: KeptCalls
    endpoint: str
    """The server of the model that was added last; "" where none is known."""


class EvaluationWork:
    """Works in threads, and reports to its screen through messages only."""

    def __init__(self, screen: Screen[None], database: Database, person: str) -> None:
        self._screen, self._database, self._person = screen, database, person
        self._client: ModelClient | None = None

    class Listed(Message):
        """The runs of the store."""

        def __init__(self, runs: tuple[ListedEvaluation, ...]) -> None:
            self.runs = runs
            super().__init__()

    class Estimated(Message):
        """What a run may take, in lines below a head; nothing was sent."""

        def __init__(self, form: EvaluationForm, head: str, lines: tuple[str, ...]) -> None:
            self.form, self.head, self.lines = form, head, lines
            super().__init__()

    class Asking(Message):
        """The calls to models begin; ``stop`` ends them after those under way."""

        def __init__(self, stop: Callable[[], object]) -> None:
            self.stop_asking = stop
            super().__init__()

    class Moved(Message):
        """The progress of the run under way, what it has spent, and how long it will take."""

        def __init__(self, name: str, progress: EvaluationProgress, spent: Usage, left: str) -> None:
            self.name, self.progress, self.spent, self.left = name, progress, spent, left
            super().__init__()

    class Ended(Message):
        """The run ended; ``sentence`` says how, and ``spent`` what it took since it was begun here."""

        def __init__(self, name: str, sentence: str, failed: bool, spent: Usage | None = None) -> None:
            self.name, self.sentence, self.failed, self.spent = name, sentence, failed, spent
            super().__init__()

    class Refused(Message):
        """A run could not begin, and nothing was sent; ``sentence`` says why."""

        def __init__(self, form: EvaluationForm, sentence: str) -> None:
            self.form, self.sentence = form, sentence
            super().__init__()

    def read_runs(self, known: tuple[ListedEvaluation, ...] | None = None) -> None:
        """Read the runs and their progress; those that are ``known`` are not reported again."""
        self._screen.run_worker(partial(self._read_runs, known), thread=True, exclusive=True, group="read")

    def _read_runs(self, known: tuple[ListedEvaluation, ...] | None) -> None:
        try:
            evaluations = Evaluations(self._database)
            before = {listed.run.name: listed for listed in known or ()}
            runs = tuple(_listed(evaluations, run, before.get(run.name)) for run in evaluations.runs())
        except ReviewerError as error:
            self._screen.post_message(self.Ended("", str(error), failed=True))
        else:
            if runs != known:
                self._screen.post_message(self.Listed(runs))

    def factors_of(self, datasets: Sequence[str]) -> Sequence[Factor]:
        """What may differ between the ways in which cases of these datasets are put to models."""
        return factors_for(self._database, datasets)

    def estimate(self, form: EvaluationForm) -> None:
        """Count what a run will send."""
        self._screen.run_worker(partial(self._estimate, form), thread=True, group="evaluate")

    def _estimate(self, form: EvaluationForm) -> None:
        try:
            settings = model_settings(form)
            prepared = self._prepared(form, settings.endpoint.url)
            plans = planned_calls(self._database, prepared, settings.prices.get)
            needed = evaluation_time(self._database, plans, settings.limits).words
        except ReviewerError as error:
            self._screen.post_message(self.Refused(form, str(error)))
        else:
            head = f"{form.name} · {', '.join(prepared.models)} at {form.base_url}"
            lines = (*_plan_lines(prepared, plans, form), *needed)
            self._screen.post_message(self.Estimated(form, head, lines))

    def carry_on(self, form: EvaluationForm) -> None:
        """Start or resume a run; it goes on until it ends or is stopped."""
        self._screen.run_worker(partial(self._evaluate, form), thread=True, group="evaluate")

    def _evaluate(self, form: EvaluationForm) -> None:
        self._client = None
        try:
            settings = model_settings(form)
            url = settings.endpoint.url
            prepared = self._prepared(form, url)
            with share_of_run(self._database, prepared, url, settings.limits) as share:
                progress = asyncio.run(self._go(form, settings, prepared, share))
        except Stopped:
            self._end(form, "stopped; all answers are kept, and the run can be resumed from here")
        except ReviewerError as error:
            if self._client is None:
                self._screen.post_message(self.Refused(form, str(error)))
            else:
                self._end(form, str(error), failed=True)
        else:
            missing = missing_in_words(progress)
            self._end(form, missing[0] if missing else f"finished. {progress.sentence}", bool(missing))

    async def _go(
        self, form: EvaluationForm, settings: ModelSettings, prepared: PreparedEvaluation, share: RunShare
    ) -> EvaluationProgress:
        async with open_client(settings, StoredCalls(self._database), shared=share.limits) as client:
            self._client, loop = client, asyncio.get_running_loop()
            self._screen.post_message(self.Asking(lambda: loop.call_soon_threadsafe(client.stop)))
            report = _EvaluationReporter(self._screen, form.name, client).report
            return await Evaluator(share, prepared, client, settings.endpoint.url, report).go()

    def _prepared(self, form: EvaluationForm, endpoint: str) -> PreparedEvaluation:
        """The run in the store, or a new one with its sample drawn; nothing is written."""
        if form.sample is None:
            return stored_evaluation(self._database, EvaluationRequest(form.name, form.models), endpoint)
        drawn = draw_sample(self._database, form.sample)
        sampling = {"repeats_by": form.repeats_by} if form.repeats_by else None
        request = EvaluationRequest(form.name, form.models, form.conditions, form.repeats, sampling)
        return new_evaluation(self._database, request, drawn, self._person)

    def _end(self, form: EvaluationForm, sentence: str, failed: bool = False) -> None:
        spent = None if self._client is None else self._client.spent
        self._screen.post_message(self.Ended(form.name, f"{form.name}: {sentence}", failed, spent))


class _EvaluationReporter:
    """Reports the progress of a run to the screen, at most every 0.2 seconds."""

    def __init__(self, screen: Screen[None], name: str, client: ModelClient) -> None:
        self._screen, self._name, self._client = screen, name, client
        self._began, self._reported = time.monotonic(), 0.0
        self._done_at_begin: int | None = None

    def report(self, progress: EvaluationProgress) -> None:
        """Report the progress, unless the last report was just now."""
        now = time.monotonic()
        if self._done_at_begin is None:
            self._done_at_begin = progress.done
        elif now - self._reported < _SECONDS_BETWEEN and not progress.is_finished:
            return
        self._reported = now
        gained, open_calls = progress.done - self._done_at_begin, progress.planned - progress.done
        left = time_for(open_calls, gained, now - self._began)
        self._screen.post_message(EvaluationWork.Moved(self._name, progress, self._client.spent, left))


def _listed(evaluations: Evaluations, run: Run, before: ListedEvaluation | None) -> ListedEvaluation:
    """The run as it is now; its calls are added up again only if it has moved on."""
    settings = evaluation_settings(run)
    conditions = prod(map(len, settings.conditions.values()))
    cases = before.cases if before else len(evaluations.sample(run.name))
    asked = evaluations.models(run.name)
    models = [model.model for model in asked]
    counts = ((count.model, count.state, count.outcomes) for count in evaluations.counts(run.name))
    progress = evaluation_progress(models, cases * conditions * settings.repeats, counts)
    if before is not None and before.progress == progress:
        return before
    endpoint = asked[-1].endpoint if asked else ""
    return ListedEvaluation(run, cases, progress, evaluations.calls(run.name), endpoint)


def _plan_lines(
    prepared: PreparedEvaluation, plans: list[PlannedCalls], form: EvaluationForm
) -> Iterator[str]:
    """What is sent for each model, as a guess."""
    settings = prepared.settings
    yield (
        f"{counted(len(prepared.sample), 'case')}{settings.drawn_how} under "
        f"{counted(len(prepared.conditions), 'condition')}, {counted(settings.repeats, 'repeat')} each:"
    )
    yield from (f"  {name}: {', '.join(values)}" for name, values in settings.conditions.items())
    for plan in plans:
        cost = "no price is known" if plan.cost is None else f"cost about {fixed(plan.cost)}"
        kept = f", {plan.answered:,} answered before" if plan.answered else ""
        calls, tokens = counted(plan.calls, "call"), counted(plan.prompt_tokens, "prompt token")
        yield f"  {plan.model}: {calls}{kept}, {tokens}, {cost}"
        if plan.not_asked:
            yield f"  {plan.not_asked:,} cannot be asked, because a condition cannot be applied to the text."
    yield "Tokens are characters / 4, without reasoning. Answers that are kept already cost nothing."
    yield budget_line(form.budget, "the last answer")
