"""Prepares an evaluation run: a new one with its frozen sample, or a stored one as it is resumed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import one_line
from reviewer.protocols.evaluation import Condition, EvaluationPlan, conditions_of
from reviewer.protocols.prompts import Prompts
from reviewer.protocols.registry import protocols_of
from reviewer.protocols.role import Sampling
from reviewer.runs.evaluation.evaluation_settings import (
    EvaluationSettings,
    evaluation_plan_of,
    evaluation_settings,
)
from reviewer.runs.prompt_files import read_prompts
from store.candidates import find_run, name_taken
from store.clock import instant, now_ms
from store.database import Database
from store.evaluations import Evaluations
from store.records import Case, JsonValue, Membership, Run, SampledCase

MOST_REPEATS = 100
_LONGEST_MODEL = 200


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """The cases of a new run at their places, and how they were drawn."""

    protocol: str
    places: Sequence[tuple[Membership, Case]]
    datasets: tuple[str, ...]
    per_group: int | None = None
    cap: str = ""
    picked: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What a person asks for. None means not given: the usual value, or that of the stored run."""

    name: str
    models: tuple[str, ...] = ()
    conditions: Mapping[str, tuple[str, ...]] | None = None
    repeats: int | None = None
    sampling: Mapping[str, JsonValue] | None = None
    """Fields of ``Sampling``."""
    prompts: Prompts | None = None


