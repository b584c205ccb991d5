"""Opening a generation run: a new one, or a stored one with the settings that it was made with."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from importlib.resources import files

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, one_line
from reviewer.core.source_text import toml_content
from reviewer.llm.model_settings import CallLimits, Price
from reviewer.protocols.base import Protocol
from reviewer.protocols.generation import Generation, GenerationPlan, GenerationSettings, PublishedRun
from reviewer.protocols.procedure import Prompts, Sample
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.runs.case_making import DISCARDED
from reviewer.runs.cost_estimate import CostEstimate, sampled_estimate
from reviewer.runs.engine.run_loop import HeldRun
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.engine.work_runner import RunTools
from reviewer.runs.generation.generation_progress import kept_generation
from reviewer.runs.generation.generator import Generator
from reviewer.runs.prepared_run import PreparedRun
from reviewer.runs.run_setup import (
    RunRequest,
    check_new,
    checked_settings,
    new_run,
    read_prompts,
    resumed_run,
    stored_run,
)
from store.cases import Filter, find_dataset, get_case, list_places
from store.database import Database
from store.records import Case, Run
from store.runs import find_run

SEEDS = "seeds"
"""The dataset that examples are taken from. A new run has the protocol of this dataset."""
_MOST_SEEDS = 1_000


@dataclass(frozen=True)
class PreparedGeneration(PreparedRun):
    """A generation run that can be carried on."""

    @cached_property
    def plan(self) -> GenerationPlan:
        """What its protocol says of generation."""
        return protocols_of(self.database).named(self.run.protocol).procedure(GenerationPlan)

    @cached_property
    def generation(self) -> Generation:
        """Protocol, prompts, settings and seeds together."""
        with self.database.read() as session:
            seeds = {
                group: [get_case(session, digest) for digest in digests]
                for group, digests in self.run.seeds.items()
            }
        settings = self.plan.settings.model_validate(self.run.settings)
        return self.plan.start(settings, Prompts(self.run.prompts), seeds, self.run.seed)

    @property
    def runs_programs(self) -> bool:
        """Whether it needs SWI-Prolog."""
        return self.plan.runs_programs

    @property
    def compares_texts(self) -> bool:
        """Whether it needs a sentence model."""
        return self.plan.compares_texts

    @property
    def notes(self) -> Sequence[str]:
        """Settings of a stored run that this release decides otherwise than the one before."""
        with self.database.read() as session:
            stored = find_run(session, self.run.name)
        before = stored.settings if stored else {}
        return [
            f"Run {self.run.name} goes on with {name} {value}, that of this release, instead of "
            f"{before.get(name, 'one that was not recorded')}. What it already has stays as it is."
            for name, value in self.plan.settings.of_this_release.items()
            if stored and before.get(name) != value
        ]

    def estimate(self, prices: Mapping[str, Price], limits: CallLimits) -> CostEstimate:
        """For the number of valid cases that the settings ask for, from the lengths of the seeds."""
        generation, groups = self.generation, list(self.run.seeds)
        samples, having = dict[str, Sample](), Counter[str]()
        for group in groups:
            for name, sample in generation.samples(group).items():
                samples.setdefault(name, sample)
                having[name] += 1
        shares = {name: Fraction(number, len(groups)) for name, number in having.items()}
        target = generation.settings.target
        as_published = ""
        runs = {"all valid": PublishedRun("", 1, {})}
        if published := next((counts for counts in self.plan.published if counts.valid), None):
            runs[f"as {published.name}"] = published
            as_published = f", and where filters discard as published for {published.name}"
        calls = {title: _calls(generation, shares, target * len(groups), run) for title, run in runs.items()}
        return sampled_estimate(
            samples,
            calls,
            self.run.roles,
            prices,
            subject=f"For {counted(target, 'valid case')} of each group, the",
            remark=f"For {counted(target, 'valid case')} {_of_groups(len(groups))}. A guess: where every "
            f"candidate is valid{as_published}; tokens are characters / 4, without reasoning.",
            end="the target",
        )

    def progress(self) -> RunProgress:
        """How far it is, according to the store."""
        return kept_generation(self.database, self.run)

    def carried(self, share: HeldRun, tools: RunTools) -> Generator:
        """The run as the engine carries it on."""
        return Generator(share, self.run, self.generation, tools)


def _of_groups(number: int) -> str:
    return "of one group" if number == 1 else f"of each of {number:,} groups"


def _calls(
    generation: Generation, shares: Mapping[str, Fraction], wanted: int, published: PublishedRun
) -> Mapping[str, int]:
    """Calls of each kind for this number of valid cases, if filters discard the shares of the published run.

    If several steps correspond to one published filter, each is assumed to discard an equal part of it.
    Requests that no step makes belong to an expansion and are made once in each, in the share of the groups
    that have them.
    """
    steps_of = Counter(step.counts_as for step in generation.steps)
    valid = published.valid or 1
    candidates = wanted * (1 + sum(published.discarded.values()) / valid)
    expansions = math.ceil(candidates / generation.settings.batch_size)
    calls = Counter[str]()
    for step in generation.steps:
        for name, number in step.calls.items():
            calls[name] += math.ceil(candidates * number)
        lost = published.discarded.get(step.counts_as, 0) / steps_of[step.counts_as]
        candidates -= wanted * lost / valid
    return {name: calls.get(name, math.ceil(expansions * share)) for name, share in shares.items()}


def prepared_generation(database: Database, request: RunRequest) -> PreparedGeneration:
    """The stored run as requested now, or a new one that is not written yet; raises RequestError."""
    stored = stored_run(database, request.name, "generate")
    run = _resumed(protocols_of(database), stored, request) if stored else _new(database, request)
    return PreparedGeneration(database, run)


def check_request(database: Database, request: RunRequest, shipped: str | None = None) -> tuple[str, bool]:
    """The protocol of the requested run, and whether the run is new; writes nothing.

    Seeds that are not in the store are those of the protocol ``shipped``, which is None if none are shipped.
    Raises ReviewerError for a request that is wrong whatever the seeds are.
    """
    if run := stored_run(database, request.name, "generate"):
        return run.protocol, False
    with database.read() as session:
        header = find_dataset(session, str(request.datasets[SEEDS]))
    _check(database, request)
    name = request.protocol or (header.protocol if header else shipped)
    if name is None:
        raise RequestError(
            f"dataset {request.datasets[SEEDS]!r} is not in the store; see `reviewer datasets`."
        )
    protocol = protocols_of(database).named(name)
    _check_groups(protocol, request.groups)
    plan = protocol.procedure(GenerationPlan)
    settings = _settings(protocol, plan, request)
    read_prompts(plan.prompts, request.folder)
    if plan.groups is not None:
        _chosen_groups(plan.groups(settings, request.source), request.groups)
    return protocol.name, True


def _settings(protocol: Protocol, plan: GenerationPlan, request: RunRequest) -> GenerationSettings:
    """The settings of a new run, with the usual ones of the protocol; raises ReviewerError."""
    given = request.settings or {}
    if plan.usual_file:
        shipped = files("seeds") / protocol.example_folder / plan.usual_file
        given = plan.usual(given, toml_content(shipped.read_text(encoding="utf-8"), plan.usual_file))
    return checked_settings(plan.settings, given, request.source)


def _new(database: Database, request: RunRequest) -> Run:
    _check(database, request)
    protocol, seeds = _protocol_with_seeds(database, request)
    plan = protocol.procedure(GenerationPlan)
    settings = _settings(protocol, plan, request)
    digests = {group: [case.digest for case in cases] for group, cases in seeds.items()}
    run = new_run(plan, protocol, request, settings, digests, {})
    plan.start(settings, Prompts(run.prompts), seeds, run.seed)
    return run


def _check(database: Database, request: RunRequest) -> None:
    missing = "" if any(request.models.values()) else "name the model that generates it with --model"
    check_new(database, request, missing, ("", DISCARDED))


def _protocol_with_seeds(database: Database, request: RunRequest) -> tuple[Protocol, dict[str, list[Case]]]:
    """The protocol of a new run and its seeds by group; groups that settings name have no seeds."""
    named = protocols_of(database).named(request.protocol) if request.protocol else None
    if named is None or named.procedure(GenerationPlan).groups is None:
        named = _protocol_of_seeds(database, request)
    plan = named.procedure(GenerationPlan)
    if plan.groups is None:
        return named, seeds_in(database, str(request.datasets[SEEDS]), named, request.groups)
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
        header = find_dataset(session, str(request.datasets[SEEDS]))
    if header is None or request.protocol not in (None, header.protocol):
        of = f" of {protocols_of(database).named(request.protocol).title}" if request.protocol else ""
        raise RequestError(f"dataset {request.datasets[SEEDS]!r}{of} is not in the store; import it first.")
    return protocols_of(database).named(header.protocol)


def seeds_in(
    database: Database, dataset: str, protocol: Protocol, groups: tuple[str, ...] | None
) -> dict[str, list[Case]]:
    """The hand-written cases of a dataset, by group, for the requested groups; raises RequestError."""
    _check_groups(protocol, groups)
    with database.read() as session:
        places = list_places(session, Filter(datasets=(dataset,), origin="seed"), limit=_MOST_SEEDS + 1)
    if len(places) > _MOST_SEEDS:
        raise RequestError(
            f"dataset {dataset!r} holds more than {_MOST_SEEDS:,} seeds; put those to be used into a dataset "
            "of their own."
        )
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
        "protocol": (request.protocol, run.protocol),
        "groups": (request.groups and sorted(request.groups), sorted(run.seeds)),
    }
    return resumed_run(protocols.named(run.protocol).procedure(GenerationPlan), run, request, values)
