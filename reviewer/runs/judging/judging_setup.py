"""Prepares a run of judges: a new one over cases of a study or beyond it, or a stored one as it resumes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.errors import RequestError
from reviewer.core.question import Question
from reviewer.core.sanitize import counted, one_line
from reviewer.protocols.base import Protocol
from reviewer.protocols.judging.judge_plan import QUESTION, JudgePlan
from reviewer.protocols.registry import protocols_of
from reviewer.runs.evaluation.evaluation_settings import DrawnSample, evaluation_settings
from reviewer.runs.evaluation.evaluation_setup import (
    EvaluationRequest,
    NewOutcomes,
    PreparedEvaluation,
    begun_outcomes,
    check_new_outcomes,
    resumed_outcomes,
)
from store.cases import get_measurements
from store.database import Database
from store.evaluations import Evaluations
from store.records import JUDGES, JsonValue, Measurement, Membership, Run, SampledCase, Study
from store.runs import name_taken

_ENDING = "-judges"


@dataclass(frozen=True, slots=True)
class JudgingRequest:
    """A person's request: the study, and settings that differ from the usual or stored ones.

    ``all_of`` names the cases that are judged beyond the sample of the study; "" for the sample.
    """

    study: str
    evaluation: EvaluationRequest
    questions: tuple[str, ...] = ()
    all_of: str = ""
    machine_rater: str = ""
    """In a new run: the model that is declared the machine rater of the study."""


def usual_run_name(study: str, all_of: str = "") -> str:
    """The name of the run of a study's judges if nobody gives another."""
    return f"{study}{_ENDING}" + (f"-{all_of}" if all_of else "")


def new_judging(
    database: Database, request: JudgingRequest, study: Study, drawn: DrawnSample, author: str
) -> PreparedEvaluation:
    """A new run of judges, nothing of which is written yet; raises RequestError."""
    check_new_outcomes(database, request.evaluation)
    material: dict[str, JsonValue] = {
        "study": study.name,
        "questions": [*study.questions],
        "view": study.view,
        "definitions": study.design.get("definitions") or {},
        "all_of": request.all_of,
        "machine_rater": request.machine_rater,
    }
    protocol = protocols_of(database).named(study.protocol)
    places = [place for place, _ in drawn.places]
    plan = _plan(protocol, material, _measured(database, places))
    if not plan.factors[0].values:
        raise RequestError(
            f"study {study.name!r} has no question that is answered by labels alone, so there is nothing to "
            "ask a judge."
        )
    asked = _chosen(request, _questions(material["questions"]))
    new = NewOutcomes(JUDGES, protocol.reference, plan, author, material)
    return begun_outcomes(database, replace(request.evaluation, conditions=asked), drawn, new)


def stored_judging(
    database: Database, request: JudgingRequest, run: Run, endpoint: str | None = None
) -> PreparedEvaluation:
    """The stored run of judges, with the models that were asked for added; raises RequestError."""
    if run.judged_study != request.study:
        raise RequestError(name_taken(run))
    if request.all_of not in ("", run.material.get("all_of", "")):
        raise RequestError(
            f"run {run.name!r} judges {_scope(run)}; leave --all-of out to resume it, or give another run "
            "with --run."
        )
    repeats, now = evaluation_settings(run).repeats, request.evaluation.repeats
    if run.machine_rater and now not in (None, repeats):
        raise RequestError(
            f"study {request.study!r} was made with --judge, which sets that {one_line(run.machine_rater)!r} "
            f"is asked each question {counted(repeats, 'time')}; leave --repeats out, or ask other judges in "
            "a run of their own with --run."
        )
    protocol = protocols_of(database).named(run.protocol)
    sample = Evaluations(database).sample(run.name)
    plan = _plan(protocol, run.material, _measured(database, sample))
    asked = _chosen(request, _questions(run.material.get("questions"))) if request.questions else None
    evaluation = replace(request.evaluation, conditions=asked)
    if run.machine_rater and not evaluation.models and not Evaluations(database).models(run.name):
        evaluation = replace(evaluation, models=(run.machine_rater,))
    return resumed_outcomes(database, run, plan, evaluation, endpoint)


def judged_questions(run: Run) -> list[Question]:
    """The questions that the judges of a run were asked, as they were worded."""
    asked = evaluation_settings(run).conditions[QUESTION]
    return [question for question in _questions(run.material.get("questions")) if question.key in asked]


def _plan(
    protocol: Protocol,
    material: Mapping[str, JsonValue],
    measurements: Mapping[str, Sequence[Measurement]],
) -> JudgePlan:
    definitions = material.get("definitions")
    told = (
        {str(name): str(text) for name, text in definitions.items()} if isinstance(definitions, dict) else {}
    )
    beside = material.get("view") != "paper"
    questions = _questions(material.get("questions"))
    return JudgePlan(protocol.defining(told), questions, measurements, beside=beside)


def _questions(content: JsonValue) -> list[Question]:
    return [Question.model_validate(question) for question in (content if isinstance(content, list) else ())]


def _scope(run: Run) -> str:
    beyond = str(run.material.get("all_of", ""))
    return f"all of {beyond!r}" if beyond else f"the cases of study {run.judged_study!r}"


def _chosen(request: JudgingRequest, questions: Sequence[Question]) -> Mapping[str, tuple[str, ...]]:
    """The questions to ask as values of the plan's factor; all of them if none is named."""
    names = {name: question.key for question in questions for name in (question.title, question.key)}
    if unknown := [name for name in request.questions if name not in names]:
        known = ", ".join(question.key for question in questions)
        raise RequestError(
            f"study {request.study!r} has no question {one_line(unknown[0])!r}; it asks {known}."
        )
    return {QUESTION: tuple(names[name] for name in request.questions)} if request.questions else {}


def _measured(
    database: Database, places: Sequence[SampledCase | Membership]
) -> Mapping[str, Sequence[Measurement]]:
    """The measurements of each case, by digest; published ones count at the place where they were."""
    with database.read() as session:
        found = get_measurements(session, [_digest(place) for place in places])
    return {
        _digest(place): [
            value
            for value in found[_digest(place)]
            if not value.came_with_place or (value.dataset, value.key) == (place.dataset, place.key)
        ]
        for place in places
    }


def _digest(place: SampledCase | Membership) -> str:
    return place.digest if isinstance(place, SampledCase) else place.case


def plan_of_judges(protocol: Protocol, run: Run) -> JudgePlan:
    """The plan of a run of judges to read replies and conditions; it asks about no values."""
    return _plan(protocol, run.material, {})
