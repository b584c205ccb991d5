"""Prepares an evaluation run: a new one with its frozen sample, or a stored one as it is resumed."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import cached_property

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_model, checked_name
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import NO_SOURCE, SettingsSource
from reviewer.llm.model_settings import CallLimits, Price
from reviewer.protocols.answer_schema import AnswersAs
from reviewer.protocols.evaluation import Condition, EvaluationPlan, conditions_of
from reviewer.protocols.procedure import GivenSettings, Prompts, Sampling
from reviewer.protocols.registry import protocols_of
from reviewer.runs.cost_estimate import CostEstimate
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.engine.shared_run import UnitsShare, share_of_run
from reviewer.runs.engine.work_runner import RunTools
from reviewer.runs.evaluation.evaluation_estimate import evaluation_estimate
from reviewer.runs.evaluation.evaluation_progress import evaluation_progress, kept_outcomes
from reviewer.runs.evaluation.evaluation_settings import (
    DrawnSample,
    EvaluationSettings,
    Placing,
    evaluation_settings,
    plan_as_set,
)
from reviewer.runs.evaluation.evaluator import EvaluationUnits, Evaluator, ModelQuestion
from reviewer.runs.prepared_run import PreparedRun
from reviewer.runs.run_setup import checked_settings, read_prompts
from store.clock import instant, now_ms
from store.database import Database
from store.evaluations import Evaluations
from store.records import EVALUATE, Case, JsonValue, Outcome, Run, SampledCase
from store.runs import find_run, name_taken

MOST_REPEATS = 100


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
    reader: str | None = None
    """The model that reads replies, where the protocol leaves that to a judge."""
    settings: GivenSettings | None = None
    """Settings of the evaluation plan."""
    source: SettingsSource = NO_SOURCE
    """The file that they were read from."""
    roles: Mapping[str, str] | None = None
    """The models of further roles."""
    answers_as: AnswersAs | None = None


@dataclass(frozen=True)
class PreparedEvaluation(PreparedRun):
    """An evaluation run that can be carried on.

    ``asked`` are the models that are asked now, in this order; a stored run may have others.
    """

    plan: EvaluationPlan
    sample: tuple[SampledCase, ...]
    cases: Mapping[str, Case]
    asked: tuple[str, ...]
    is_new: bool
    placing: Placing | None = None
    """Saves the cases of a new run with it, if the store does not have them yet."""
    added: int = 0
    """How many cases at the end of the sample a stored run does not have yet."""
    wanted: frozenset[int] | None = None
    """The places of the sample that are asked about now, those without an answer; None for all."""

    def wants(self, place: int) -> bool:
        """Whether the case at a place of the sample is asked about now."""
        return self.wanted is None or place in self.wanted

    @property
    def asked_about(self) -> Sequence[SampledCase]:
        """The cases that are asked about now."""
        return [sampled for sampled in self.sample if self.wants(sampled.place)]

    @property
    def models(self) -> tuple[str, ...]:
        """The models that are asked now."""
        return self.asked

    @property
    def priced(self) -> tuple[str, ...]:
        """The models that are asked, those of other roles, and the one that reads replies."""
        return tuple(
            dict.fromkeys(filter(None, (*self.asked, self.settings.reader, *self.settings.roles.values())))
        )

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
        """The parameters that are sent, and how repeats differ."""
        return Sampling(**self.settings.sampling)

    @property
    def planned(self) -> int:
        """The outcomes of each model."""
        return len(self.sample) * len(self.conditions) * self.settings.repeats

    @property
    def is_at_end(self) -> bool:
        """Whether these models have all outcomes that are wanted."""
        return self.progress().is_finished if self.wanted is None else not self.wanted

    def progress(self) -> RunProgress:
        """How far these models are, according to the store."""
        counts = kept_outcomes(Evaluations(self.database), self.run.name)
        return evaluation_progress(self.models, self.planned, counts)

    def estimate(self, prices: Mapping[str, Price], limits: CallLimits) -> CostEstimate:
        """From the lengths of all prompts."""
        return evaluation_estimate(self, prices, limits)

    def share(
        self, endpoint: str, limits: CallLimits, *, take_over: bool = False
    ) -> AbstractContextManager[UnitsShare[ModelQuestion, Outcome]]:
        """All of it if the store is a file, or else what this process takes of it."""
        units = EvaluationUnits(self)
        return share_of_run(self.database, self.run, units, endpoint, limits, take_over=take_over)

    def carried(self, share: UnitsShare[ModelQuestion, Outcome], tools: RunTools) -> Evaluator:
        """The run as the engine carries it on."""
        return Evaluator(share, self, tools)


def new_evaluation(
    database: Database, request: EvaluationRequest, drawn: DrawnSample, author: str
) -> PreparedEvaluation:
    """A new run, nothing of which is written yet; raises RequestError."""
    check_new_outcomes(database, request)
    if not drawn.places:
        raise RequestError(f"dataset {', '.join(drawn.datasets)!r} has no cases to put to a model.")
    protocol = protocols_of(database).named(drawn.protocol)
    new = NewOutcomes(EVALUATE, protocol.reference, protocol.procedure(EvaluationPlan), author)
    return begun_outcomes(database, request, drawn, new)


@dataclass(frozen=True, slots=True)
class NewOutcomes:
    """What a new run with outcomes is, besides its sample: its procedure, and the plan that asks models."""

    procedure: str
    protocol: str
    """The reference that is stored."""
    plan: EvaluationPlan
    author: str
    material: Mapping[str, JsonValue] = field(default_factory=dict)


def begun_outcomes(
    database: Database, request: EvaluationRequest, drawn: DrawnSample, new: NewOutcomes
) -> PreparedEvaluation:
    """A new run of any procedure that keeps outcomes; nothing is written yet. Raises RequestError."""
    plan = new.plan
    _check_reader(plan, new.protocol, request.reader)
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
        reader=request.reader or "",
        plan=_plan_settings(plan, request.settings or {}, request.source),
        roles=_checked_roles(plan, request.roles or {}),
        answers_as=request.answers_as or "text",
    )
    run = Run(
        name=request.name,
        procedure=new.procedure,
        protocol=new.protocol,
        settings=settings.model_dump(mode="json"),
        material=dict(new.material),
        started_at=instant(now_ms()),
        created_by=new.author,
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
    plan = plan_as_set(plan, settings, [case for _, case in drawn.places])
    _check_schema(plan, new.protocol, drawn.places[0][1], conditions_of(plan.factors, chosen)[0])
    return PreparedEvaluation(
        database,
        run,
        plan,
        sample,
        cases,
        tuple(dict.fromkeys(request.models)),
        is_new=True,
        placing=drawn.placing,
    )


def stored_evaluation(
    database: Database, request: EvaluationRequest, endpoint: str | None = None
) -> PreparedEvaluation:
    """The stored run of this name, with the models that were asked for added, or else with its own.

    Raises RequestError if anything that was asked for differs from the settings of the run, or if one of its
    models was asked at another endpoint (None: not checked).
    """
    run = Evaluations(database).run(request.name)
    if evaluation_settings(run).imported:
        raise RequestError(
            f"the outcomes of run {run.name!r} were imported, so no model is asked for them; "
            "give a new run another name."
        )
    plan = protocols_of(database).named(run.protocol).procedure(EvaluationPlan)
    return resumed_outcomes(database, run, plan, request, endpoint)


def resumed_outcomes(
    database: Database,
    run: Run,
    plan: EvaluationPlan,
    request: EvaluationRequest,
    endpoint: str | None = None,
) -> PreparedEvaluation:
    """The same for a run of any procedure that keeps outcomes."""
    evaluations, settings = Evaluations(database), evaluation_settings(run)
    _check_same(run.name, plan, settings, request)
    known = {model.model: model.endpoint for model in evaluations.models(run.name)}
    models = tuple(dict.fromkeys(map(checked_model, request.models))) or tuple(known)
    for model in models:
        if endpoint is not None and known.get(model, endpoint) != endpoint:
            raise RequestError(f"run {run.name!r} {_elsewhere(model, known[model], endpoint)}")
    sample, cases = tuple(evaluations.sample(run.name)), evaluations.cases(run.name)
    plan = plan_as_set(plan, settings, [cases[sampled.digest] for sampled in sample])
    return PreparedEvaluation(database, run, plan, sample, cases, models, is_new=False)


def _elsewhere(model: str, before: str, endpoint: str) -> str:
    """Why a model is not asked at an endpoint, and the remedy."""
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


def check_new_outcomes(database: Database, request: EvaluationRequest) -> None:
    """Raise RequestError if no new run can have the name and models that are asked for."""
    checked_name("run", request.name)
    with database.read() as session:
        other = find_run(session, request.name)
    if other is not None:
        raise RequestError(name_taken(other))
    if not request.models:
        raise RequestError(f"run {request.name!r} is new; name the models that it asks with --model.")
    for model in request.models:
        checked_model(model)


def _check_reader(plan: EvaluationPlan, protocol: str, reader: str | None) -> None:
    """Raise RequestError where a judge reads replies and none is named, or the other way round."""
    if plan.read_by_judge and not reader:
        raise RequestError(
            f"protocol {protocol!r} leaves the reading of replies to a judge; name it with --reader."
        )
    if reader and not plan.read_by_judge:
        raise RequestError(f"protocol {protocol!r} reads replies without a model; leave --reader out.")
    if reader:
        checked_model(reader)


def _check_schema(plan: EvaluationPlan, protocol: str, case: Case, condition: Condition) -> None:
    """Raise RequestError where a schema is asked for and cannot name the answers."""
    if plan.answers_as == "schema" and not plan.takes_schema(case, condition):
        raise RequestError(
            f"no schema can name the answers of protocol {protocol!r}, which are free texts or take several "
            "requests; leave --answers-as out."
        )


def _plan_settings(
    plan: EvaluationPlan, given: GivenSettings, source: SettingsSource
) -> Mapping[str, JsonValue]:
    """The settings of the plan as a run keeps them; raises ReviewerError naming the one that is wrong."""
    if given and not plan.settings.model_fields:
        raise RequestError(f"this evaluation has no settings; leave {one_line(min(given))!r} out.")
    return checked_settings(plan.settings, given, source).model_dump(mode="json")


def _checked_roles(plan: EvaluationPlan, roles: Mapping[str, str]) -> Mapping[str, str]:
    """The models of roles; raises RequestError for a role that the plan does not have."""
    if unknown := [role for role in roles if role not in plan.roles]:
        known = f"it has {', '.join(plan.roles)}" if plan.roles else "it has none"
        raise RequestError(f"this evaluation has no role {one_line(unknown[0])!r}; {known}.")
    return {role: checked_model(model) for role, model in roles.items()}


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
    for name_of_setting in ("repeats", "reader", "answers_as"):
        if (given_now := getattr(request, name_of_setting)) is not None:
            asked[name_of_setting.replace("_", " ")] = (given_now, getattr(settings, name_of_setting))
    if request.settings:
        given = {**settings.plan, **request.settings}
        asked["settings"] = (_plan_settings(plan, given, request.source), dict(settings.plan))
    if request.roles:
        asked["roles"] = (dict(request.roles), dict(settings.roles))
    if request.prompts is not None:
        asked["prompts"] = (dict(request.prompts.texts), dict(settings.prompts))
    for parameter, value in (request.sampling or {}).items():
        asked[parameter.replace("_", " ")] = (value, settings.sampling.get(parameter))
    for what, (now, before) in asked.items():
        if now != before:
            raise RequestError(
                f"run {name!r} was made with other {what} ({_shown(before)}); "
                "leave that out to resume the run, or give a new run another name."
            )
