"""The part of ``reviewer repair`` that asks a model: its proposals listed, and one of them accepted."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reviewer.cli.carry_on import carry_on
from reviewer.cli.printing import Advance, note, print_table
from reviewer.core.check_result import SEVERITIES
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, one_line
from reviewer.core.table import Cell, Table
from reviewer.llm.request import ModelRequest
from reviewer.options.model_options import ModelOptions
from reviewer.options.shared import Format
from reviewer.protocols.base import Protocol
from reviewer.runs.audit.reader_reports import REPORTED
from reviewer.runs.repair.proposals import (
    OfferedProposal,
    ProposalSource,
    RefusedProposal,
    ask_proposals,
    proposal_prompts,
    proposal_request,
    tried_proposals,
)
from reviewer.runs.repair.rule_repair import (
    PlaceTrial,
    changed_texts_table,
    checks_words,
    decisions_words,
    places_to_repair,
)
from reviewer.runs.repair.trial import ContentRun, repairs_of_protocol, run_stored
from store.calls import StoredCalls
from store.database import Database
from store.findings import PlacedFinding, failed_findings
from store.revisions import PlaceNow

if TYPE_CHECKING:
    from reviewer.llm.client import ModelClient

_COLUMNS = ("key", "check", "number", "state", "decides", "settled", "gone", "new", "why")


@dataclass(frozen=True, slots=True)
class CaseProposals:
    """A place, the finding that a model was asked about, and each proposal, offered or refused."""

    now: PlaceNow
    placed: PlacedFinding
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


def worst_findings(
    database: Database, dataset: str, keys: Sequence[str], checks: Sequence[str]
) -> list[tuple[PlaceNow, PlacedFinding]]:
    """The places with a standing finding, each with its worst one; raises RequestError if there are none."""
    places = places_to_repair(database, dataset, keys)
    with database.read() as session:
        failed = failed_findings(session, dataset, checks)
    standing = [placed for placed in failed if placed.finding.check != REPORTED]
    standing.sort(key=lambda placed: SEVERITIES.index(placed.finding.severity), reverse=True)
    worst = {placed.place.key: placed for placed in standing}
    targets = [(now, worst[now.place.key]) for now in places if now.place.key in worst and now.case.is_whole]
    if not targets:
        raise RequestError(
            f"no finding of a check stands there; run `reviewer audit {dataset}` to see what does."
        )
    return targets


def propose_repairs(
    database: Database,
    protocol: Protocol,
    dataset: str,
    wanted: Sequence[tuple[PlaceNow, PlacedFinding]],
    model: str,
    models: ModelOptions,
    progress: Advance | None,
) -> list[CaseProposals]:
    """Ask a model about each finding, and run every proposal. No answered request is sent again."""
    prompts = proposal_prompts(repairs_of_protocol(protocol))
    stored = [run_stored(database, protocol, now.case) for now, _ in wanted]
    requests = [
        proposal_request(protocol, prompts, dataset, run, placed.finding)
        for run, (_, placed) in zip(stored, wanted, strict=True)
    ]

    def work(client: "ModelClient") -> Awaitable[list[str | RefusedProposal]]:
        return ask_proposals(client, model, requests, progress or (lambda title, done, total: None))

    replies = carry_on(database, models, work, "The same command resumes.")
    tried = []
    for done, ((now, placed), run, reply) in enumerate(zip(wanted, stored, replies, strict=True), start=1):
        tried.append(CaseProposals(now, placed, tried_proposals(protocol, run, reply)))
        if progress:
            progress("Running proposals", done, len(wanted))
    return tried


def proposal_source(model: str, models: ModelOptions) -> ProposalSource:
    """The model as the app asks it: one request at a time, and all of them within the budget."""
    spent = 0.0

    def ask(database: Database, request: ModelRequest) -> str | RefusedProposal:
        nonlocal spent
        limit = None if models.replay else models.settings().limits.budget
        left = models if limit is None else models.changed(budget=max(0.0, limit - spent))
        reply, cost = asyncio.run(_ask_one(database, left, model, request))
        spent += cost
        return reply

    return ProposalSource(model, ask)


async def _ask_one(
    database: Database, models: ModelOptions, model: str, request: ModelRequest
) -> tuple[str | RefusedProposal, float]:
    async with models.client(StoredCalls(database)) as client:
        (reply,) = await ask_proposals(client, model, [request])
        return reply, client.spent.cost


def show_requests(
    protocol: Protocol,
    dataset: str,
    wanted: Sequence[tuple[PlaceNow, PlacedFinding]],
    model: str,
) -> None:
    """Print the first request, and how many there would be; nothing is sent."""
    prompts = proposal_prompts(repairs_of_protocol(protocol))
    now, placed = wanted[0]
    run = ContentRun(now.case, (placed.finding,))
    for message in proposal_request(protocol, prompts, dataset, run, placed.finding).messages:
        note(f"── {message.role} ──\n{message.content}\n")
    note(f"Dry run: {counted(len(wanted), 'request')} would be sent to {one_line(model)}; nothing was.")


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
    place = (case.now.place.key, case.placed.finding.check)
    return [
        (*place, number, "offered", *_offered(case, each))
        if isinstance(each, OfferedProposal)
        else (*place, number, each.refusal, None, None, None, None, one_line(each.why, 300))
        for number, each in enumerate(case.found, start=1)
    ]


def _offered(case: CaseProposals, offered: OfferedProposal) -> tuple[Cell, ...]:
    trial = offered.trial
    results = (decisions_words(trial.after), offered.settles(case.placed.finding))
    return (*results, checks_words(trial.gone), checks_words(trial.new), one_line(offered.proposal.why, 300))
