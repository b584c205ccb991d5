"""``reviewer evaluate``: models decide the cases of datasets; a stopped run resumes."""

import time
from collections.abc import Awaitable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.cli.carry_on import carry_on
from reviewer.cli.options import (
    note,
    open_store,
    print_table,
)
from reviewer.cli.progress_lines import ProgressLines
from reviewer.core.errors import RequestError, Unfinished
from reviewer.core.sanitize import counted, one_line, visible
from reviewer.exchange.evaluations.case_sample import SampleRequest, draw_sample
from reviewer.llm.request import ChatMessage
from reviewer.llm.settings import CallLimits
from reviewer.options.evaluate import EvaluateOptions
from reviewer.options.model_options import ModelOptions
from reviewer.options.option import NONE
from reviewer.options.shared import Format, own_name
from reviewer.protocols.registry import protocols_of
from reviewer.runs.evaluation.evaluation_progress import EvaluationProgress, missing_in_words, stored_progress
from reviewer.runs.evaluation.evaluation_settings import evaluation_plan_of, evaluation_settings
from reviewer.runs.evaluation.evaluation_setup import (
    EvaluationRequest,
    PreparedEvaluation,
    new_evaluation,
    stored_evaluation,
)
from reviewer.runs.evaluation.planned_calls import (
    cases_not_asked,
    evaluation_time,
    example_requests,
    plan_table,
    planned_calls,
)
from reviewer.runs.generation.progress_text import time_for
from reviewer.runs.prompt_files import read_prompts
from store.database import Database
from store.evaluations import Evaluations
from store.records import JsonValue

if TYPE_CHECKING:
    from reviewer.llm.client import ModelClient
    from reviewer.protocols.prompts import Prompts

_MOST_LISTED = 20


def evaluate_command(options: EvaluateOptions) -> None:
    """Carry out ``reviewer evaluate``."""
    sampling = _sampling(temperature=options.temperature, top_p=options.top_p, max_tokens=options.max_tokens)
    if options.repeats_by is not None:
        sampling["repeats_by"] = options.repeats_by
    sample = SampleRequest(
        options.datasets,
        options.groups,
        options.per_group,
        options.cap is not None,
        options.picked,
        options.seed,
    )
    with closing(open_store(options.store, must_exist=True)) as database:
        request = EvaluationRequest(
            options.name,
            options.asked,
            _conditions(options.conditions) if options.conditions else None,
            options.repeats,
            sampling or None,
        )
        endpoint = (
            None if options.dry_run or options.models.replay else options.models.settings().endpoint.url
        )
        prepared = _prepared(database, request, sample, options.folder, endpoint)
        if options.dry_run:
            _show_plan(database, prepared, options.models, options.form)
            return
        options.models.check(*prepared.models)
        # What is finished needs no client, whose packages take longer to load than all outcomes.
        progress = stored_progress(Evaluations(database), options.name, prepared.models, prepared.planned)
        if not progress.is_finished:
            progress = _carry_on(database, prepared, options.models, endpoint or "", options.take_over)
    _tell(options.name, progress, options.form)


def _sampling(**given: float | str | None) -> dict[str, JsonValue]:
    """The parameters that were given; those that are not to be sent are None."""
    return {name: None if value == NONE else value for name, value in given.items() if value is not None}


def _carry_on(
    database: Database, prepared: PreparedEvaluation, models: ModelOptions, endpoint: str, take_over: bool
) -> EvaluationProgress:
    """Do what is left of the run, alone or with other processes."""
    from reviewer.runs.evaluation.evaluator import Evaluator
    from reviewer.runs.evaluation.run_share import share_of_run

    limits, lines = CallLimits() if models.replay else models.settings().limits, _EvaluationLines()
    with share_of_run(database, prepared, endpoint, limits, take_over=take_over) as share:

        def work(client: "ModelClient") -> Awaitable[EvaluationProgress]:
            return Evaluator(share, prepared, client, endpoint, lines.show).go()

        resume = f"Resume with: {prepared.run.command}"
        return carry_on(database, models, work, resume, lines, share.limits)


def _tell(name: str, progress: EvaluationProgress, form: Format) -> None:
    """Print the progress; raises Unfinished if a model failed for good."""
    print_table(progress.table, form)
    note(visible(f"{progress.sentence} See: reviewer effects {name}"))
    if failed := missing_in_words(progress):
        note(f"To ask again for what is missing: reviewer evaluate {name}")
        for parameter in ("temperature", "top_p", "max_tokens"):
            if any(parameter in model.why for model in progress.models):
                option = f"--{parameter.replace('_', '-')} {NONE}"
                note(f"If a model refuses {parameter}, start a new run for it with {option}.")
        raise Unfinished(failed[0])
    if any(model.missing for model in progress.models):
        note(f"Why outcomes are missing: reviewer outcomes list {name} --missing")


