"""Opening a generation run: a new one, or a stored one with the settings that it was made with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import NO_SOURCE, SettingsSource, toml_content
from reviewer.protocols.base import Protocol
from reviewer.protocols.generation import Generation, GenerationPlan, GenerationSettings, GivenSettings
from reviewer.protocols.prompts import Prompts
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.runs.generation.candidate_records import DISCARDED
from reviewer.runs.generation.run_progress import settings_of
from reviewer.runs.prompt_files import read_prompts
from store.candidates import find_run, name_taken
from store.cases import Filter, find_dataset, get_case, list_places
from store.clock import instant, now_ms
from store.database import Database
from store.records import Case, ProcedureName, Run

GREATEST_SEED = 2_000
"""Seeds are part of the repeat numbers that tell requests apart, which have 32 bits."""
CHANGEABLE = frozenset({"target", "patience"})
"""Settings that may change when a run is resumed: they decide when it ends, not what it generates."""
WRITER = "model"
"""The only role: it writes and judges the cases."""
_LONGEST = 64 - len(DISCARDED)
_MOST_SEEDS = 1_000
SettingsT = TypeVar("SettingsT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a person asks for. None means not given: the default, or the value that the run was made with."""

    name: str
    seeds: str
    """The dataset that examples are taken from. A new run has the protocol of this dataset."""
    model: str | None = None
    protocol: str | None = None
    groups: tuple[str, ...] | None = None
    seed: int | None = None
    settings: GivenSettings | None = None
    source: SettingsSource = NO_SOURCE
    """The file that settings were read from."""
    prompts: Prompts | None = None


def plan_of(protocol: Protocol) -> GenerationPlan:
    """The generation plan of a protocol; raises RequestError if it has none."""
    plan = protocol.generation_plan()
    if plan is None:
        raise RequestError(f"protocol {protocol.name!r} cannot generate cases.")
    return plan


def known_run(database: Database, name: str) -> Run:
    """The run of this name; raises RequestError."""
    with database.read() as session:
        run = find_run(session, name)
    if run is None or run.procedure == "evaluate":
        raise RequestError(f"run {one_line(name)!r} is not in the store; see `reviewer funnel`.")
    return run


def stored_run(database: Database, name: str, procedure: ProcedureName) -> Run | None:
    """The run of this name, if there is one; raises RequestError if it does something else."""
    with database.read() as session:
        run = find_run(session, name)
    if run is not None and run.procedure != procedure:
        raise RequestError(name_taken(run))
    return run


def open_run(database: Database, request: RunRequest) -> Run:
    """The stored run as requested now, or a new one that is not written yet; raises RequestError."""
    stored = stored_run(database, request.name, "generate")
    return _resumed(protocols_of(database), stored, request) if stored else _new(database, request)


def check_request(database: Database, request: RunRequest, shipped: str | None = None) -> tuple[str, bool]:
    """The protocol of the requested run, and whether the run is new; writes nothing.

    Seeds that are not in the store are those of the protocol ``shipped``, which is None if none are shipped.
    Raises RequestError for a request that is wrong whatever the seeds are.
    """
    if run := stored_run(database, request.name, "generate"):
        return run.protocol, False
    with database.read() as session:
        header = find_dataset(session, request.seeds)
    _check(database, request)
    name = request.protocol or (header.protocol if header else shipped)
    if name is None:
        raise RequestError(f"dataset {request.seeds!r} is not in the store; see `reviewer datasets`.")
    protocol = protocols_of(database).named(name)
    _check_groups(protocol, request.groups)
    plan = plan_of(protocol)
    settings = _settings(protocol, plan, request)
    if plan.groups is not None:
        _chosen_groups(plan.groups(settings, request.source), request.groups)
    return protocol.name, True


