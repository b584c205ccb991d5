"""Discovery runs: a new one with its frozen material, or a stored one as it is resumed, and their rounds.

A round looks for new entries of a library, and decides about all that it tried.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.llm.model_settings import CallLimits, Price
from reviewer.protocols.base import DatasetCase, Protocol
from reviewer.protocols.discovery import Discovery, DiscoveryMaterial, DiscoveryPlan, DiscoveryRound
from reviewer.protocols.evaluation import EvaluationPlan
from reviewer.protocols.procedure import Prompts
from reviewer.protocols.registry import protocols_of
from reviewer.protocols.work import Trace, Work, traced
from reviewer.runs.case_making import DISCARDED, CaseMakingRun, CaseRecorder, came_with
from reviewer.runs.cost_estimate import CostEstimate, sampled_estimate
from reviewer.runs.discovery.discovery_progress import kept_discovery, round_left, round_under_way, why_ended
from reviewer.runs.engine.run_loop import HeldRun
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.engine.work_runner import RunTools, WorkRunner
from reviewer.runs.prepared_run import PreparedRun
from reviewer.runs.run_setup import RunRequest, check_new, checked_settings, new_run, resumed_run, stored_run
from store.case_import import Entry
from store.cases import Filter, find_dataset, get_case, list_places, values_at_places
from store.database import Database
from store.records import JsonValue, Run, digest_of

LIBRARY = "library"
"""The part of the material with the known entries."""
REWRITES = ".rewrites"
"""The ending of the name of a run's dataset of rewrites."""


class Discoverer(CaseMakingRun[int, Trace[DiscoveryRound]]):
    """A discovery run; a unit is a whole round, by its number."""

    def __init__(self, share: HeldRun, run: Run, discovery: Discovery, tools: RunTools) -> None:
        protocols = protocols_of(share.database)
        plan = protocols.named(run.protocol).procedure(DiscoveryPlan)
        made = {
            run.protocol: ("", f"discovered with {run.model}"),
            plan.rewrites_protocol: (REWRITES, f"rewritten for {run.model}"),
        }
        self._discovery = discovery
        super().__init__(
            share,
            run,
            tools,
            discovery.sampling,
            WorkRunner(tools.embedder, on_done=self._add_work),
            CaseRecorder(run, protocols, run.roles[plan.author], len(run.seeds[LIBRARY]), made),
        )
        self._kept = kept_discovery(self._database, run)
        self._work: dict[str, tuple[int, int]] = {}

    @property
    def progress(self) -> RunProgress:
        """How far the run is, with the round under way unless it is at its end."""
        return self._kept if why_ended(self.run) else round_under_way(self.run, self._kept, self._work)

    def why_ended(self) -> str:
        """Why the run is at its end."""
        return why_ended(self.run)

    async def first_entries(self) -> Sequence[Entry]:
        """The library that the run starts from, with the values that were published there."""
        name = str(self.run.material[LIBRARY])
        with self._database.read() as session:
            places = list_places(session, Filter(datasets=(name,)))
            values = values_at_places(session, name)
        changed = {"dataset": self.run.name, "origin": "seed"}
        entries = []
        for position, (place, case) in enumerate(places):
            own = place.model_copy(update=changed | {"position": position})
            entries.append(Entry(case, own, came_with(own, values.get((place.key, case.digest), {}))))
        return entries

    def units(self) -> Sequence[int]:
        """The next round, unless the last one kept nothing or there were enough."""
        self._kept, self._work = kept_discovery(self._database, self.run), {}
        self._tools.report(self.progress)
        return () if why_ended(self.run) else (self.run.rounds + 1,)

    def work(self, unit: int) -> Work[Trace[DiscoveryRound]]:
        """A round, with its requests."""
        return traced(self._discovery.round(unit, round_left(self.run)[0]))

    async def keep(self, products: Sequence[Trace[DiscoveryRound]], last: bool) -> None:
        """Write a round."""
        for asked in products:
            found = asked.returned
            tried = [
                self._recorder.valid(replace(each, place=place))
                for place, each in enumerate(found.records, 1)
            ]
            left = {"state": found.state, "kept": list(found.kept)}
            await self.write(tried, left, asked.calls)

    def _add_work(self, title: str, done: int, total: int) -> None:
        self._work[title] = done, total
        self._tools.report(self.progress)


PAIRS, VALIDATION = "pairs", "validation"
MATERIAL = (LIBRARY, PAIRS, VALIDATION)
_PLACES = "places"
"""Keys and values of the cases of each part."""
_LEFT_OUT = "left out"
"""The number of cases that the validation leaves out."""


