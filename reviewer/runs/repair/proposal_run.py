"""Runs that ask a model for repairs: each place of a dataset is asked about with its worst standing finding.

The sample and its findings are frozen, and a reply is an outcome, kept as it came. A place whose content or
finding has changed since is added to the sample. A finding that no longer stands is not asked about.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple, Self

from reviewer.core.check_result import SEVERITIES
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_model
from reviewer.core.sanitize import one_line
from reviewer.core.table import Cell, Table
from reviewer.llm.client import ModelClient
from reviewer.llm.request_errors import OF_ONE_REQUEST
from reviewer.protocols.base import Protocol
from reviewer.protocols.evaluation import Answered, Condition, EvaluationPlan, LabelRead, NotAsked
from reviewer.protocols.procedure import Prompts, Sampling
from reviewer.protocols.registry import protocols_of
from reviewer.protocols.repairs import PROPOSED
from reviewer.protocols.work import Work
from reviewer.runs.audit.check_texts import check_order
from reviewer.runs.audit.reader_reports import REPORTED
from reviewer.runs.engine.work_runner import Requester, WorkRunner, role_models
from reviewer.runs.evaluation.evaluation_settings import DrawnSample
from reviewer.runs.evaluation.evaluation_setup import (
    EvaluationRequest,
    NewOutcomes,
    PreparedEvaluation,
    begun_outcomes,
    check_new_outcomes,
    resumed_outcomes,
)
from reviewer.runs.repair.proposals import (
    TOLD_BY_REPLY,
    Proposal,
    RefusedProposal,
    prompts_for_proposals,
    proposal_request,
    read_proposals,
)
from reviewer.runs.repair.rule_repair import places_to_repair, repairs_of
from reviewer.runs.repair.trial import repairs_of_protocol
from reviewer.runs.run_setup import read_prompts
from store.cases import find_dataset
from store.database import Database
from store.evaluations import AUTHOR, Evaluations
from store.findings import failed_findings
from store.records import REPAIR, Case, Finding, JsonValue, Outcome, Run, SampledCase, digest_of
from store.revisions import PlaceNow, histories
from store.runs import find_run

_NONE_PROPOSED = "no proposal"
"""The label of replies that propose nothing."""
_ENDING, _LONGEST = "-repairs", 64
_FINDINGS = "findings"


class RepairTarget(NamedTuple):
    """A place as it is now, and the finding of its content that a model is asked to settle."""

    now: PlaceNow
    finding: Finding

    @property
    def unit(self) -> str:
        """What identifies it in a run: the place, and its finding, which names the content."""
        return _unit(self.now.place.key, self.finding)


def _unit(key: str, finding: Finding) -> str:
    return digest_of([key, finding.model_dump(mode="json")])


class RepairPlan(EvaluationPlan):
    """Asks a model for repairs that settle the finding of a place of the sample."""

    factors = ()
    measures = ()
    sampling = Sampling(temperature=0.2)
    answer_tokens = 1_000

    def __init__(self, protocol: Protocol, findings: Sequence[Finding | None] = (), place: int = 0) -> None:
        """``findings`` are those of the places of the sample, in order; None where it no longer stands.

        Replies can be read without them. Raises RequestError if models are not asked about these cases.
        """
        self._protocol, self._findings, self._place = protocol, findings, place
        self.prompts = prompts_for_proposals(protocol)

    def at(self, place: int) -> Self:
        """The plan that asks about the finding of this place."""
        return type(self)(self._protocol, self._findings, place)

    def facts(self, case: Case, values: Mapping[str, JsonValue]) -> Hashable:
        """Nothing is measured."""
        return None

    def labels(self, case: Case) -> tuple[str, ...]:
        """Whether a reply has proposals that can be tried, or else why the first one cannot."""
        return (PROPOSED, _NONE_PROPOSED, *TOLD_BY_REPLY)

    def answering(self, prompts: Prompts, case: Case, condition: Condition) -> Work[Answered] | NotAsked:
        """The request about the finding of the place."""
        finding = self._findings[self._place]
        if finding is None:
            return NotAsked("Its finding no longer stands.")
        return self.answer_to(proposal_request(self._protocol, prompts, case, finding), case, condition)

    def read(self, case: Case, condition: Condition, reply: str) -> LabelRead:
        """Whether there are proposals to try; ``why`` is about the first one if none is."""
        found = read_proposals(reply, _keys(self._protocol, case))
        refused = [each for each in found if isinstance(each, RefusedProposal)]
        if len(refused) < len(found):
            return LabelRead(PROPOSED)
        return LabelRead(refused[0].refusal, refused[0].why) if refused else LabelRead(_NONE_PROPOSED)


def _keys(protocol: Protocol, case: Case) -> list[str]:
    return [pane.key for pane in repairs_of_protocol(protocol).editor_panes(case)]


# -- which places are asked about -------------------------------------------------------------------


def worst_findings(
    database: Database, dataset: str, keys: Sequence[str] = (), checks: Sequence[str] = ()
) -> list[RepairTarget]:
    """The places with a standing finding, each with its worst one; raises RequestError if there are none."""
    standing = _standing(database, dataset, checks)
    standing.sort(key=lambda placed: SEVERITIES.index(placed[1].severity), reverse=True)
    worst = dict(standing)
    targets = [
        RepairTarget(now, worst[now.place.key])
        for now in places_to_repair(database, dataset, keys)
        if now.place.key in worst and now.case.is_whole
    ]
    if not targets:
        raise RequestError(
            f"no finding of a check stands there; run `reviewer audit {dataset}` to see what does."
        )
    return targets


def _standing(database: Database, dataset: str, checks: Sequence[str] = ()) -> list[tuple[str, Finding]]:
    """The standing findings of a dataset, each with the key of its place."""
    with database.read() as session:
        failed = failed_findings(session, dataset, checks)
    return [(placed.place.key, placed.finding) for placed in failed if placed.finding.check != REPORTED]


def targets_of(
    database: Database, run: Run, keys: Sequence[str] = (), checks: Sequence[str] = ()
) -> list[RepairTarget]:
    """The places of a run whose findings still stand; raises RequestError if none do."""
    units = _units(run, Evaluations(database).sample(run.name), _frozen(run))
    standing = [
        (key, finding)
        for key, finding in _standing(database, dataset_of(run), checks)
        if _unit(key, finding) in units
    ]
    places = {now.place.key: now for now in places_to_repair(database, dataset_of(run), keys)}
    targets = [RepairTarget(places[key], finding) for key, finding in standing if key in places]
    if not targets:
        raise RequestError(f"no such finding that run {run.name!r} asks about still stands.")
    return targets


# -- preparing a run --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RepairRequest:
    """Who asks which model about these places of a dataset; ``fresh`` also about those with a reply."""

    dataset: str
    model: str
    author: str
    targets: Sequence[RepairTarget]
    fresh: bool = False


def prepared_repairs(database: Database, request: RepairRequest) -> PreparedEvaluation:
    """The run of this dataset and model, which asks about these places; nothing is written yet.

    Raises RequestError if models are not asked about these cases.
    """
    runs = Evaluations(database).proposals(request.dataset)
    stored = next((run for run in runs if run.model == request.model), None)
    if stored is not None:
        return _resumed(database, stored, request.targets, fresh=request.fresh)
    protocol, _ = repairs_of(database, request.dataset)
    plan = RepairPlan(protocol, [target.finding for target in request.targets])
    asked = EvaluationRequest(_free_name(database, request.dataset), (request.model,))
    check_new_outcomes(database, asked)
    drawn = DrawnSample(
        protocol.reference,
        [(target.now.place, target.now.case) for target in request.targets],
        (request.dataset,),
    )
    material: dict[str, JsonValue] = {
        "dataset": request.dataset,
        _FINDINGS: [target.finding.model_dump(mode="json") for target in request.targets],
    }
    new = NewOutcomes(REPAIR, protocol.reference, plan, request.author, material)
    return begun_outcomes(database, asked, drawn, new)


def stored_repairs(database: Database, run: Run, models: Sequence[str] = ()) -> PreparedEvaluation:
    """The run as it was left; raises RequestError if other ``models`` are named than the one it asks."""
    if others := [model for model in models if model != run.model]:
        raise RequestError(
            f"run {run.name!r} asks {one_line(run.model)!r}; to ask {one_line(others[0])!r}, call `reviewer "
            f"repair {dataset_of(run)} --propose --model NAME`, which begins another run."
        )
    return _resumed(database, run, targets=None)


def run_of_repairs(database: Database, name: str, dataset: str) -> Run:
    """The run of this name that asks for repairs of a dataset; raises RequestError."""
    known = {run.name: run for run in Evaluations(database).proposals(dataset)}
    if name not in known:
        there = f"there are {', '.join(known)}" if known else "there is none"
        raise RequestError(f"no run {one_line(name)!r} asks for repairs of {dataset!r}; {there}.")
    return known[name]


def dataset_of(run: Run) -> str:
    """The dataset whose cases are repaired."""
    return str(run.material["dataset"])


def _free_name(database: Database, dataset: str) -> str:
    """The name of the dataset with an ending, and a number if that is taken."""
    endings = (f"{_ENDING}-{number}" if number > 1 else _ENDING for number in count(1))
    names = (dataset[: _LONGEST - len(ending)] + ending for ending in endings)
    with database.read() as session:
        return next(name for name in names if not (find_run(session, name) or find_dataset(session, name)))


def _frozen(run: Run) -> list[Finding]:
    """The findings of the sample of a run, in its order."""
    return [Finding.model_validate(finding) for finding in run.material[_FINDINGS]]


def _units(run: Run, sample: Sequence[SampledCase], findings: Sequence[Finding]) -> dict[str, int]:
    """The places of the sample by what identifies them; the newest one of what was asked about again.

    Raises RequestError if another process gave the run cases between two readings.
    """
    if len(sample) != len(findings):
        raise RequestError(
            f"another process has just given run {run.name!r} other cases; call the command again."
        )
    return {
        _unit(sampled.key, finding): sampled.place for sampled, finding in zip(sample, findings, strict=True)
    }


def _resumed(
    database: Database, run: Run, targets: Sequence[RepairTarget] | None, *, fresh: bool = False
) -> PreparedEvaluation:
    """A stored run that asks about these places, also new ones, or about all that it has left (None)."""
    protocol, _ = repairs_of(database, dataset_of(run))
    request = EvaluationRequest(run.name, (run.model,))
    before, findings = resumed_outcomes(database, run, RepairPlan(protocol), request), _frozen(run)
    states = _states(database, run)
    left = {sampled.place for sampled in before.sample if states.get(sampled.place, "missing") == "missing"}
    units = _units(run, before.sample, findings)
    usable = {unit: place for unit, place in units.items() if states.get(place) != "not_asked"}
    standing = {_unit(*placed) for placed in _standing(database, dataset_of(run))}
    standing |= {target.unit for target in targets or ()}
    gone = left - {place for unit, place in usable.items() if unit in standing}
    added = [
        target
        for target in targets or ()
        if target.unit not in usable or (fresh and usable[target.unit] not in left)
    ]
    findings += [target.finding for target in added]
    wanted = left
    if targets is not None:
        known = {usable.get(target.unit) for target in targets}
        wanted = (left & known) | gone | {*range(len(before.sample), len(findings))}
    plan = RepairPlan(protocol, [None if place in gone else each for place, each in enumerate(findings)])
    return _with_places(replace(before, plan=plan, wanted=frozenset(wanted)), findings, added)


def _with_places(
    prepared: PreparedEvaluation, findings: Sequence[Finding], added: Sequence[RepairTarget]
) -> PreparedEvaluation:
    """The run with more places in its sample, and with the findings of all."""
    run, frozen = prepared.run, [finding.model_dump(mode="json") for finding in findings]
    new = [
        _sampled(run.name, place, target.now)
        for place, target in enumerate(added, start=len(prepared.sample))
    ]
    return replace(
        prepared,
        run=run.model_copy(update={"material": {**run.material, _FINDINGS: frozen}}),
        sample=(*prepared.sample, *new),
        cases={**prepared.cases, **{target.now.case.digest: target.now.case for target in added}},
        added=len(added),
    )


def _states(database: Database, run: Run) -> dict[int, str]:
    """The states of the outcomes of a run by the place of their case."""
    return {place: state for _, place, _, _, state, _ in Evaluations(database).coded(run.name)}


def _sampled(run: str, place: int, now: PlaceNow) -> SampledCase:
    at = now.place
    return SampledCase(
        run=run, place=place, dataset=at.dataset, key=at.key, digest=now.case.digest, generator=at.generator
    )


async def ask_once(
    client: ModelClient, database: Database, model: str, case: Case, finding: Finding
) -> str | RefusedProposal:
    """The reply of a model about a content that is not stored, outside any run, or why there is none.

    Passes on errors that stop further requests.
    """
    plan = RepairPlan(protocols_of(database).named(case.protocol), [finding])
    work = plan.answering(read_prompts(plan.prompts), case, Condition(()))
    assert not isinstance(work, NotAsked)
    roles = role_models(client, {AUTHOR: checked_model(model)}, {AUTHOR: plan.sampling})
    try:
        return (await WorkRunner().run(work, Requester(roles))).reply
    except OF_ONE_REQUEST as error:
        return RefusedProposal("no reply", str(error))


# -- what was answered ------------------------------------------------------------------------------


def kept_replies(
    database: Database, name: str, targets: Sequence[RepairTarget]
) -> list[str | RefusedProposal]:
    """The newest reply of a run about each of these places, or why there is none."""
    evaluations = Evaluations(database)
    run = evaluations.with_outcomes(name)
    places = _units(run, evaluations.sample(name), _frozen(run))
    outcomes = {outcome.case: outcome for outcome in evaluations.outcomes(name)}
    return [_reply(outcomes.get(places.get(target.unit, -1))) for target in targets]


def _reply(outcome: Outcome | None) -> str | RefusedProposal:
    if outcome is None:
        return RefusedProposal("no reply", "The model has not been asked yet.")
    return outcome.reply if outcome.state == "read" else RefusedProposal("no reply", outcome.why)


def proposal_counts(database: Database, dataset: str) -> Table:
    """One row for each check that a model was asked about: requests, proposals, refusals, accepted cases.

    Proposals are counted as the kept replies hold them. A repair that settles several checks is counted for
    each of them.
    """
    protocol, _ = repairs_of(database, dataset)
    read = [
        (check, read_proposals(outcome.reply, _keys(protocol, case)))
        for check, case, outcome in _answered(database, dataset)
    ]
    with database.read() as session:
        steps = [step for history in histories(session, [dataset]).values() for step in history.revisions]
    accepted: dict[str, list[str]] = {}
    for step in steps:
        for check in {str(finding["check"]) for finding in step.resolves if step.proposed_by == "model"}:
            accepted.setdefault(check, []).append(step.key)
    checks = sorted({*accepted, *(check for check, _ in read)}, key=check_order)
    columns = ("check", "requests", "proposals", *TOLD_BY_REPLY, "accepted", "accepted_cases")
    return Table.of(columns, [_counts(check, read, accepted.get(check, [])) for check in checks])


def _answered(database: Database, dataset: str) -> Iterator[tuple[str, Case, Outcome]]:
    """Every reply about a case of a dataset, with the check that it is about and the case."""
    evaluations = Evaluations(database)
    for run in evaluations.proposals(dataset):
        findings, cases = _frozen(run), evaluations.cases(run.name)
        for outcome in evaluations.outcomes(run.name, state="read"):
            finding = findings[outcome.case]
            yield finding.check, cases[finding.case], outcome


def _counts(
    check: str,
    read: Sequence[tuple[str, Sequence[Proposal | RefusedProposal]]],
    accepted: Sequence[str],
) -> tuple[Cell, ...]:
    replies = [found for name, found in read if name == check]
    every = [each for found in replies for each in found]
    refusals = Counter(each.refusal for each in every if isinstance(each, RefusedProposal))
    told = (refusals[name] for name in TOLD_BY_REPLY)
    return check, len(replies), len(every), *told, len(accepted), ", ".join(accepted) or None
