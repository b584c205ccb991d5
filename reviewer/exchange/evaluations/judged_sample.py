"""The cases that judges are asked about: the sample of a study, or all cases of a dataset.

A machine rater is a judge that a study declares: its run is there from the beginning, over the whole sample.
"""

from collections.abc import Sequence

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_model
from reviewer.runs.evaluation.evaluation_settings import DrawnSample, placed_cases
from reviewer.runs.evaluation.evaluation_setup import EvaluationRequest
from reviewer.runs.judging.judging_setup import JudgingRequest, new_judging, usual_run_name
from reviewer.study.design.study_bundle import BLIND, StudyBundle, load_study
from store.cases import PlacedCase, find_dataset
from store.database import Database
from store.evaluations import Evaluations
from store.records import Membership, StudyCase
from store.runs import find_run, name_taken


def study_sample(bundle: StudyBundle) -> DrawnSample:
    """The cases of a study at the places that they were drawn from, without those for training."""
    places = [
        (_membership(place), bundle.cases[place.case]) for place in bundle.sample if place.role in BLIND
    ]
    return DrawnSample(bundle.study.protocol, places, _datasets(places), seed=bundle.study.seed)


def whole_dataset(database: Database, bundle: StudyBundle, dataset: str) -> DrawnSample:
    """All cases of a dataset, each content once; raises RequestError if its protocol is not the study's."""
    with database.read() as session:
        is_dataset = find_dataset(session, dataset) is not None
    if not is_dataset and Evaluations(database).find(dataset) is not None:
        raise RequestError(
            f"{dataset!r} is an evaluation run; write its answers as cases with `reviewer outcomes cases "
            f"{dataset}`, import them as a dataset, and name that dataset with --all-of."
        )
    protocol, available = placed_cases(database, (dataset,))
    if protocol != bundle.study.protocol:
        raise RequestError(
            f"dataset {dataset!r} is of protocol {protocol!r}, and the questions of study "
            f"{bundle.study.name!r} are of {bundle.study.protocol!r}; name a dataset of that protocol."
        )
    once = {case.digest: (place, case) for place, case in reversed(available[dataset])}
    return DrawnSample(protocol, [*reversed(once.values())], (dataset,))


def check_machine_rater(database: Database, study: str, model: str) -> None:
    """Raise RequestError if a new study of this name cannot have this machine rater."""
    checked_model(model)
    with database.read() as session:
        other = find_run(session, usual_run_name(study))
    if other is not None:
        raise RequestError(name_taken(other))


def declare_machine_rater(database: Database, study: str, model: str, author: str) -> str:
    """Begin the run of a study's machine rater, which is asked later; the command that asks it."""
    bundle = load_study(database, study, late=True)
    evaluation = EvaluationRequest(usual_run_name(study), (model,))
    request = JudgingRequest(study, evaluation, machine_rater=model)
    prepared = new_judging(database, request, bundle.study, study_sample(bundle), author)
    Evaluations(database).begin(prepared.run, prepared.sample, {})
    return f"reviewer judges ask {study}"


def _membership(place: StudyCase) -> Membership:
    return Membership(
        dataset=place.dataset,
        key=place.key,
        case=place.case,
        position=place.position,
        generator=place.generator,
        origin="imported",
    )


def _datasets(places: Sequence[PlacedCase]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place.dataset for place, _ in places))