def generation_of(database: Database, run: Run) -> Generation:
    """The generation of a run: protocol, prompts, settings and seeds together."""
    plan = plan_of(protocols_of(database).named(run.protocol))
    with database.read() as session:
        seeds = {
            group: [get_case(session, digest) for digest in digests] for group, digests in run.seeds.items()
        }
    return plan.start(run.model, settings_of(run, plan), Prompts(run.prompts), seeds, run.seed)


def _settings(protocol: Protocol, plan: GenerationPlan, request: RunRequest) -> GenerationSettings:
    """The settings of a new run, with the usual ones of the protocol; raises ReviewerError."""
    given = request.settings or {}
    if plan.usual_file:
        shipped = files("seeds") / protocol.example_folder / plan.usual_file
        given = plan.usual(given, toml_content(shipped.read_text(encoding="utf-8"), plan.usual_file))
    return checked_settings(plan.settings, given, request.source)


def checked_settings(
    settings: type[SettingsT], given: GivenSettings, source: SettingsSource = NO_SOURCE
) -> SettingsT:
    """The settings with the given values; raises ReviewerError naming the setting that is wrong."""
    try:
        return settings.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
    place = source.place_of(name)
    if name not in settings.model_fields:
        wrong, remedy = (
            f"there is no setting {one_line(name)!r}",
            f"there are {', '.join(settings.model_fields)}",
        )
    else:
        wrong = f"setting {name} {first['msg'].removeprefix('Input ')}"
        remedy = f"you gave {one_line(repr(given[name]))}"
    if place:
        raise InputError(place, wrong, remedy)
    raise RequestError(f"{wrong}; {remedy}.")


def _new(database: Database, request: RunRequest) -> Run:
    _check(database, request)
    protocol, seeds = _protocol_with_seeds(database, request)
    plan = plan_of(protocol)
    prompts = request.prompts or read_prompts(plan.prompts)
    run = Run(
        name=request.name,
        procedure="generate",
        protocol=protocol.name,
        roles={WRITER: request.model or ""},
        seed=request.seed or 0,
        settings=_settings(protocol, plan, request).model_dump(mode="json"),
        prompts=dict(prompts.texts),
        seeds={group: [case.digest for case in cases] for group, cases in seeds.items()},
        started_at=instant(now_ms()),
    )
    plan.start(run.model, settings_of(run, plan), prompts, seeds, run.seed)
    return run


def _check(database: Database, request: RunRequest) -> None:
    checked_name("run", request.name)
    if len(request.name) > _LONGEST:
        raise RequestError(f"run name {request.name!r} is too long; use at most {_LONGEST} characters.")
    if not request.model:
        raise RequestError(f"run {request.name!r} is new; name the model that generates it with --model.")
    if not 0 <= (request.seed or 0) <= GREATEST_SEED:
        raise RequestError(
            f"seed {request.seed} is not allowed; use a whole number from 0 to {GREATEST_SEED}."
        )
    with database.read() as session:
        for name in (request.name, request.name + DISCARDED):
            if find_dataset(session, name) is not None:
                raise RequestError(f"dataset {name!r} already exists; give the run another name.")


def _protocol_with_seeds(database: Database, request: RunRequest) -> tuple[Protocol, dict[str, list[Case]]]:
    """The protocol of a new run and its seeds by group; groups that settings name have no seeds."""
    named = protocols_of(database).named(request.protocol) if request.protocol else None
    if named is None or plan_of(named).groups is None:
        named = _protocol_of_seeds(database, request)
    plan = plan_of(named)
    if plan.groups is None:
        return named, _seeds(database, request.seeds, named, request.groups)
    groups = plan.groups(_settings(named, plan, request), request.source)
    return named, {group: [] for group in _chosen_groups(groups, request.groups)}


def _chosen_groups(known: Sequence[str], chosen: tuple[str, ...] | None) -> list[str]:
    """The groups that were asked for, in their order; raises RequestError for an unknown one."""
    if strangers := [group for group in chosen or () if group not in known]:
        raise RequestError(f"{one_line(strangers[0])!r} is not a group of the settings ({', '.join(known)}).")
    return [group for group in known if group in (chosen or known)]


