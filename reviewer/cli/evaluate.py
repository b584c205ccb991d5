"""``reviewer evaluate``: models decide the cases of datasets; a stopped run resumes."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.cli.carry_on import run_to_end
from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store
from reviewer.core.errors import RequestError, Unfinished
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.exchange.evaluations.case_sample import SampleRequest, draw_sample
from reviewer.options.evaluate import EvaluateOptions
from reviewer.options.option import NONE
from reviewer.options.shared import Format, own_name
from reviewer.protocols.evaluation import EvaluationPlan
from reviewer.protocols.registry import protocols_of
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.evaluation.evaluation_progress import MISSING, ignored_schema
from reviewer.runs.evaluation.evaluation_settings import evaluation_settings
from reviewer.runs.evaluation.evaluation_setup import (
    EvaluationRequest,
    PreparedEvaluation,
    new_evaluation,
    stored_evaluation,
)
from reviewer.runs.run_setup import read_prompts
from store.database import Database
from store.evaluations import Evaluations
from store.records import JsonValue

if TYPE_CHECKING:
    from reviewer.protocols.procedure import Prompts


def evaluate_command(options: EvaluateOptions) -> None:
    """Carry out ``reviewer evaluate``."""
    sampling = sampling_options(
        temperature=options.temperature, top_p=options.top_p, max_tokens=options.max_tokens
    )
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
    settings, source = options.setting.read()
    database = open_store(options.store)
    request = EvaluationRequest(
        options.name,
        options.asked,
        _conditions(options.conditions) if options.conditions else None,
        options.repeats,
        sampling or None,
        reader=options.reader,
        settings=settings or None,
        source=source,
        roles=_roles(options.roles) or None,
        answers_as=options.answers_as,
    )
    endpoint = None if options.dry_run or options.models.replay else options.models.settings().endpoint.url
    prepared = _prepared(database, request, sample, options.folder, endpoint)
    progress = run_to_end(prepared, options)
    ignored = "" if progress is None else ignored_schema(database, options.name)
    if progress is not None:
        note(*filter(None, (ignored,)))
        _tell(options.name, progress, options.form)


def sampling_options(**given: float | str | None) -> dict[str, JsonValue]:
    """The parameters that were given; those that are not to be sent are None."""
    return {name: None if value == NONE else value for name, value in given.items() if value is not None}


def _tell(name: str, progress: RunProgress, form: Format) -> None:
    """Print the progress; raises Unfinished if outcomes are missing."""
    print_table(progress.table, form)
    note(f"{progress.sentence} See: reviewer effects {name}")
    if progress.failed:
        note(f"To ask again for what is missing: reviewer evaluate {name}")
        for parameter in ("temperature", "top_p", "max_tokens"):
            if any(parameter in model.why for model in progress.parts):
                option = f"--{parameter.replace('_', '-')} {NONE}"
                note(f"If a model refuses {parameter}, start a new run for it with {option}.")
        raise Unfinished(progress.failed[0])
    if missing := sum(model.counts[MISSING] for model in progress.parts):
        note(f"Why outcomes are missing: reviewer outcomes list {name} --missing")
        are = f"{counted(missing, 'outcome')} {agreeing(missing, 'is', 'are')} missing"
        raise Unfinished(
            f"{are}. To ask again for {agreeing(missing, 'it', 'them')}: reviewer evaluate {name}"
        )


def _roles(given: tuple[str, ...]) -> dict[str, str]:
    """Role → model, as the options name them."""
    roles: dict[str, str] = {}
    for text in given:
        role, equals, model = (part.strip() for part in text.partition("="))
        if not (role and equals and model) or roles.setdefault(role, model) != model:
            raise RequestError(f"--role {one_line(text)!r} is not possible; say each ROLE=MODEL once.")
    return roles


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
        drawn = draw_sample(database, sample, note)
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
    return read_prompts(protocols_of(database).named(protocol).procedure(EvaluationPlan).prompts, folder)
