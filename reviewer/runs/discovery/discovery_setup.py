"""Opening a discovery run: a new one with its frozen material, or a stored one as it is resumed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.core.source_text import NO_SOURCE, SettingsSource
from reviewer.protocols.base import DatasetCase, Protocol
from reviewer.protocols.discovery import Discovery, DiscoveryMaterial, DiscoveryPlan, DiscoverySettings
from reviewer.protocols.prompts import Prompts
from reviewer.protocols.registry import protocols_of
from reviewer.runs.generation.run_setup import GREATEST_SEED, check_unchanged, checked_settings, stored_run
from reviewer.runs.prompt_files import read_prompts
from store.cases import Filter, find_dataset, get_case, list_places, values_at_places
from store.clock import instant, now_ms
from store.database import Database
from store.records import JsonValue, Run, digest_of

REWRITES, DISCARDED = ".rewrites", ".discarded"
"""Endings of the names of a run's other datasets: its rewrites, and what was discarded of either."""
_LONGEST = 64 - len(REWRITES + DISCARDED)
LIBRARY, PAIRS, VALIDATION = MATERIAL = ("library", "pairs", "validation")
JUDGE, TEACHER = "judge", "teacher"
_PLACES = "places"
"""Keys and values of the cases of each part."""
_LEFT_OUT = "left out"
"""The number of cases that the validation leaves out."""
_CHANGEABLE = frozenset({"rounds"})


@dataclass(frozen=True, slots=True)
class DiscoveryRequest:
    """What a person asks for. None means not given: the default, or the value that the run was made with."""

    name: str
    library: str | None = None
    pairs: str | None = None
    validation: str | None = None
    judge: str | None = None
    teacher: str | None = None
    seed: int | None = None
    settings: Mapping[str, JsonValue] | None = None
    source: SettingsSource = NO_SOURCE
    """The file that settings were read from."""
    prompts: Prompts | None = None


def discovery_plan_of(protocol: Protocol) -> DiscoveryPlan:
    """The discovery plan of a protocol; raises RequestError if it has none."""
    plan = protocol.discovery_plan()
    if plan is None:
        raise RequestError(
            f"nothing can be discovered from cases of {protocol.title}; give a library with --library."
        )
    return plan


def discovery_settings(database: Database, run: Run) -> DiscoverySettings:
    """The settings of a stored run, as its protocol reads them."""
    plan = discovery_plan_of(protocols_of(database).named(run.protocol))
    return plan.settings.model_validate(run.settings)


def open_discovery(database: Database, request: DiscoveryRequest) -> Run:
    """The stored run as requested now, or a new one that is not written yet; raises RequestError."""
    stored = stored_run(database, request.name, "discover")
    return _resumed(database, stored, request) if stored else _new(database, request)


def discovery_of(database: Database, run: Run) -> Discovery:
    """The discovery of a run: protocol, prompts, settings and material together; raises RequestError."""
    plan = discovery_plan_of(protocols_of(database).named(run.protocol))
    places = run.material[_PLACES]
    with database.read() as session:
        cases = {
            part: [
                DatasetCase(key, get_case(session, digest), values)
                for digest, (key, values) in zip(digests, places[part], strict=True)
            ]
            for part, digests in run.seeds.items()
        }
    material = DiscoveryMaterial(
        run=run.name,
        rewrites_dataset=run.name + REWRITES,
        validation_dataset=str(run.material[VALIDATION]),
        **cases,
    )
    settings, prompts = discovery_settings(database, run), Prompts(run.prompts)
    return plan.start(run.roles[JUDGE], run.roles[TEACHER], settings, prompts, material, run.seed)


def check_runnable(database: Database, run: Run) -> None:
    """Raise RequestError if nothing can be discovered on the material of a run."""
    discovery_of(database, run)


def protocol_of_request(database: Database, request: DiscoveryRequest) -> str:
    """The name of the protocol of the run that is requested; raises RequestError."""
    stored = stored_run(database, request.name, "discover")
    return stored.protocol if stored else _protocol(database, request.library or "").name


def discovery_name(dataset: str) -> str:
    """The name of the run whose rewrites, or whose discarded ones, a dataset of this name holds."""
    return dataset.removesuffix(DISCARDED).removesuffix(REWRITES)


def _new(database: Database, request: DiscoveryRequest) -> Run:
    library, pairs, validation = _check(database, request)
    protocol = _protocol(database, library)
    plan = discovery_plan_of(protocol)
    for dataset in (pairs, validation):
        _check_protocol(database, dataset, plan.pairs_protocol)
    settings = checked_settings(plan.settings, request.settings or {}, request.source)
    prompts = request.prompts or read_prompts(plan.prompts)
    cases = {
        LIBRARY: _cases(database, library, plan),
        PAIRS: _drawn(_cases(database, pairs, plan), settings.most_pairs, request.seed or 0),
    }
    offered = _cases(database, validation, plan)
    others = _unshared(database, plan, cases[PAIRS], offered, (pairs, validation))
    cases[VALIDATION] = _drawn(others, settings.most_validation, request.seed or 0)
    _check_names(protocol, cases[LIBRARY], library)
    material: dict[str, JsonValue] = {
        LIBRARY: library,
        PAIRS: pairs,
        VALIDATION: validation,
        _LEFT_OUT: len(offered) - len(others),
        _PLACES: {part: [[each.key, dict(each.published)] for each in own] for part, own in cases.items()},
    }
    return Run(
        name=request.name,
        procedure="discover",
        protocol=protocol.name,
        roles={JUDGE: request.judge or "", TEACHER: request.teacher or ""},
        seed=request.seed or 0,
        settings=settings.model_dump(mode="json"),
        material=material,
        prompts=dict(prompts.texts),
        seeds={part: [each.case.digest for each in own] for part, own in cases.items()},
        started_at=instant(now_ms()),
    )


