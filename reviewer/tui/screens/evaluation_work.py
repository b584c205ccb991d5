"""Background work of the evaluations screen: reading runs, and starting or resuming one."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

from textual.message import Message
from textual.screen import Screen

from reviewer.core.number_text import fixed
from reviewer.core.sanitize import counted
from reviewer.exchange.evaluations.case_sample import draw_sample, factors_for
from reviewer.llm.settings import ModelSettings
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
from reviewer.tui.screens.run_work import RunWork, model_settings
from store.database import Database
from store.evaluations import Evaluations, KeptCalls
from store.records import Run


@dataclass(frozen=True, slots=True)
class ListedEvaluation:
    """A run with the size of its sample, its progress, and what its stored calls took."""

    run: Run
    cases: int
    progress: EvaluationProgress
    kept: KeptCalls
    endpoint: str
    """The server of the model that was added last; "" where none is known."""


class EvaluationWork(RunWork[EvaluationForm]):
    """Reads evaluation runs, estimates them, and carries them on."""

    def __init__(self, screen: Screen[None], database: Database, person: str) -> None:
        super().__init__(screen, database)
        self._person = person

    class Listed(Message):
        """The runs of the store."""

        def __init__(self, runs: tuple[ListedEvaluation, ...]) -> None:
            self.runs = runs
            super().__init__()

    def read_runs(self, known: tuple[ListedEvaluation, ...] | None = None) -> None:
        """Read the runs and their progress; those that are ``known`` are not reported again."""
        self.read(partial(self._read_runs, known))

    def _read_runs(self, known: tuple[ListedEvaluation, ...] | None) -> None:
        evaluations = Evaluations(self.database)
        before = {listed.run.name: listed for listed in known or ()}
        runs = tuple(_listed(evaluations, run, before.get(run.name)) for run in evaluations.runs())
        if runs != known:
            self.screen.post_message(self.Listed(runs))

    def factors_of(self, datasets: Sequence[str]) -> Sequence[Factor]:
        """What may differ between the ways in which cases of these datasets are put to models."""
        return factors_for(self.database, datasets)

    def planned(self, form: EvaluationForm) -> tuple[str, Sequence[str]]:
        """What a run will send."""
        settings = model_settings(form)
        prepared = self._prepared(form, settings.endpoint.url)
        plans = planned_calls(self.database, prepared, settings.prices.get)
        needed = evaluation_time(self.database, plans, settings.limits).words
        head = f"{form.name} · {', '.join(prepared.models)} at {form.base_url}"
        return head, (*_plan_lines(prepared, plans, form), *needed)

    def carried_on(self, form: EvaluationForm) -> tuple[str, bool]:
        """Ask for what is missing of a run."""
        settings = model_settings(form)
        url = settings.endpoint.url
        prepared = self._prepared(form, url)
        with share_of_run(self.database, prepared, url, settings.limits) as share:
            progress = asyncio.run(self._go(form, settings, prepared, share))
        missing = missing_in_words(progress)
        return (missing[0], True) if missing else (f"finished. {progress.sentence}", False)

    async def _go(
        self, form: EvaluationForm, settings: ModelSettings, prepared: PreparedEvaluation, share: RunShare
    ) -> EvaluationProgress:
        async with self.asking(settings, share.limits) as client:
            report = self.reporter(form.name, client, lambda progress: progress.is_finished, _time_left)
            return await Evaluator(share, prepared, client, settings.endpoint.url, report).go()

    def _prepared(self, form: EvaluationForm, endpoint: str) -> PreparedEvaluation:
        """The run in the store, or a new one with its sample drawn; nothing is written."""
        if form.sample is None:
            return stored_evaluation(self.database, EvaluationRequest(form.name, form.models), endpoint)
        drawn = draw_sample(self.database, form.sample)
        sampling = {"repeats_by": form.repeats_by} if form.repeats_by else None
        request = EvaluationRequest(form.name, form.models, form.conditions, form.repeats, sampling)
        return new_evaluation(self.database, request, drawn, self._person)


def _time_left(first: EvaluationProgress, now: EvaluationProgress, seconds: float) -> str:
    return time_for(now.planned - now.done, now.done - first.done, seconds)


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
