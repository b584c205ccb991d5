"""All cases that a study could have drawn, with the stratum of each, for opinions beyond its sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.protocols.base import Value
from reviewer.results.case_strata import StrataRequest, strata_of
from reviewer.study.design.inclusion import inclusion_of
from reviewer.study.design.strata import eligible, stratum_name
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_design import FrozenStratum
from store.cases import PlacedCase, get_measurements
from store.database import Database
from store.records import Measurement
from store.revisions import standing_places

_Named = tuple[str, str]
"""A dataset and the name of one of its strata."""


@dataclass(frozen=True)
class JudgedPopulation:
    """The cases that could be drawn, the place of each one's stratum, and their published values."""

    cases: tuple[PlacedCase, ...]
    strata: tuple[int, ...]
    measurements: Mapping[str, Sequence[Measurement]]

    def answers(self, bundle: StudyBundle, opinion: Value) -> list[str | None]:
        """What a published opinion says of each case."""
        question = bundle.question(opinion.question)
        return [opinion.answer_in(self.measurements[case.digest], question) for _, case in self.cases]


def population_of(database: Database, bundle: StudyBundle, person: str) -> JudgedPopulation:
    """The cases as they are now; raises RequestError unless they are those from which the study was drawn.

    Strata that show findings or values are refused to people who owe answers about the cases.
    """
    study, inclusion = bundle.study.name, inclusion_of(bundle)
    if not inclusion.strata or (bundle.design.picked and not bundle.design.others):
        why = inclusion.unknown or "its cases were picked for a reason"
        raise RequestError(f"study {study!r} tells nothing about the share of its whole dataset: {why}.")
    cases = _drawable(database, bundle)
    names = _names(database, bundle, cases, person)
    _check_same(study, inclusion.strata, names)
    order = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return JudgedPopulation(
        tuple(cases), tuple(order[name] for name in names), _measurements(database, cases)
    )


def _drawable(database: Database, bundle: StudyBundle) -> list[PlacedCase]:
    """The cases of all datasets of the design, each once, without those with known answers."""
    datasets, known = bundle.design.datasets, {case for case, _ in bundle.known}
    cases: dict[str, PlacedCase] = {}
    with database.read() as session:
        for dataset in datasets:
            held = [placed for placed in standing_places(session, [dataset]) if placed[1].digest not in known]
            for placed in eligible(held, bundle.design.include_seeds):
                cases.setdefault(placed[1].digest, placed)
    return [*cases.values()]


def _names(database: Database, bundle: StudyBundle, cases: Sequence[PlacedCase], person: str) -> list[_Named]:
    draw = bundle.design.draw
    if draw is None or not draw.by:
        return [(place.dataset, case.group) for place, case in cases]
    strata = strata_of(database, bundle.design.datasets, StrataRequest(draw.by, "equal"), person)
    return [(place.dataset, stratum_name(strata.classes[place.dataset, place.key])) for place, _ in cases]


def _check_same(study: str, strata: Sequence[FrozenStratum], names: Sequence[_Named]) -> None:
    drawn = {(stratum.dataset, stratum.name): stratum.size for stratum in strata if stratum.size}
    now = {name: names.count(name) for name in dict.fromkeys(names)}
    changed = [name for name in {**drawn, **now} if drawn.get(name) != now.get(name)]
    if changed:
        dataset, stratum = changed[0]
        raise RequestError(
            f"study {study!r} was drawn from other cases than dataset {dataset!r} has now: {stratum!r} had "
            f"{counted(drawn.get(changed[0], 0), 'case')} and has {now.get(changed[0], 0):,}. To tell the "
            "share of the dataset, draw a new study."
        )


def _measurements(database: Database, cases: Sequence[PlacedCase]) -> dict[str, list[Measurement]]:
    with database.read() as session:
        found = get_measurements(session, [case.digest for _, case in cases])
    return {
        case.digest: [one for one in found[case.digest] if not one.came_with_place or one.is_at(place)]
        for place, case in cases
    }