@dataclass(frozen=True)
class PreparedEvaluation:
    """A run that can be asked for: a new one that is not written yet, or a stored one.

    ``models`` are asked now, in this order; a stored run may have others.
    """

    run: Run
    plan: EvaluationPlan
    sample: tuple[SampledCase, ...]
    cases: Mapping[str, Case]
    models: tuple[str, ...]
    is_new: bool

    @cached_property
    def settings(self) -> EvaluationSettings:
        """The settings of the run."""
        return evaluation_settings(self.run)

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the run."""
        return conditions_of(self.plan.factors, self.settings.conditions)

    @cached_property
    def prompts(self) -> Prompts:
        """The prompts of the run."""
        return Prompts(self.settings.prompts)

    @cached_property
    def sampling(self) -> Sampling:
        """The parameters that are sent, and what tells repeats apart."""
        return Sampling(**self.settings.sampling)

    @property
    def planned(self) -> int:
        """The outcomes of each model."""
        return len(self.sample) * len(self.conditions) * self.settings.repeats


def new_evaluation(
    database: Database, request: EvaluationRequest, drawn: DrawnSample, author: str
) -> PreparedEvaluation:
    """A new run, nothing of which is written yet; raises RequestError."""
    _check(database, request)
    if not drawn.places:
        raise RequestError(f"dataset {', '.join(drawn.datasets)!r} has no cases to put to a model.")
    protocol = protocols_of(database).named(drawn.protocol)
    plan = evaluation_plan_of(protocol)
    prompts = request.prompts or read_prompts(plan.prompts)
    chosen = _conditions(plan, request.conditions or {})
    settings = EvaluationSettings(
        datasets=drawn.datasets,
        conditions=chosen,
        repeats=_checked_repeats(plan.repeats if request.repeats is None else request.repeats),
        prompts=dict(prompts.texts),
        sampling=asdict(_sampling(plan.sampling, request.sampling or {})),
        per_group=drawn.per_group,
        cap="smallest" if drawn.cap else "",
        picked=drawn.picked,
        seed=drawn.seed,
    )
    run = Run(
        name=request.name,
        procedure="evaluate",
        protocol=protocol.reference,
        settings=settings.model_dump(mode="json"),
        started_at=instant(now_ms()),
        created_by=author,
    )
    sample = tuple(
        SampledCase(
            run=run.name,
            place=number,
            dataset=place.dataset,
            key=place.key,
            digest=case.digest,
            generator=place.generator,
        )
        for number, (place, case) in enumerate(drawn.places)
    )
    cases = {case.digest: case for _, case in drawn.places}
    plan = plan.for_sample([case for _, case in drawn.places])
    return PreparedEvaluation(run, plan, sample, cases, tuple(dict.fromkeys(request.models)), is_new=True)


def stored_evaluation(
    database: Database, request: EvaluationRequest, endpoint: str | None = None
) -> PreparedEvaluation:
    """The stored run of this name, with the models that were asked for added, or else with its own.

    Raises RequestError if anything that was asked for differs from what the run was made with, or if one of
    its models was asked at another endpoint (None: not checked).
    """
    evaluations = Evaluations(database)
    run = evaluations.run(request.name)
    settings = evaluation_settings(run)
    if settings.imported:
        raise RequestError(
            f"the outcomes of run {run.name!r} were imported, so no model is asked for them; "
            "give a new run another name."
        )
    plan = evaluation_plan_of(protocols_of(database).named(run.protocol))
    _check_same(run.name, plan, settings, request)
    known = {model.model: model.endpoint for model in evaluations.models(run.name)}
    models = tuple(dict.fromkeys(map(_checked_model, request.models))) or tuple(known)
    for model in models:
        if endpoint is not None and known.get(model, endpoint) != endpoint:
            raise RequestError(f"run {run.name!r} {_elsewhere(model, known[model], endpoint)}")
    sample, cases = tuple(evaluations.sample(run.name)), evaluations.cases(run.name)
    plan = plan.for_sample([cases[sampled.digest] for sampled in sample])
    return PreparedEvaluation(run, plan, sample, cases, models, is_new=False)


def _elsewhere(model: str, before: str, endpoint: str) -> str:
    """Why a model is not asked at an endpoint, and what to do."""
    if not before:
        return (
            f"took the answers of {one_line(model)!r} from a recording, so it does not ask "
            f"{one_line(endpoint)} for more; give that recording with --replay, or give a new run another "
            "name."
        )
    return (
        f"asked {one_line(model)!r} at {one_line(before)}, not at {one_line(endpoint)}; give that server "
        "with --base-url, or give a new run another name."
    )


def _check(database: Database, request: EvaluationRequest) -> None:
    checked_name("run", request.name)
    with database.read() as session:
        other = find_run(session, request.name)
    if other is not None:
        raise RequestError(name_taken(other))
    if not request.models:
        raise RequestError(f"run {request.name!r} is new; name the models that it asks with --model.")
    for model in request.models:
        _checked_model(model)


def _checked_model(model: str) -> str:
    if not model.strip() or len(model) > _LONGEST_MODEL or not model.isprintable():
        raise RequestError(f"{one_line(model)!r} is not a model's name; name it as its server does.")
    return model


def _checked_repeats(repeats: int) -> int:
    if not 1 <= repeats <= MOST_REPEATS:
        raise RequestError(f"{repeats} repeats are not possible; give a number from 1 to {MOST_REPEATS}.")
    return repeats


def _conditions(plan: EvaluationPlan, chosen: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The values of every factor that are put to models; raises RequestError."""
    conditions = conditions_of(plan.factors, chosen)
    return {
        factor.name: tuple(dict.fromkeys(condition[factor.name] for condition in conditions))
        for factor in plan.factors
    }


def _sampling(usual: Sampling, given: Mapping[str, JsonValue]) -> Sampling:
    return Sampling(**{**asdict(usual), **given})


def _shown(setting: object) -> str:
    return "none" if setting is None else one_line(str(setting), 60)


def _check_same(
    name: str, plan: EvaluationPlan, settings: EvaluationSettings, request: EvaluationRequest
) -> None:
    """Raise RequestError if something else was asked for than the run was made with."""
    asked: dict[str, tuple[object, object]] = {}
    if request.conditions is not None:
        asked["conditions"] = (_conditions(plan, request.conditions), dict(settings.conditions))
    if request.repeats is not None:
        asked["repeats"] = (request.repeats, settings.repeats)
    if request.prompts is not None:
        asked["prompts"] = (dict(request.prompts.texts), dict(settings.prompts))
    for field, value in (request.sampling or {}).items():
        asked[field.replace("_", " ")] = (value, settings.sampling.get(field))
    for what, (now, before) in asked.items():
        if now != before:
            raise RequestError(
                f"run {name!r} was made with other {what} ({_shown(before)}); "
                "leave that out to resume the run, or give a new run another name."
            )
