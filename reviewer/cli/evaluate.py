"""``reviewer evaluate``: models decide the cases of datasets; a stopped run resumes."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reviewer.cli.app_launch import own_name
from reviewer.cli.model_options import ModelOptions, model_options
from reviewer.cli.option_types import NONE, OrNone
from reviewer.cli.options import (
    Format,
    format_option,
    note,
    open_store,
    print_table,
    protocols_here,
    store_option,
)
from reviewer.cli.progress_lines import ProgressLines, progress_lines
from reviewer.cli.signals import stop_on_interrupt
from reviewer.core.errors import RequestError, ReviewerError, Unfinished
from reviewer.core.number_text import whole
from reviewer.core.sanitize import counted, one_line, visible
from reviewer.exchange.evaluations.case_sample import SampleRequest, draw_sample
from reviewer.llm.request import ChatMessage
from reviewer.llm.settings import CallLimits
from reviewer.protocols.evaluation import Factor
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
from reviewer.runs.generation.progress_text import spent_in_words
from reviewer.runs.prompt_files import read_prompts
from store.database import Database
from store.evaluations import Evaluations
from store.records import JsonValue

if TYPE_CHECKING:
    from reviewer.protocols.prompts import Prompts
    from reviewer.runs.evaluation.run_share import RunShare

_MOST_LISTED = 20


class _WithConditions(click.Command):
    """A command whose help lists the conditions of every protocol, looked up only when needed."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The conditions, then the example."""
        for protocol in protocols_here().values():
            plan = protocol.evaluation_plan()
            if plan and plan.factors:
                with formatter.section(f"Names and values for --condition ({protocol.title})"):
                    formatter.write_dl([(factor.name, _values(factor)) for factor in plan.factors])
                    formatter.write_text(f"Default of --repeats: {plan.repeats}.")
                    formatter.write_text(f"Default sampling parameters: {plan.sampling.in_words}.")
        super().format_epilog(ctx, formatter)


def _values(factor: Factor) -> str:
    return f"{', '.join(factor.values)}. Default: {', '.join(factor.usual)}."


