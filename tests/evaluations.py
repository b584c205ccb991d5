"""Evaluation runs with made-up outcomes, for tests."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from reviewer.protocols.probe_swe.evaluation import DilemmaEvaluation
from reviewer.runs.evaluation.evaluation_settings import EvaluationSettings
from store.cases import Filter, list_places
from store.database import Database
from store.evaluations import Evaluations
from store.records import Outcome, Run, SampledCase
from tests.studies import AT

RUNS = 2
TWO_MODELS: Mapping[str, str] = MappingProxyType({"model-1": "AAAAAA", "model-2": "BBBAAA"})
"""Labels of the biased texts of three cases, two runs each."""


def an_evaluation(
    database: Database, name: str, dataset: str, letters: Mapping[str, str] = TWO_MODELS
) -> Run:
    """A run over a dataset of PROBE-SWE: these labels for its biased texts, A for the unbiased ones."""
    with database.read() as session:
        placed = list_places(session, Filter(datasets=(dataset,)))
    settings = EvaluationSettings(datasets=(dataset,), conditions={}, repeats=RUNS)
    run = Run(
        procedure="evaluate",
        name=name,
        protocol="probe-swe",
        settings=settings.model_dump(mode="json"),
        started_at=AT,
        created_by="lead",
    )
    sample = [
        SampledCase(
            run=name,
            place=number,
            dataset=place.dataset,
            key=place.key,
            digest=case.digest,
            generator=place.generator,
        )
        for number, (place, case) in enumerate(placed)
    ]
    evaluations = Evaluations(database)
    evaluations.begin(run, sample, dict.fromkeys(letters, ""))
    evaluations.keep([outcome for model in letters for outcome in _outcomes(name, model, letters[model])])
    return run


def _outcomes(run: str, model: str, letters: str) -> Iterator[Outcome]:
    for number, letter in enumerate(letters):
        for version, label in (("unbiased", "A"), ("biased", letter)):
            yield Outcome(
                run=run,
                model=model,
                case=number // RUNS,
                condition=f"{version}/as written/none",
                repeat=number % RUNS,
                state="read",
                label=label,
                reader_version=DilemmaEvaluation.reader_version,
                request="",
            )
