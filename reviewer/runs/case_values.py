"""Runs that give values to cases: a unit is a case, whose values are kept as measurements as they come."""

import asyncio
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from reviewer.core.errors import RequestError
from reviewer.core.number_text import all_digits
from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.llm.model_settings import CallLimits, Price
from reviewer.llm.request_errors import OF_ONE_REQUEST
from reviewer.protocols.base import Protocol
from reviewer.protocols.procedure import CaseProcedure, MadeCase, Prompts, RunContext, Sample
from reviewer.protocols.registry import protocols_of
from reviewer.protocols.work import Work, traced
from reviewer.runs.cost_estimate import ANSWER_CHARACTERS, CostEstimate, sampled_estimate
from reviewer.runs.engine.run_loop import CarriedRun, Keep
from reviewer.runs.engine.run_progress import PartProgress, RunProgress
from reviewer.runs.engine.shared_run import SharedUnits, UnitsShare, share_of_run
from reviewer.runs.engine.work_runner import Requester, RunTools, WorkRunner, asked_by, role_models
from reviewer.runs.made_cases import CASES, DATASET, MadeCases, sources_of
from reviewer.runs.prepared_run import PreparedRun
from reviewer.runs.run_setup import (
    RunRequest,
    begun_run,
    check_new,
    checked_settings,
    new_run,
    resumed_run,
    stored_run,
)
from store.candidates import GivenValues, end_run, keep_leased_values, keep_values
from store.cases import Filter, get_case, get_dataset, get_measurements, list_places
from store.database import Database
from store.leases import check_lease
from store.lock_timeout import patient_write
from store.records import Case, JsonValue, Lease, Membership, Run, RunChunk, plain_json
from store.revisions import standing_places
from store.runs import find_run, save_run

_ESTIMATED = 50
"""Cases whose requests are counted for an estimate."""


def case_procedure(protocol: Protocol, name: str) -> CaseProcedure:
    """The procedure of this name; raises RequestError."""
    known = {each.name: each for each in protocol.procedures() if isinstance(each, CaseProcedure)}
    if name not in known:
        others = f"it has {', '.join(known)}" if known else "it has none of its own"
        raise RequestError(f"protocol {protocol.name!r} has no procedure {name!r}; {others}.")
    return known[name]


@dataclass(frozen=True)
class PreparedCaseRun(PreparedRun):
    """A run that gives values to cases, which can be carried on."""

    procedure: CaseProcedure

    @property
    def context(self) -> RunContext:
        """What the work of every case knows of it."""
        settings = self.procedure.settings.model_validate(self.run.settings)
        return RunContext(settings, Prompts(self.run.prompts), self.run.seed, frozenset(self.run.roles))

    def estimate(self, prices: Mapping[str, Price], limits: CallLimits) -> CostEstimate:
        """For all cases, from the requests about the first ones; which ones depends on replies."""
        digests = self.run.seeds[CASES]
        with self.database.read() as session:
            cases = [get_case(session, digest) for digest in digests[:_ESTIMATED]]
        samples, first = dict[str, Sample](), Counter[str]()
        for case in cases:
            work = self.procedure.work(case, {}, self.context)
            for role, request in asked_by(work, "x" * ANSWER_CHARACTERS):
                samples.setdefault(request.purpose, Sample(request, ANSWER_CHARACTERS, role))
                first[request.purpose] += 1
        calls = {purpose: round(count * len(digests) / len(cases)) for purpose, count in first.items()}
        return sampled_estimate(
            samples,
            {"all cases": calls},
            self.run.roles,
            prices,
            subject="The",
            remark=f"A guess from the requests about the first {counted(len(cases), 'case')}; tokens are "
            "characters / 4.",
            end="the last case",
        )

    def progress(self) -> RunProgress:
        """How far it is, according to the store."""
        return kept_values(self.database, self.run)

    def share(
        self, endpoint: str, limits: CallLimits, *, take_over: bool = False
    ) -> "AbstractContextManager[CasesShare]":
        """All of it if the store is a file, or else what this process takes of it."""
        units = CaseUnits(self)
        return share_of_run(self.database, self.run, units, endpoint, limits, take_over=take_over)

    def carried(self, share: "CasesShare", tools: RunTools) -> "CaseValuesRun":
        """The run as the engine carries it on."""
        return CaseValuesRun(share, self, tools)


