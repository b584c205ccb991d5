"""The part of ``reviewer repair`` that asks a model: its proposals listed, and one of them accepted."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from reviewer.cli.carry_on import run_to_end
from reviewer.cli.printing import Advance, note, print_table
from reviewer.core.errors import RequestError, Unfinished
from reviewer.core.sanitize import counted, one_line
from reviewer.core.table import Cell, Table
from reviewer.llm.model_settings import CallLimits
from reviewer.options.checks import RepairOptions
from reviewer.options.model_options import ModelOptions
from reviewer.options.shared import Format
from reviewer.protocols.base import Protocol
from reviewer.runs.engine.run_loop import carry_to_end
from reviewer.runs.engine.work_runner import RunTools
from reviewer.runs.evaluation.evaluation_setup import PreparedEvaluation
from reviewer.runs.repair.proposal_run import (
    RepairRequest,
    RepairTarget,
    ask_once,
    kept_replies,
    prepared_repairs,
    run_of_repairs,
    stored_repairs,
    targets_of,
    worst_findings,
)
from reviewer.runs.repair.proposals import (
    OfferedProposal,
    ProposalSource,
    RefusedProposal,
    tried_proposals,
)
from reviewer.runs.repair.rule_repair import PlaceTrial, changed_texts_table, checks_words, decisions_words
from reviewer.runs.repair.trial import run_stored
from store.calls import StoredCalls
from store.database import Database
from store.records import Case, Finding
from store.revisions import PlaceNow

_COLUMNS = ("key", "check", "number", "state", "decides", "settled", "gone", "new", "why")


@dataclass(frozen=True, slots=True)
class CaseProposals:
    """A place, the finding that a model was asked about, and each proposal, offered or refused."""

    now: PlaceNow
    finding: Finding
    found: tuple[OfferedProposal | RefusedProposal, ...]

    def accepted(self, number: int) -> PlaceTrial:
        """The proposal of this number as a trial to save; raises RequestError if it is not offered."""
        offered = {
            proposal.number: proposal for proposal in self.found if isinstance(proposal, OfferedProposal)
        }
        if number not in offered:
            known = ", ".join(map(str, offered)) or "none"
            raise RequestError(f"proposal {number} of this case is not offered; offered: {known}.")
        return PlaceTrial(self.now, offered[number].trial)


@dataclass(frozen=True, slots=True)
class AskedRepairs:
    """What a model was asked, and what it replied; ``missing`` says why there are requests to repeat."""

    targets: Sequence[RepairTarget]
    replies: Sequence[str | RefusedProposal]
    missing: str = ""

    def check_complete(self) -> None:
        """Raise Unfinished if a reply is missing."""
        if self.missing:
            raise Unfinished(self.missing)


def ask_for_repairs(database: Database, options: RepairOptions) -> AskedRepairs | None:
    """Ask a model about findings, in a run; a dry run prints the estimate and returns None.

    No answered request is sent again.
    """
    if options.run:
        run = run_of_repairs(database, options.run, options.dataset)
        targets, prepared = (
            targets_of(database, run, options.keys, options.checks),
            stored_repairs(database, run),
        )
    else:
        targets = worst_findings(database, options.dataset, options.keys, options.checks)
        fresh = options.models.fresh
        request = RepairRequest(options.dataset, str(options.model), options.who, targets, fresh)
        prepared = prepared_repairs(database, request)
    progress = run_to_end(prepared, options)
    if progress is None:
        return None
    replies = kept_replies(database, prepared.run.name, targets)
    return AskedRepairs(targets, replies, next(iter(progress.failed), ""))


def try_proposals(
    database: Database, protocol: Protocol, asked: AskedRepairs, progress: Advance | None
) -> list[CaseProposals]:
    """Run every proposal of the replies."""
    tried = []
    for done, (target, reply) in enumerate(zip(asked.targets, asked.replies, strict=True), start=1):
        stored = run_stored(database, protocol, target.now.case)
        tried.append(CaseProposals(*target, tried_proposals(protocol, stored, reply)))
        if progress:
            progress("Running proposals", done, len(asked.targets))
    return tried


def proposal_source(model: str, models: ModelOptions, author: str) -> ProposalSource:
    """The model as the app asks it: one request at a time, and all of them within the budget.

    The reply about a stored content is kept in the run of the dataset, as those of the command are.
    """
    spent = 0.0

    def ask(database: Database, now: PlaceNow, case: Case, finding: Finding) -> str | RefusedProposal:
        nonlocal spent
        limit = None if models.replay else models.settings().limits.budget
        left = models if limit is None else models.changed(budget=max(0.0, limit - spent))
        if case.digest != now.case.digest:
            reply, cost = asyncio.run(_ask_once(database, left, model, case, finding))
            spent += cost
            return reply
        target = RepairTarget(now, finding)
        request = RepairRequest(now.place.dataset, model, author, [target], models.fresh)
        prepared = prepared_repairs(database, request)
        if not prepared.is_at_end:
            spent += _carried_on(database, left, prepared)
        (reply,) = kept_replies(database, prepared.run.name, [target])
        return reply

    return ProposalSource(model, ask)


def _carried_on(database: Database, models: ModelOptions, prepared: PreparedEvaluation) -> float:
    """Ask what is wanted of a run; returns the cost. Raises Unfinished if there is no answer."""
    settings = None if models.replay else models.settings()
    endpoint, limits = (settings.endpoint.url, settings.limits) if settings else ("", CallLimits())

    async def carried() -> float:
        async with models.client(StoredCalls(database), shared=share.limits) as client:
            progress = await carry_to_end(prepared.carried(share, RunTools(client, endpoint)))
            if progress.failed:
                raise Unfinished(progress.failed[0])
            return client.spent.cost

    with prepared.share(endpoint, limits) as share:
        return asyncio.run(carried())


async def _ask_once(
    database: Database, models: ModelOptions, model: str, case: Case, finding: Finding
) -> tuple[str | RefusedProposal, float]:
    async with models.client(StoredCalls(database)) as client:
        reply = await ask_once(client, database, model, case, finding)
        return reply, client.spent.cost


def print_proposals(cases: Sequence[CaseProposals], form: Format) -> None:
    """One row for each proposal, offered or refused; if only one case was asked about, its texts too."""
    print_table(Table.of(_COLUMNS, [row for case in cases for row in _rows(case)]), form)
    if len(cases) == 1 and form == "table":
        for each in cases[0].found:
            if isinstance(each, OfferedProposal):
                note(f"Proposal {each.number}:")
                for _, text, before, after in changed_texts_table([cases[0].accepted(each.number)]).rows:
                    note(f"  {text}\n    - {before or ''}\n    + {after or ''}")
    refused = Counter(
        each.refusal for case in cases for each in case.found if isinstance(each, RefusedProposal)
    )
    offered = sum(isinstance(each, OfferedProposal) for case in cases for each in case.found)
    said = "".join(f", {number} {name}" for name, number in refused.most_common())
    note(
        f"{counted(len(cases), 'case')}: {offered} offered{said}. Accept one with --case KEY --accept NUMBER."
    )


def _rows(case: CaseProposals) -> list[tuple[Cell, ...]]:
    place = (case.now.place.key, case.finding.check)
    return [
        (*place, number, "offered", *_offered(case, each))
        if isinstance(each, OfferedProposal)
        else (*place, number, each.refusal, None, None, None, None, one_line(each.why, 300))
        for number, each in enumerate(case.found, start=1)
    ]


def _offered(case: CaseProposals, offered: OfferedProposal) -> tuple[Cell, ...]:
    trial = offered.trial
    results = (decisions_words(trial.after), offered.settles(case.finding))
    return (*results, checks_words(trial.gone), checks_words(trial.new), one_line(offered.proposal.why, 300))
