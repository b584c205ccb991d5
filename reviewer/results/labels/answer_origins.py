"""Where the answers of a study come from: models, cases and repeats of a run."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.results.labels.dimensions import ALL
from reviewer.study.design.drawn_answers import answers_at
from reviewer.study.design.inclusion import inclusion_of
from reviewer.study.design.study_bundle import StudyBundle
from store.cases import places_of
from store.database import Database
from store.records import JsonValue, Membership, StudyCase


@dataclass(frozen=True, slots=True)
class AnswerOrigin:
    """Where an answer comes from: the case of the run, and how many equal outcomes each model has."""

    source: tuple[str, str]
    models: Mapping[str, int]

    def outcomes(self, model: str) -> int:
        """How many outcomes of a model ("all": of all) the answer stands for."""
        return sum(self.models.values()) if model == ALL else self.models.get(model, 0)


@dataclass(frozen=True, slots=True)
class DrawnOutcome:
    """An outcome that a drawn answer stands for, and how that answer was drawn."""

    place: StudyCase
    run: str
    model: str
    source: tuple[str, str]
    condition: str
    repeat: int
    outcome: str
    stratum: str
    chance: float
    weight: float


Places = Mapping[str, Membership]
"""The places of a study's answers by key."""


def places_of_answers(database: Database, bundle: StudyBundle) -> dict[str, Membership]:
    """The places of a study's answers; {} if it is not a study of answers, or may not tell."""
    if bundle.design.answers is None:
        return {}
    with database.read() as session:
        return {place.key: place for name in bundle.design.datasets for place in places_of(session, name)}


def origins_of(bundle: StudyBundle, places: Places) -> dict[str, AnswerOrigin]:
    """Digest of each answer of a study → where it comes from, where that is known."""
    return {
        drawn.case: origin_of(sources)
        for drawn in bundle.sample
        if drawn.key in places and (sources := answers_at(places[drawn.key]))
    }


def origin_of(sources: Sequence[Mapping[str, JsonValue]]) -> AnswerOrigin:
    """Where an answer comes from that stands for these outcomes."""
    models = Counter(str(one["model"]) for one in sources)
    return AnswerOrigin(source_of(sources), models)


def source_of(sources: Sequence[Mapping[str, JsonValue]]) -> tuple[str, str]:
    """The case of the run that these outcomes answer."""
    return _source(sources[0])


def _source(one: Mapping[str, JsonValue]) -> tuple[str, str]:
    return str(one["dataset"]), str(one["key"])


def drawn_outcomes(bundle: StudyBundle, places: Places) -> Iterator[DrawnOutcome]:
    """Every outcome that a drawn answer stands for, in the order of the sample."""
    strata = inclusion_of(bundle).by_case()
    for drawn in _known(bundle.counted, places):
        stratum = strata[drawn.case]
        for one in answers_at(places[drawn.key]):
            yield DrawnOutcome(
                drawn,
                str(one["run"]),
                str(one["model"]),
                _source(one),
                str(one["condition"]),
                int(one["repeat"]),
                str(one["outcome"]),
                stratum.name,
                stratum.chance_of(drawn.case),
                stratum.weight_of(drawn.case),
            )


def _known(sample: Iterable[StudyCase], places: Places) -> Iterator[StudyCase]:
    return (drawn for drawn in sample if drawn.key in places)