def prepared_case_run(database: Database, procedure: CaseProcedure, request: RunRequest) -> PreparedCaseRun:
    """The stored run as requested now, or a new one that is not written yet; raises RequestError."""
    return PreparedCaseRun(database, _opened(database, procedure, request), procedure)


def _opened(database: Database, procedure: CaseProcedure, request: RunRequest) -> Run:
    if run := stored_run(database, request.name, procedure.name):
        values = {DATASET: (request.datasets.get(DATASET), run.material[DATASET])}
        return resumed_run(procedure, run, request, values)
    roles = [role for role in procedure.roles if role not in procedure.unnamed]
    needed = {f"--role {role}=MODEL": request.model_of(role) for role in roles}
    needed["--dataset DATASET"] = request.datasets.get(DATASET)
    missing = ", ".join(option for option, given in needed.items() if not given)
    check_new(database, request, missing and f"also give {missing}", ("",) if procedure.makes else ())
    protocol = protocols_of(database).named(str(request.protocol))
    cases = _cases(database, protocol, str(request.datasets[DATASET]))
    settings = checked_settings(procedure.settings, request.settings or {}, request.source)
    material: dict[str, JsonValue] = {DATASET: request.datasets[DATASET]}
    material |= sources_of(procedure, cases.values())
    return new_run(procedure, protocol, request, settings, {CASES: list(cases)}, material)


def _cases(database: Database, protocol: Protocol, dataset: str) -> dict[str, Membership]:
    """The digests of the whole cases of a dataset that were not withdrawn, with their first places; raises
    RequestError.
    """
    with database.read() as session:
        known = get_dataset(session, dataset)
        if known.protocol != protocol.reference:
            raise RequestError(
                f"dataset {dataset!r} holds cases of {known.protocol}, not of {protocol.name}."
            )
        places = standing_places(session, (dataset,))
    whole: dict[str, Membership] = {}
    for place, case in places:
        if case.is_whole:
            whole.setdefault(case.digest, place)
    if not whole:
        raise RequestError(f"dataset {dataset!r} has no cases; give another one with --dataset.")
    return whole


class CaseUnit(NamedTuple):
    """A case that a procedure works on; on a server with its chunk and the lease under which it was taken."""

    case: Case
    model: str = ""
    chunk: int = 0
    lease: str = ""


