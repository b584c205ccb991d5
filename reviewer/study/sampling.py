"""Drawing a stratified sample and freezing it as a study."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocol_named
from reviewer.study.design import USUAL, Options, StudyDesign
from reviewer.study.seeding import derived_seed, shuffled
from store.cases import Filter, find_dataset, list_places
from store.clock import instant, now_ms
from store.database import Database
from store.records import Assignment, Case, Dataset, Membership, Study, StudyCase, View
from store.studies import add_rater, add_study, find_study, raters_of

_GREATEST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Design:
    """What a study draws: from which datasets, how many cases a group (None is all), and who rates them."""

    datasets: tuple[str, ...]
    per_group: int | None
    seed: int
    view: View = "full"
    include_seeds: bool = False
    raters: tuple[str, ...] = ()
    options: Options = USUAL


Place = tuple[Membership, Case]


def create_study(database: Database, name: str, design: Design) -> Study:
    """Draw the sample and write the study; raises RequestError and writes nothing where it cannot be."""
    _check_names_and_seed(name, design)
    with database.read() as session:
        if find_study(session, name) is not None:
            raise RequestError(f"study {name!r} exists already; choose another name.")
        protocol = _common_protocol({dataset: find_dataset(session, dataset) for dataset in design.datasets})
        available = {
            dataset: list_places(session, Filter(datasets=(dataset,))) for dataset in design.datasets
        }
    places = draw(protocol, available, design)
    study = _frozen_study(name, protocol, design, places)
    sample = [_study_case(name, position, place) for position, place in enumerate(places)]
    raters = [_assignment(study, rater, study.created_at) for rater in dict.fromkeys(design.raters)]
    add_study(database, study, sample, raters)
    return study


def _check_names_and_seed(name: str, design: Design) -> None:
    checked_name("study", name)
    for rater in design.raters:
        checked_name("rater", rater)
    if abs(design.seed) > _GREATEST_SEED:
        raise RequestError(f"seed {design.seed} is too large; use a whole number of at most 18 digits.")


def _frozen_study(name: str, protocol: Protocol, design: Design, places: list[Place]) -> Study:
    """The study with the questions that any of its cases is asked, and what was drawn in numbers."""
    asked = {q.key: sum(protocol.asks(q, case) for _, case in places) for q in protocol.questions}
    return Study(
        name=name,
        protocol=protocol.name,
        seed=design.seed,
        view=design.view,
        design=StudyDesign(
            **design.options.model_dump(),
            datasets=design.datasets,
            per_group=design.per_group,
            include_seeds=design.include_seeds,
            raters_declared=bool(design.raters),
            cases=len(places),
            lacking=_lacking(protocol, places),
            asked={key: count for key, count in asked.items() if count},
        ).as_json(),
        questions=[q.model_dump(mode="json") for q in protocol.questions if asked[q.key]],
        created_at=instant(now_ms()),
    )


def _study_case(study: str, position: int, place: Place) -> StudyCase:
    membership, case = place
    return StudyCase(
        study=study,
        case=case.digest,
        position=position,
        dataset=membership.dataset,
        key=membership.key,
        group=case.group,
        generator=membership.generator,
    )


def draw(protocol: Protocol, available: dict[str, list[Place]], design: Design) -> list[Place]:
    """The sample: ``per_group`` cases of each group of each dataset, by the seed; no case twice."""
    drawn: dict[str, Place] = {}
    for dataset, places in available.items():
        strata: dict[str, list[Place]] = defaultdict(list)
        for place in _eligible(places, design.include_seeds):
            strata[place[1].group].append(place)
        for group in (group.name for group in protocol.groups if group.name in strata):
            fresh = [place for place in strata[group] if place[1].digest not in drawn]
            for place in _draw_group(dataset, group, fresh, design):
                drawn[place[1].digest] = place
    if not drawn:
        raise RequestError(
            f"dataset {', '.join(design.datasets)!r} has no cases to draw from; import some first."
        )
    return list(drawn.values())


def _draw_group(dataset: str, group: str, places: list[Place], design: Design) -> list[Place]:
    by_case = {case.digest: (place, case) for place, case in reversed(places)}
    wanted = len(by_case) if design.per_group is None else design.per_group
    if wanted > len(by_case):
        remedy = f"use --per-group {len(by_case)} or less" if by_case else "leave that dataset out"
        raise RequestError(
            f"dataset {dataset!r} has {len(by_case)} cases to draw from in {group!r} that no dataset before "
            f"it gave, fewer than the {wanted} asked for; {remedy}."
        )
    chosen = shuffled(by_case, design.seed)[:wanted]
    return sorted((by_case[digest] for digest in chosen), key=lambda place: place[0].position)


def _eligible(places: list[Place], include_seeds: bool) -> list[Place]:
    """Generated cases only, where a dataset has both kinds, unless seeds are wanted too."""
    generated = [place for place in places if place[0].origin == "generated"]
    return places if include_seeds or not generated else generated


def _lacking(protocol: Protocol, places: list[Place]) -> dict[str, tuple[str, ...]]:
    """The groups of the protocol that a dataset had no case of, for datasets that lack any."""
    drawn = {(place.dataset, case.group) for place, case in places}
    lacking = {
        dataset: tuple(group.name for group in protocol.groups if (dataset, group.name) not in drawn)
        for dataset in dict.fromkeys(place.dataset for place, _ in places)
    }
    return {dataset: groups for dataset, groups in lacking.items() if groups}


def _common_protocol(found: Mapping[str, Dataset | None]) -> Protocol:
    if not found:
        raise RequestError("a study needs a dataset to draw from; give --dataset.")
    for name, dataset in found.items():
        if dataset is None:
            raise RequestError(f"dataset {name!r} is not in the store; see `reviewer datasets`.")
    names = sorted({dataset.protocol for dataset in found.values() if dataset})
    if len(names) > 1:
        raise RequestError(f"the datasets are of different protocols ({', '.join(names)}); a study has one.")
    return protocol_named(names[0])


def _assignment(study: Study, rater: str, at: str) -> Assignment:
    return Assignment(
        study=study.name, rater=rater, order_seed=derived_seed(study.seed, f"order of {rater}"), joined_at=at
    )


def join_study(database: Database, study: Study, rater: str) -> Assignment:
    """The rater's assignment, made now where the study is open to anybody; raises RequestError."""
    checked_name("rater", rater)
    with database.read() as session:
        known = {assignment.rater: assignment for assignment in raters_of(session, study.name)}
    if rater in known:
        if known[rater].role == "adjudicator":
            raise RequestError(
                f"{rater!r} adjudicates in study {study.name!r} and has seen its verdicts; "
                "whoever rates in it needs another name."
            )
        return known[rater]
    if study.closed_at is not None:
        raise RequestError(f"study {study.name!r} is closed, and {rater!r} is none of its raters.")
    if study.design.get("raters_declared"):
        raise RequestError(
            f"rater {rater!r} is not in study {study.name!r}, whose raters are {', '.join(known)}; "
            "give one of these names with --rater."
        )
    assignment = _assignment(study, rater, instant(now_ms()))
    add_rater(database, assignment)
    return assignment
