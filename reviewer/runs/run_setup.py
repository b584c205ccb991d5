"""Opening a run: the parts of a new one, also its prompts, and the settings that a stored one must keep."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import NO_SOURCE, SettingsSource, read_source_text
from reviewer.protocols.base import Protocol
from reviewer.protocols.procedure import (
    MOST_CHARACTERS_OF_PROMPT,
    GivenSettings,
    Procedure,
    ProcedureSettings,
    PromptPlan,
    Prompts,
    checked_prompts,
)
from store.cases import find_dataset
from store.clock import instant, now_ms
from store.database import Database
from store.records import JsonValue, Run
from store.runs import find_run, name_taken

GREATEST_SEED = 2_000
"""Seeds are part of the repeat numbers that tell requests apart, which have 32 bits."""
_LONGEST = 64
SettingsT = TypeVar("SettingsT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a person asks for. None means not given: the default, or the value that the run was made with."""

    name: str
    datasets: Mapping[str, str | None] = field(default_factory=dict)
    """By the part that their cases have in the run."""
    models: Mapping[str, str | None] = field(default_factory=dict)
    """By role; "" stands for every role that is not named."""
    protocol: str | None = None
    groups: tuple[str, ...] | None = None
    seed: int | None = None
    settings: GivenSettings | None = None
    source: SettingsSource = NO_SOURCE
    """The file that settings were read from."""
    folder: Path | None = None
    """A folder of prompts that replace the shipped ones."""

    def model_of(self, role: str) -> str | None:
        """The model that is asked for in a role."""
        return self.models.get(role) or self.models.get("")


def stored_run(database: Database, name: str, procedure: str) -> Run | None:
    """The run of this name, if there is one; raises RequestError if it does something else."""
    with database.read() as session:
        run = find_run(session, name)
    if run is not None and run.procedure != procedure:
        raise RequestError(name_taken(run))
    return run


def check_new(database: Database, request: RunRequest, missing: str, endings: Sequence[str]) -> None:
    """Raise RequestError if no new run can be as requested.

    ``missing`` names an input that must also be given, and ``endings`` are those of the names of the run's
    datasets.
    """
    checked_name("run", request.name)
    longest = _LONGEST - max(map(len, endings), default=0)
    if len(request.name) > longest:
        raise RequestError(f"run name {request.name!r} is too long; use at most {longest} characters.")
    if missing:
        raise RequestError(f"run {request.name!r} is new; {missing}.")
    if not 0 <= (request.seed or 0) <= GREATEST_SEED:
        raise RequestError(
            f"seed {request.seed} is not allowed; use a whole number from 0 to {GREATEST_SEED}."
        )
    with database.read() as session:
        for name in (request.name + ending for ending in endings):
            if find_dataset(session, name) is not None:
                raise RequestError(f"dataset {name!r} already exists; give the run another name.")


def new_run(
    procedure: Procedure,
    protocol: Protocol,
    request: RunRequest,
    settings: ProcedureSettings,
    seeds: dict[str, list[str]],
    material: dict[str, JsonValue],
) -> Run:
    """A run that is not written yet, with a model for each role that takes part; ``seeds`` are digests of its
    cases.
    """
    return Run(
        name=request.name,
        procedure=procedure.name,
        protocol=protocol.reference,
        roles=_models(procedure, request),
        seed=request.seed or 0,
        settings=settings.model_dump(mode="json"),
        material=material,
        prompts=dict(read_prompts(procedure.prompts, request.folder).texts),
        seeds=seeds,
        started_at=instant(now_ms()),
    )


def _models(procedure: Procedure, request: RunRequest) -> dict[str, str]:
    """The model of each role that takes part."""
    models = {role: request.model_of(role) for role in procedure.roles if role not in procedure.unnamed}
    for role, stands_in in procedure.unnamed.items():
        models[role] = request.models.get(role) or models.get(stands_in)
    return {role: model for role in procedure.roles if (model := models[role])}


