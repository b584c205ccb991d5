"""What models decide on cases in several runs, and how they agree with themselves, each other, and logic."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from statistics import fmean

from reviewer.core.errors import RequestError
from reviewer.core.table import Cell, Table
from reviewer.core.work_progress import NamedProgress
from reviewer.llm.client import ModelClient
from reviewer.llm.request_errors import OF_ONE_REQUEST
from reviewer.oracle.program_runner import ProgramRunner
from reviewer.protocols.base import Protocol
from reviewer.protocols.evaluation import Condition, EvaluationPlan, NotAsked
from reviewer.protocols.logic import ModelDecision
from reviewer.protocols.procedure import Prompts
from reviewer.protocols.registry import Protocols
from reviewer.runs.check.case_rules import programs_of
from reviewer.runs.engine.work_runner import Requester, RoleModel, WorkRunner, all_of
from reviewer.runs.run_setup import read_prompts
from store.records import Case

RUNS = 5
ENOUGH = 0.8
"""The least share of agreeing runs that the paper asks of its seeds."""
ITSELF, LOGIC = "itself", "logic"

RunDecisions = tuple[str | None, ...]
"""One decision for each run; None if the reply names none."""


@dataclass(frozen=True, slots=True)
class ModelDecisions:
    """Each model's decision on each case (by digest), and that of logic (None: no decision)."""

    by_model: Mapping[str, Mapping[str, RunDecisions]]
    logic: Mapping[str, str | None]


async def ask_decisions(
    protocols: Protocols,
    client: ModelClient,
    cases: Sequence[Case],
    models: Sequence[str],
    progress: NamedProgress | None = None,
) -> dict[str, dict[str, RunDecisions]]:
    """Every model's decisions on every case; passes on errors of the client that stop further requests.

    Raises RequestError for cases of a protocol that has no decisions.
    """
    done = 0
    deciding = {name: _Deciding.of(protocols.named(name)) for name in {case.protocol for case in cases}}

    async def decide(model: str, case: Case, run: int) -> str | None:
        nonlocal done
        decided = await deciding[case.protocol].decision(client, model, case, run)
        done += 1
        if progress:
            progress("Asking", done, len(models) * len(cases) * RUNS)
        return decided

    places = list(product(models, cases, range(RUNS)))
    decisions = iter(await all_of([decide(*place) for place in places]))
    return {
        model: {case.digest: tuple(next(decisions) for _ in range(RUNS)) for case in cases}
        for model in models
    }


@dataclass(frozen=True, slots=True)
class _Deciding:
    """An evaluation of one condition, in which the repeats of a request are sent alike."""

    plan: EvaluationPlan
    condition: Condition
    prompts: Prompts

    @classmethod
    def of(cls, protocol: Protocol) -> "_Deciding":
        plan, deciding = protocol.offered(EvaluationPlan), _model_decision(protocol)
        if plan is None or deciding is None:
            raise RequestError(f"no program decides the cases of protocol {protocol.name!r} as models do.")
        return cls(plan, deciding.condition, read_prompts(plan.prompts))

    async def decision(self, client: ModelClient, model: str, case: Case, run: int) -> str | None:
        """The label of one run; None if the case was not asked, or the reply was missing or unreadable."""
        work = self.plan.answering(self.prompts, case, self.condition)
        if isinstance(work, NotAsked):
            return None
        role = RoleModel(client, model, replace(self.plan.sampling, repeats_by="none"))
        try:
            answered = await WorkRunner().run(work, Requester({"": role}, run))
        except OF_ONE_REQUEST:
            return None
        return answered.read.label


def logic_decides(
    protocols: Protocols, cases: Sequence[Case], runner: ProgramRunner
) -> dict[str, str | None]:
    """The label for the decision of the first version's program of each case; None without a program or a
    decision.
    """
    found = ((case, programs_of(protocols.named(case.protocol), case)) for case in cases)
    programs = {case.digest: some[0] for case, some in found if some}
    ran = runner.run((digest, [program]) for digest, program in programs.items())
    chosen = {job.about: job.result[0].choice for job in ran if job.result}
    return {case.digest: _label(protocols.named(case.protocol), chosen.get(case.digest)) for case in cases}


def _label(protocol: Protocol, choice: str | None) -> str | None:
    deciding = _model_decision(protocol)
    return deciding.label_of(choice) if deciding and choice is not None else choice


def _model_decision(protocol: Protocol) -> ModelDecision | None:
    logic = protocol.logic()
    return logic.model_decision() if logic else None


def decision_table(decisions: ModelDecisions) -> Table:
    """One row for each model with itself, with logic, and with each other model.

    ``agreement`` is a mean over cases: with itself, the share of runs that made the most frequent decision;
    with logic, the share of runs that decide as logic does; with another model, the share of pairs of runs
    that decide the same. ``cases at 80%`` is the share of cases where that is at least .8.
    """
    models, logic = decisions.by_model, decisions.logic
    rows: list[tuple[Cell, ...]] = []
    for model, found in models.items():
        rows.append(_row(model, ITSELF, [_most_frequent(decided) for decided in found.values()]))
        known = [(found[digest], option) for digest, option in logic.items() if option is not None]
        rows.append(_row(model, LOGIC, [decided.count(option) / len(decided) for decided, option in known]))
    for first, second in combinations(models, 2):
        pairs = [(models[first][digest], models[second][digest]) for digest in logic]
        rows.append(_row(first, second, [_alike(*pair) for pair in pairs]))
    return Table.of(("model", "with", "cases", "agreement", "cases at 80%"), rows)


def _row(model: str, other: str, shares: Sequence[float]) -> tuple[Cell, ...]:
    if not shares:
        return model, other, 0, None, None
    return model, other, len(shares), fmean(shares), fmean(share >= ENOUGH for share in shares)


def _most_frequent(decided: RunDecisions) -> float:
    counts = Counter(decision for decision in decided if decision is not None)
    return max(counts.values(), default=0) / len(decided)


def _alike(first: RunDecisions, second: RunDecisions) -> float:
    return fmean(one == other and one is not None for one, other in product(first, second))