def _conditions(given: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Factor → values, as the options name them."""
    chosen: dict[str, tuple[str, ...]] = {}
    for text in given:
        factor, equals, values = text.partition("=")
        parts = tuple(part.strip() for part in values.split(",") if part.strip())
        if not equals or not parts:
            raise RequestError(f"--condition {one_line(text)!r} names no value; say NAME=VALUE.")
        chosen[factor.strip()] = (*chosen.get(factor.strip(), ()), *parts)
    return chosen


def _prepared(
    database: Database,
    request: EvaluationRequest,
    sample: SampleRequest,
    folder: Path | None,
    endpoint: str | None,
) -> PreparedEvaluation:
    """The stored run, or a new one with the sample drawn; nothing is written."""
    stored = Evaluations(database).find(request.name)
    if stored is None:
        drawn = draw_sample(database, sample)
        prompts = _own_prompts(database, drawn.protocol, folder)
        return new_evaluation(database, replace(request, prompts=prompts), drawn, own_name())
    other = bool(sample.datasets) and set(sample.datasets) != set(evaluation_settings(stored).datasets)
    if other or replace(sample, datasets=()) != SampleRequest((), seed=sample.seed):
        raise RequestError(
            f"the cases of run {request.name!r} were chosen when it began; leave out other datasets, "
            "--group, --per-group, --cap and --cases to resume it, or give a new run another name."
        )
    prompts = _own_prompts(database, stored.protocol, folder)
    return stored_evaluation(database, replace(request, prompts=prompts), endpoint)


def _own_prompts(database: Database, protocol: str, folder: Path | None) -> "Prompts | None":
    """The prompts of the folder, if one is given; raises InputError."""
    if folder is None:
        return None
    return read_prompts(evaluation_plan_of(protocols_of(database).named(protocol)).prompts, folder)


class _EvaluationLines(ProgressLines):
    """The outcomes so far, what was spent, and the time left."""

    def __init__(self) -> None:
        super().__init__()
        self._progress = EvaluationProgress(())
        self._began = time.monotonic()
        self._done_before: int | None = None

    def show(self, progress: EvaluationProgress) -> None:
        """The run stands so now."""
        if self._done_before is None:
            self._done_before = progress.done
        self._progress = progress
        self.moved()

    def lines(self) -> list[str]:
        """How far the run is, what was spent, and the time left."""
        missing = self._progress.planned - self._progress.done
        gained = self._progress.done - (self._done_before or 0)
        left = time_for(missing, gained, time.monotonic() - self._began)
        return [self._progress.sentence, *self.spent_words(), left]


def _note_messages(title: str, messages: Sequence[ChatMessage]) -> None:
    for message in messages:
        note(visible(f"── {title} · {message.role} ──\n{message.content}\n"))


def _show_plan(database: Database, prepared: PreparedEvaluation, models: ModelOptions, form: Format) -> None:
    """An example of each condition on stderr, and the estimate as a table on stdout."""
    examples = list(example_requests(prepared, "(what the model replied to the first call)"))
    for condition, (first, *_) in examples:
        _note_messages(condition.key, first.messages)
    if examples and len(calls := examples[0][1]) > 1:
        note("Each is asked in a second call, which repeats the messages of the first one and adds these:\n")
        _note_messages("second call", calls[1].messages[len(calls[0].messages) :])
    plans = planned_calls(database, prepared, models.price)
    print_table(plan_table(plans), form)
    for words in evaluation_time(database, plans, models.limits()).words:
        note(words)
    if listed := cases_not_asked(prepared):
        note(f"{counted(len(listed), 'case')} cannot be put under every condition:")
        for sampled, why in listed[:_MOST_LISTED]:
            note(visible(f"  {sampled.dataset}:{sampled.key}: {why}"))
    without = [plan.model for plan in plans if plan.cost is None]
    note(f"Sampling parameters: {prepared.sampling.in_words}.")
    note(
        f"For {counted(len(prepared.sample), 'case')}, {counted(len(prepared.conditions), 'condition')} and "
        f"{counted(prepared.settings.repeats, 'repeat')}. Tokens are a guess: characters / 4, and 150 for an "
        "answer, without reasoning." + (f" No price is known for {', '.join(without)}." if without else "")
    )