@click.command(
    "evaluate",
    cls=_WithConditions,
    epilog="Example: reviewer evaluate first seeds --model gpt-4o-mini --repeats 5 --models prices.toml",
)
@click.argument("name", metavar="RUN")
@click.argument("datasets", metavar="[DATASET]…", nargs=-1)
@click.option(
    "--model",
    "asked",
    multiple=True,
    metavar="NAME",
    help="A model to ask; may be repeated. Required for a new run.",
)
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    metavar="NAME=VALUE,…",
    help="How cases are put to models, such as order='as written,exchanged'; may be repeated. The names and "
    "values stand at the end of this help.",
)
@click.option(
    "--repeats", type=click.IntRange(1), help="How often each case is asked. Default: as its protocol says."
)
@click.option(
    "--repeats-by",
    type=click.Choice(["blanks", "seed", "none"]),
    help=(
        "How the requests for repeats of a case differ: by blanks at the end of the prompt, by the seed that "
        "is sent, or not at all."
    ),
)
@click.option(
    "--temperature",
    type=OrNone(click.FloatRange(0, 5)),
    metavar="NUMBER|none",
    help="Sampling temperature that is sent. `none` sends no temperature, for models that refuse one.",
)
@click.option(
    "--top-p",
    type=OrNone(click.FloatRange(0, 1)),
    metavar="NUMBER|none",
    help="Nucleus sampling parameter that is sent. `none` sends none.",
)
@click.option(
    "--max-tokens",
    type=OrNone(click.IntRange(1)),
    metavar="NUMBER|none",
    help="Maximum length of an answer in tokens. `none` sends no such limit.",
)
@click.option("--group", "groups", multiple=True, help="Only cases of this group; may be repeated.")
@click.option(
    "--per-group", type=click.IntRange(1), help="Draw this many cases of each group. Default: all cases."
)
@click.option(
    "--cap",
    type=click.Choice(["smallest"]),
    help="Draw the same number of cases from every group of every dataset: the size of the smallest group.",
)
@click.option(
    "--cases",
    "picked",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Only the cases of this file: a CSV with columns dataset and key, or one key a line.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of the draw.")
@click.option(
    "--prompts",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder with prompts that replace the shipped ones.",
)
@click.option("--dry-run", is_flag=True, help="Print the prompts and a cost estimate. Nothing is sent.")
@click.option(
    "--take-over",
    is_flag=True,
    help="Resume a run whose previous process died without releasing it. On PostgreSQL this ends the leases "
    "of all other processes of the run; a process that is still alive takes a new lease and continues.",
)
@model_options
@format_option
@store_option
def evaluate_command(
    name: str,
    datasets: tuple[str, ...],
    asked: tuple[str, ...],
    conditions: tuple[str, ...],
    repeats: int | None,
    repeats_by: str | None,
    temperature: float | str | None,
    top_p: float | str | None,
    max_tokens: int | str | None,
    groups: tuple[str, ...],
    per_group: int | None,
    cap: str | None,
    picked: Path | None,
    seed: int,
    folder: Path | None,
    dry_run: bool,
    take_over: bool,
    models: ModelOptions,
    form: Format,
    store: str,
) -> None:
    """Ask models about the cases of datasets, and keep every answer in the evaluation run RUN.

    The sample is frozen when the run begins. You can interrupt the run at any time: it waits for the calls
    under way and stops. To resume it, call the command again; the name of the run is enough. To ask further
    models about the same cases, add --model. No answered request is sent again. `reviewer effects RUN` shows
    what the conditions did to the decisions, and `reviewer outcomes list RUN` lists the answers.

    If the store is on PostgreSQL, several processes may carry on one run at the same time: call
    `reviewer evaluate RUN` once for each. Together they keep to the limits of requests and tokens a minute;
    --concurrency and --budget apply to each process by itself. If the store is a file, a second process is
    refused.
    """
    sampling = _sampling(temperature=temperature, top_p=top_p, max_tokens=max_tokens)
    if repeats_by is not None:
        sampling["repeats_by"] = repeats_by
    sample = SampleRequest(datasets, groups, per_group, cap is not None, picked, seed)
    with closing(open_store(store, must_exist=True)) as database:
        request = EvaluationRequest(
            name,
            asked,
            _conditions(conditions) if conditions else None,
            repeats,
            sampling or None,
        )
        endpoint = None if dry_run or models.replay else models.settings().endpoint.url
        prepared = _prepared(database, request, sample, folder, endpoint)
        if dry_run:
            _show_plan(database, prepared, models, form)
            return
        models.check(*prepared.models)
        # What is finished needs no client, whose packages take longer to load than all outcomes.
        progress = stored_progress(Evaluations(database), name, prepared.models, prepared.planned)
        if not progress.is_finished:
            progress = _asked(database, prepared, models, endpoint or "", take_over)
    _tell(name, progress, form)


def _sampling(**given: float | str | None) -> dict[str, JsonValue]:
    """The parameters that were given; those that are not to be sent are None."""
    return {name: None if value == NONE else value for name, value in given.items() if value is not None}


def _asked(
    database: Database, prepared: PreparedEvaluation, models: ModelOptions, endpoint: str, take_over: bool
) -> EvaluationProgress:
    """Do what is left of the run, alone or with other processes."""
    from reviewer.runs.evaluation.run_share import share_of_run

    limits = CallLimits() if models.replay else models.settings().limits
    with share_of_run(database, prepared, endpoint, limits, take_over=take_over) as share:
        return _carry_on(database, share, prepared, models, endpoint)


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


def _carry_on(
    database: Database, share: "RunShare", prepared: PreparedEvaluation, models: ModelOptions, endpoint: str
) -> EvaluationProgress:
    """Do what is left of the run. Whatever ends it before its time, a note says how to resume it."""
    from reviewer.llm.errors import Stopped

    again = f"What was answered is kept. Resume with: reviewer evaluate {prepared.run.name}"
    try:
        with progress_lines(_EvaluationLines()) as display:
            return asyncio.run(_go(database, share, prepared, models, endpoint, display))
    except Stopped:
        note(f"Stopped. {again}")
        raise click.Abort from None
    except ReviewerError as error:
        note(again)
        raise Unfinished(str(error)) from error


async def _go(
    database: Database,
    share: "RunShare",
    prepared: PreparedEvaluation,
    models: ModelOptions,
    endpoint: str,
    display: "_EvaluationLines",
) -> EvaluationProgress:
    from reviewer.runs.evaluation.evaluator import Evaluator

    async with models.client(database, shared=share.limits) as client:
        display.watch(lambda: client.spent)
        stop_on_interrupt(client, display.say)
        return await Evaluator(share, prepared, client, endpoint, display.show).go()


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
        spent = [spent_in_words(self.spent())] if self.spent else []
        return [self._progress.sentence, *spent, self._time_left()]

    def _time_left(self) -> str:
        gained = self._progress.done - (self._done_before or 0)
        if gained <= 0:
            return "time left: not known yet"
        left = self._progress.planned - self._progress.done
        minutes = left * (time.monotonic() - self._began) / gained / 60
        return f"time left: about {whole(minutes)} min" if minutes >= 1 else "time left: under a minute"


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