def resumed_run(
    procedure: Procedure, run: Run, request: RunRequest, values: Mapping[str, tuple[object, object]]
) -> Run:
    """The run, with a later end if one is requested; raises RequestError if anything else differs.

    ``values`` are further ones: requested (None: not), and as they are stored.
    """
    before = {**run.settings, **procedure.settings.of_this_release}
    given = {**before, **(request.settings or {})}
    now = checked_settings(procedure.settings, given, request.source).model_dump(mode="json")
    prompts = read_prompts(procedure.prompts, request.folder).digest if request.folder else None
    check_unchanged(
        run.name,
        {
            **{role: (request.model_of(role), run.roles.get(role, "no model")) for role in procedure.roles},
            **values,
            "seed": (request.seed, run.seed),
            "prompts": (prompts, run.prompts_digest),
            **{name: (now[name], before[name]) for name in before.keys() - procedure.settings.changeable},
        },
    )
    return run.model_copy(update={"settings": now, "state": run.state if now == before else "open"})


def begun_run(stored: Run | None, run: Run) -> Run | None:
    """The run as it is ``stored`` now, with the request; None if nobody has begun it.

    Another process may have gone on with it since it was prepared. Raises RequestError if it is another run.
    """
    if stored is None:
        return None
    was_new = stored.started_at != run.started_at
    same: tuple[str, ...] = ("procedure", "protocol", "seed", "prompts", "seeds", "material", "roles")
    same = (*same, "settings") if was_new else same
    if any(getattr(stored, field) != getattr(run, field) for field in same):
        raise RequestError(
            f"another process has just begun run {run.name!r} with other settings or cases; resume it with "
            f"`{stored.command}`, or choose another name."
        )
    return stored if was_new else stored.model_copy(update={"settings": run.settings, "state": run.state})


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
        wrong = f"setting {'.'.join(map(str, first['loc']))} {_wrong_in_words(first)}"
        remedy = f"you gave {one_line(repr(given[name]))}"
    if place:
        raise InputError(place, wrong, remedy)
    raise RequestError(f"{wrong}; {remedy}.")


def _wrong_in_words(error: ErrorDetails) -> str:
    """What is wrong with a setting, or with a part of one that is a table."""
    match error["type"]:
        case "extra_forbidden":
            return "is unknown"
        case "missing":
            return "is missing"
        case "model_type" | "model_attributes_type":
            return "is not a table"
        case "value_error":
            return error["msg"].removeprefix("Value error, ")
    return error["msg"].removeprefix("Input ")


def check_unchanged(run: str, values: Mapping[str, tuple[object, object]]) -> None:
    """Raise RequestError for the first value (requested, stored) that is requested and differs."""
    for what, (now, before) in values.items():
        if now is not None and now != before:
            raise RequestError(
                f"run {run!r} was made with {what} {one_line(str(before), 40)}; "
                "leave that out to resume the run, or give a new run another name."
            )


_MOST_BYTES = 4 * MOST_CHARACTERS_OF_PROMPT


def read_prompts(plan: PromptPlan, folder: Path | None = None) -> Prompts:
    """The prompts of the plan; those in ``folder`` replace shipped ones; raises InputError."""
    texts = {**_shipped(plan), **plan.texts}
    return checked_prompts(plan, texts if folder is None else {**texts, **_own(plan, folder)})


def _shipped(plan: PromptPlan) -> dict[str, str]:
    held = plan.placeholders.keys() - plan.texts.keys()
    if not held:
        return {}
    folder = files(plan.package) / "prompts"
    return {name: (folder / f"{name}.txt").read_text(encoding="utf-8") for name in held}


def _own(plan: PromptPlan, folder: Path) -> dict[str, str]:
    where = repr(one_line(str(folder), 120))
    try:
        paths = [path for path in sorted(folder.iterdir()) if path.suffix == ".txt"]
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path can have this name"
        raise InputError(where, f"cannot be read ({reason})", "give a folder of prompts") from error
    texts = {
        path.stem: read_source_text(path, f"prompt {path.name}", _MOST_BYTES, "give a folder of prompts")
        for path in paths
    }
    known = ", ".join(f"{name}.txt" for name in plan.placeholders)
    if not texts:
        raise InputError(where, "contains no prompt", f"put some of {known} there")
    if strangers := sorted(texts.keys() - plan.placeholders.keys()):
        wrong = f"is not a prompt of this protocol ({known})"
        raise InputError(repr(one_line(f"{strangers[0]}.txt")), wrong, "rename or remove it")
    return texts