class CaseUnits(SharedUnits[CaseUnit, GivenValues]):
    """The cases that a procedure works on in a round, with the values that the run has given."""

    models = ("",)
    in_rounds = True

    def __init__(self, prepared: PreparedCaseRun) -> None:
        self._database, self._run, self._procedure = prepared.database, prepared.run, prepared.procedure
        self.run = prepared.run.name
        with self._database.read() as session:
            self.cases = [get_case(session, digest) for digest in self._run.seeds[CASES]]
        self.values: dict[str, dict[str, JsonValue]] = {}
        self.wanted: dict[str, Case] = {}
        """The cases that the procedure works on next, by digest."""

    def begin(self, endpoint: str, lease: Lease | None = None) -> None:
        """Write the run; raises RequestError if another run has replaced it."""
        with patient_write(self._database) as session:
            if lease:
                check_lease(session, lease)
            save_run(session, begun_run(find_run(session, self._run.name), self._run) or self._run)

    def read(self, chunks: Sequence[RunChunk] | None = None) -> None:
        """Read the values that the run has given."""
        self.values = values_by_case(self._database, self._run)
        self.wanted = {case.digest: case for case in self._procedure.units(self.cases, self.values)}

    def chunks(self, least: int, most: int) -> list[RunChunk]:
        """Cases one after another."""
        places = max(least, len(self.cases) // most)
        return [
            RunChunk(run=self.run, number=0, model="", repeat=0, first=first, places=places)
            for first in range(0, len(self.cases), places)
        ]

    def left(self, chunk: RunChunk, lease: str = "") -> list[CaseUnit]:
        """The cases of a chunk that the procedure works on next."""
        some = self.cases[chunk.first : chunk.first + chunk.places]
        return [CaseUnit(case, "", chunk.number, lease) for case in some if case.digest in self.wanted]

    def all_left(self) -> Iterator[CaseUnit]:
        """The cases that the procedure works on next."""
        return map(CaseUnit, self.wanted.values())

    def keep_alone(self, lease: Lease, products: Sequence[GivenValues]) -> None:
        """Save values as measurements that name the run; raises RequestError if the lease was lost."""
        keep_values(self._database, lease, self._run, products)

    def keep(self, lease: Lease, products: Sequence[tuple[int, GivenValues]], done: Collection[int]) -> None:
        """Save values with the numbers of their chunks, and mark chunks as done."""
        keep_leased_values(self._database, lease, self._run, products, done)


CasesShare = UnitsShare[CaseUnit, GivenValues]


class CaseValuesRun(CarriedRun[CaseUnit, tuple[CaseUnit, GivenValues]]):
    """A run that gives values to the cases of a dataset. A case that has values is not worked on again."""

    keeps_as_they_come = True

    def __init__(self, share: CasesShare, prepared: PreparedCaseRun, tools: RunTools) -> None:
        assert isinstance(share.units, CaseUnits)
        self._share, self._units, self._tools = share, share.units, tools
        self.run, self.runner, self.at_once = prepared.run, WorkRunner(), share.at_once
        self._database, self._procedure = prepared.database, prepared.procedure
        self._context = prepared.context
        sampling = self._procedure.sampling(self._context.settings)
        self._roles = role_models(tools.client, self.run.roles, sampling)
        self._values: dict[str, dict[str, JsonValue]] | None = None
        """The values when the last round began; None before the first."""
        self._reasons: dict[str, str] = {}
        """Why cases got no values here, the latest last; some have values of an earlier round."""
        self._made_cases = MadeCases(self.run, self._procedure)

    @property
    def progress(self) -> RunProgress:
        """How far the run is."""
        return _progress(self._units.values, len(self._units.cases), self.run.why)

    async def begin(self) -> None:
        """Write the run as it is now."""
        await asyncio.to_thread(self._share.begin, self._tools.endpoint)
        self._tools.report(self.progress)

    async def begins_round(self) -> bool:
        """Whether the procedure works on more cases; not after a round that gave no values."""
        before = self._values
        if before is not None:
            await asyncio.to_thread(self._share.begin_round)
        self._values = {case: dict(values) for case, values in self._units.values.items()}
        return self._values != before and bool(self._units.wanted)

    async def next_unit(self, keep: Keep) -> CaseUnit | None:
        """The next case; None if nothing is left. It may wait for other processes."""
        return await self._share.next_unit((), keep)

    def ended(self, unit: CaseUnit) -> None:
        """Nothing is under way for a case any more."""
        self._share.ended(unit)

    def renewed(self) -> AbstractAsyncContextManager[None]:
        """Renew the lock or the lease during the block."""
        return self._share.renewed(self._tools.client)

    def requester(self, unit: CaseUnit) -> Requester:
        """The models of the roles."""
        return Requester(self._roles)

    def work(self, unit: CaseUnit) -> Work[tuple[CaseUnit, GivenValues]]:
        """The values of a case, or the reason of a request about it that has no answer."""
        digest = unit.case.digest
        before = self._units.values.get(digest, {})
        asked = yield from traced(self._procedure.work(unit.case, before, self._context))
        if asked.error and not isinstance(asked.error, OF_ONE_REQUEST):
            raise asked.error
        product = asked.result or {}
        made = product.made if isinstance(product, MadeCase) else None
        values = plain_json(dict(product.values if isinstance(product, MadeCase) else product))
        why = str(asked.error) if asked.error else "" if values else "no reply was usable"
        batch = self._made_cases.batch(made, unit.case) if made else None
        return unit, GivenValues(digest, values, why, asked.calls, batch)

    async def keep(self, products: Sequence[tuple[CaseUnit, GivenValues]], last: bool) -> None:
        """Write the values of cases as measurements that name the run."""
        await asyncio.to_thread(self._share.keep, products)
        for _, product in products:
            if product.values:
                self._units.values.setdefault(product.case, {}).update(product.values)
            if product.why:
                self._reasons.pop(product.case, None)
                self._reasons[product.case] = product.why
        self._tools.report(self.progress)

    async def end(self) -> None:
        """Write that the run is finished, and which cases have no values."""
        missing = len(self._units.cases) - len(self._units.values)
        reasons = [why for case, why in self._reasons.items() if case not in self._units.values]
        reason = f", the last because {reasons[-1]}" if reasons else ""
        why = f"{counted(missing, 'case')} without a value{reason}" if missing else ""
        self.run = await asyncio.to_thread(end_run, self._database, self.run.name, why)


def values_by_case(database: Database, run: Run) -> dict[str, dict[str, JsonValue]]:
    """The values that a run has given to its cases, by case and name."""
    values: dict[str, dict[str, JsonValue]] = {}
    with database.read() as session:
        for measured in get_measurements(session, run.seeds[CASES]).values():
            for value in measured:
                if value.engine == run.engine:
                    values.setdefault(value.case, {})[value.name] = value.value
    return values


def texts_in_values(database: Database, run: Run) -> Iterator[str]:
    """Where to read the values that are texts, a sentence each; the table of progress has none of them."""
    with database.read() as session:
        places = list_places(session, Filter(datasets=(str(run.material[DATASET]),)))
    values, first, number = values_by_case(database, run), dict[str, str](), Counter[str]()
    for place, case in places:
        for name, value in values.pop(case.digest, {}).items():
            if isinstance(value, str):
                first.setdefault(name, f"{place.dataset}:{place.key}")
                number[name] += 1
    for name, case_name in first.items():
        cases = counted(number[name], "case")
        yield f"{name} is a text, of {cases}; `reviewer show {shlex.quote(case_name)}` prints the first."


def kept_values(database: Database, run: Run) -> RunProgress:
    """How far a run is, according to the store."""
    return _progress(values_by_case(database, run), len(run.seeds[CASES]), run.why)


def _progress(values: Mapping[str, Mapping[str, JsonValue]], planned: int, why: str) -> RunProgress:
    """How many cases have values, with one row for each value: their number, mean and bounds."""
    by_name: dict[str, list[JsonValue]] = {}
    for of_case in values.values():
        for name, value in of_case.items():
            by_name.setdefault(name, []).append(value)
    columns = ("value", "cases", "mean", "least", "greatest")
    rows = [(name, len(some), *_bounds(some)) for name, some in sorted(by_name.items())]
    done = len(values)
    return RunProgress(
        f"{done:,} of {counted(planned, 'case')}.",
        done,
        planned - done,
        Table.of(columns, rows),
        (PartProgress("cases", done, planned),),
        ended=why,
    )


def _bounds(values: Sequence[JsonValue]) -> tuple[float | None, float | None, float | None]:
    numbers = [value for value in values if isinstance(value, int | float)]
    return (all_digits(fmean(numbers)), min(numbers), max(numbers)) if numbers else (None, None, None)