@dataclass(frozen=True)
class PreparedDiscovery(PreparedRun):
    """A discovery run that can be carried on."""

    discovery: Discovery

    @property
    def compares_texts(self) -> bool:
        """Candidates that mean the same are found by their texts."""
        return True

    @property
    def notes(self) -> Sequence[str]:
        """A sentence on the validation cases that it leaves out."""
        number = int(self.run.material[_LEFT_OUT])
        cases = f"{counted(number, 'case')} of {self.run.material[VALIDATION]!r}"
        left_out = f"{cases} {agreeing(number, 'is', 'are')} left out of the validation; "
        return [f"{left_out}{self.run.material[PAIRS]!r} has the same questions."] if number else []

    @property
    def is_at_end(self) -> bool:
        """Whether there is nothing left to do."""
        return self.run.state == "finished"

    def estimate(self, prices: Mapping[str, Price], limits: CallLimits) -> CostEstimate:
        """From the requests about the first pair."""
        return sampled_estimate(
            self.discovery.samples(),
            self.discovery.calls(),
            self.run.roles,
            prices,
            subject="The",
            remark="A guess from the lengths of the first pair, if the judge gets as many pairs wrong and up "
            "to 5 candidates come of it, in the last column as many as the setting allows. Tokens are "
            "characters / 4, without reasoning. A request that was answered before is not sent again.",
            end="a round that keeps nothing",
        )

    def progress(self) -> RunProgress:
        """How far it is, according to the store."""
        return kept_discovery(self.database, self.run)

    def carried(self, share: HeldRun, tools: RunTools) -> Discoverer:
        """The run as the engine carries it on."""
        return Discoverer(share, self.run, self.discovery, tools)


def prepared_discovery(database: Database, request: RunRequest) -> PreparedDiscovery:
    """The stored run as requested now, or a new one that is not written yet; raises RequestError."""
    stored = stored_run(database, request.name, "discover")
    run = _resumed(database, stored, request) if stored else _new(database, request)
    return PreparedDiscovery(database, run, _discovery_of(database, run))


def _discovery_of(database: Database, run: Run) -> Discovery:
    """Protocol, prompts, settings and material together; raises RequestError if nothing can be discovered."""
    plan = protocols_of(database).named(run.protocol).procedure(DiscoveryPlan)
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
        models=run.roles,
        **cases,
    )
    settings = plan.settings.model_validate(run.settings)
    return plan.start(settings, Prompts(run.prompts), material, run.seed)


def discovery_name(dataset: str) -> str:
    """The name of the run whose rewrites, or whose discarded ones, a dataset of this name holds."""
    return dataset.removesuffix(DISCARDED).removesuffix(REWRITES)


def _new(database: Database, request: RunRequest) -> Run:
    library, pairs, validation = _check(database, request)
    protocol = _protocol(database, library)
    plan = protocol.procedure(DiscoveryPlan)
    for dataset in (pairs, validation):
        _check_protocol(database, dataset, plan.pairs_protocol)
    settings = checked_settings(plan.settings, request.settings or {}, request.source)
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
    seeds = {part: [each.case.digest for each in own] for part, own in cases.items()}
    return new_run(plan, protocol, request, settings, seeds, material)


def _check(database: Database, request: RunRequest) -> tuple[str, str, str]:
    """The three datasets of a new run; raises RequestError for missing or wrong ones."""
    needed = {**request.datasets, **request.models}
    missing = ", ".join(f"--{option}" for option, value in needed.items() if not value)
    endings = ("", DISCARDED, REWRITES, REWRITES + DISCARDED)
    check_new(database, request, missing and f"also give {missing}", endings)
    library, pairs, validation = (str(request.datasets[part]) for part in MATERIAL)
    if pairs == validation:
        raise RequestError(
            f"dataset {pairs!r} cannot be used for both pairs and validation; give another dataset "
            "with --validation, so that candidates are validated on other items."
        )
    return library, pairs, validation


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
    evaluation = protocols_of(database).named(plan.pairs_protocol).offered(EvaluationPlan)
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


def _resumed(database: Database, run: Run, request: RunRequest) -> Run:
    """The run, with another number of rounds if requested; raises RequestError if anything else differs."""
    plan = protocols_of(database).named(run.protocol).procedure(DiscoveryPlan)
    values = {part: (request.datasets.get(part), run.material[part]) for part in MATERIAL}
    resumed = resumed_run(plan, run, request, values)
    return resumed.model_copy(update={"state": run.state}) if why_ended(resumed) else resumed