def _check_groups(protocol: Protocol, groups: tuple[str, ...] | None) -> None:
    """Raise RequestError for a group that the protocol does not declare, if the protocol declares groups."""
    known = [group.name for group in protocol.groups]
    for group in groups or ():
        if known and group not in known:
            raise RequestError(
                f"{one_line(group)!r} is not a group of {protocol.title} ({', '.join(known)})."
            )


def _protocol_of_seeds(database: Database, request: RunRequest) -> Protocol:
    with database.read() as session:
        header = find_dataset(session, request.seeds)
    if header is None or request.protocol not in (None, header.protocol):
        of = f" of {protocols_of(database).named(request.protocol).title}" if request.protocol else ""
        raise RequestError(f"dataset {request.seeds!r}{of} is not in the store; import it first.")
    return protocols_of(database).named(header.protocol)


def _seeds(
    database: Database, dataset: str, protocol: Protocol, groups: tuple[str, ...] | None
) -> dict[str, list[Case]]:
    """The hand-written cases of a dataset, by group, for the requested groups; raises RequestError."""
    _check_groups(protocol, groups)
    with database.read() as session:
        places = list_places(session, Filter(datasets=(dataset,), origin="seed"), limit=_MOST_SEEDS)
    known = [group.name for group in protocol.groups] or list(dict.fromkeys(case.group for _, case in places))
    if strangers := [group for group in groups or () if group not in known]:
        raise RequestError(
            f"{one_line(strangers[0])!r} is not a group of the seeds in {dataset!r} ({', '.join(known)})."
        )
    if not known:
        raise RequestError(
            f"dataset {dataset!r} holds no seeds; give a dataset with cases of origin seed by --seeds."
        )
    seeds: dict[str, list[Case]] = {group: [] for group in known if group in (groups or known)}
    for _, case in places:
        if case.group in seeds and case not in seeds[case.group]:
            seeds[case.group].append(case)
    return seeds


def _resumed(protocols: Protocols, run: Run, request: RunRequest) -> Run:
    """The run, with a later end if one is requested; raises RequestError if anything else differs."""
    values: dict[str, tuple[object, object]] = {
        "model": (request.model, run.model),
        "protocol": (request.protocol, run.protocol),
        "seed": (request.seed, run.seed),
        "prompts": (request.prompts and request.prompts.digest, run.prompts_digest),
        "groups": (request.groups and sorted(request.groups), sorted(run.seeds)),
    }
    plan = plan_of(protocols.named(run.protocol))
    before_settings = {**run.settings, **plan.settings.of_this_release}
    settings = {**before_settings, **(request.settings or {})}
    checked = checked_settings(plan.settings, settings, request.source).model_dump(mode="json")
    values |= {name: (checked[name], old) for name, old in before_settings.items() if name not in CHANGEABLE}
    check_unchanged(run.name, values)
    state = run.state if checked == before_settings else "open"
    return run.model_copy(update={"settings": checked, "state": state})


def changed_by_release(database: Database, run: Run) -> list[str]:
    """Sentences about settings of a stored run that this release decides otherwise than the one before."""
    with database.read() as session:
        stored = find_run(session, run.name)
    before = stored.settings if stored else {}
    return [
        f"Run {run.name} goes on with {name} {value}, that of this release, instead of {before.get(name)}. "
        "What it already has stays as it is."
        for name, value in plan_of(
            protocols_of(database).named(run.protocol)
        ).settings.of_this_release.items()
        if stored and before.get(name) != value
    ]


def check_unchanged(run: str, values: Mapping[str, tuple[object, object]]) -> None:
    """Raise RequestError for the first value (requested, stored) that is requested and differs."""
    for what, (now, before) in values.items():
        if now is not None and now != before:
            raise RequestError(
                f"run {run!r} was made with {what} {one_line(str(before), 40)}; "
                "leave that out to resume the run, or give a new run another name."
            )