def _check(database: Database, request: DiscoveryRequest) -> tuple[str, str, str]:
    """The three datasets of a new run; raises RequestError for what is missing or wrong."""
    checked_name("run", request.name)
    if len(request.name) > _LONGEST:
        raise RequestError(f"run name {request.name!r} is too long; use at most {_LONGEST} characters.")
    needed = {
        "library": request.library,
        "pairs": request.pairs,
        "validation": request.validation,
        "judge": request.judge,
        "teacher": request.teacher,
    }
    if missing := [f"--{option}" for option, value in needed.items() if not value]:
        raise RequestError(f"run {request.name!r} is new; also give {', '.join(missing)}.")
    if not 0 <= (request.seed or 0) <= GREATEST_SEED:
        raise RequestError(
            f"seed {request.seed} is not allowed; use a whole number from 0 to {GREATEST_SEED}."
        )
    if request.pairs == request.validation:
        raise RequestError(
            f"dataset {request.pairs!r} cannot be used for both pairs and validation; give another dataset "
            "with --validation, so that candidates are validated on other items."
        )
    with database.read() as session:
        for name in _datasets(request.name):
            if find_dataset(session, name) is not None:
                raise RequestError(f"dataset {name!r} already exists; give the run another name.")
    return str(request.library), str(request.pairs), str(request.validation)


def _datasets(run: str) -> list[str]:
    return [run, run + DISCARDED, run + REWRITES, run + REWRITES + DISCARDED]


def _protocol(database: Database, dataset: str) -> Protocol:
    with database.read() as session:
        header = find_dataset(session, dataset)
    if header is None:
        raise RequestError(f"dataset {one_line(dataset)!r} is not in the store; see `reviewer datasets`.")
    return protocols_of(database).named(header.protocol)


def _check_protocol(database: Database, dataset: str, wanted: str) -> None:
    protocol = _protocol(database, dataset)
    if protocol.name != wanted:
        expected = protocols_of(database).named(wanted)
        raise RequestError(
            f"dataset {dataset!r} holds cases of {protocol.title}; give one with cases of {expected.title}."
        )


def _cases(database: Database, dataset: str, plan: DiscoveryPlan) -> list[DatasetCase]:
    """The cases of a dataset with the published values that the plan needs."""
    with database.read() as session:
        places = list_places(session, Filter(datasets=(dataset,)))
        values = values_at_places(session, dataset)
    needed = [(place, case, values.get((place.key, case.digest), {})) for place, case in places]
    return [
        DatasetCase(place.key, case, {name: own[name] for name in plan.needed_values if name in own})
        for place, case, own in needed
    ]


def _drawn(cases: Sequence[DatasetCase], most: int, seed: int) -> list[DatasetCase]:
    """At most ``most`` cases (0: all), drawn by the seed, in their order."""
    if not most:
        return list(cases)
    chosen = sorted(cases, key=lambda each: digest_of([seed, each.key]))[:most]
    keys = {each.key for each in chosen}
    return [each for each in cases if each.key in keys]


def _unshared(
    database: Database,
    plan: DiscoveryPlan,
    pairs: Sequence[DatasetCase],
    others: Sequence[DatasetCase],
    names: tuple[str, str],
) -> list[DatasetCase]:
    """The others that share no cluster, such as a question, with the pairs; raises RequestError."""
    evaluation = protocols_of(database).named(plan.pairs_protocol).evaluation_plan()
    if evaluation is None:
        return list(others)
    known = {evaluation.cluster(each.case) for each in pairs}
    left = [each for each in others if evaluation.cluster(each.case) not in known]
    if others and not left:
        raise RequestError(
            f"every {evaluation.cluster_noun} of dataset {names[1]!r} is also in {names[0]!r}; validate on "
            "other items."
        )
    return left


def _check_names(protocol: Protocol, library: Sequence[DatasetCase], dataset: str) -> None:
    plan = protocol.library_plan()
    twice = plan and plan.repeated([plan.name(each.case) for each in library])
    if twice:
        raise RequestError(
            f"dataset {dataset!r} has {one_line(twice[0])!r} and {one_line(twice[1])!r}, which name one "
            "entry; take one of them out."
        )


def left_out(run: Run) -> str:
    """A sentence on the validation cases that a run leaves out; "" if there are none."""
    number = int(run.material[_LEFT_OUT])
    if not number:
        return ""
    are = agreeing(number, "is", "are")
    cases = f"{counted(number, 'case')} of {run.material[VALIDATION]!r}"
    return f"{cases} {are} left out of the validation; {run.material[PAIRS]!r} has the same questions."


def _resumed(database: Database, run: Run, request: DiscoveryRequest) -> Run:
    """The run, with another number of rounds if requested; raises RequestError if anything else differs."""
    plan = discovery_plan_of(protocols_of(database).named(run.protocol))
    before = run.settings
    settings = checked_settings(plan.settings, {**before, **(request.settings or {})}, request.source)
    now = settings.model_dump(mode="json")
    values: dict[str, tuple[Any, Any]] = {
        "judge": (request.judge, run.roles[JUDGE]),
        "teacher": (request.teacher, run.roles[TEACHER]),
        "library": (request.library, run.material[LIBRARY]),
        "pairs": (request.pairs, run.material[PAIRS]),
        "validation": (request.validation, run.material[VALIDATION]),
        "seed": (request.seed, run.seed),
        "prompts": (request.prompts and request.prompts.digest, run.prompts_digest),
    }
    values |= {name: (now[name], old) for name, old in before.items() if name not in _CHANGEABLE}
    check_unchanged(run.name, values)
    return run.model_copy(update={"settings": now})
