"""Repairs that a model proposes: asked for, read, and run before a person sees them.

A reply is data. Only texts of the case's own panes are taken from it, and a candidate content goes through
the same trial as one that a person wrote. Nothing is saved here.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import one_line
from reviewer.core.strict_json import fault_in, parse
from reviewer.llm.request import ModelRequest
from reviewer.oracle.result import Status
from reviewer.protocols.base import Protocol
from reviewer.protocols.procedure import PromptPlan, Prompts
from reviewer.protocols.repairs import ContentError, EditorPane, Repairs
from reviewer.runs.audit.check_texts import asks
from reviewer.runs.repair.trial import ContentRun, Trial, repairs_of_protocol, try_content
from store.database import Database
from store.records import Case, Finding
from store.revisions import PlaceNow

MOST_PROPOSALS = 3
_LONGEST_REASON = 1_000
_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL | re.IGNORECASE)

ProposalRefusal = Literal[
    "no reply",
    "not JSON",
    "other form",
    "edits another field",
    "instructs the tool",
    "too many",
    "cannot be read",
    "changes nothing",
    "refused program",
    "no decision",
]
"""Why a proposal is not offered."""
TOLD_BY_REPLY: tuple[ProposalRefusal, ...] = (
    "not JSON",
    "other form",
    "edits another field",
    "instructs the tool",
    "too many",
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """New texts for some editor panes, by key, and the model's reason."""

    why: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RefusedProposal:
    """A proposal that nobody is offered: the class that it is counted under, and a sentence."""

    refusal: ProposalRefusal
    why: str


@dataclass(frozen=True, slots=True)
class OfferedProposal:
    """A proposal with its trial; ``number`` counts from 1 in the order of the reply."""

    number: int
    proposal: Proposal
    trial: Trial

    def settles(self, finding: Finding) -> bool:
        """Whether the finding that the model was asked about is gone."""
        return any(gone.check == finding.check for gone in self.trial.gone)


@dataclass(frozen=True, slots=True)
class ProposalSource:
    """A model that can be asked for repairs: its name, and a function that returns its reply.

    The function is given the place as it is stored, the present content, and a finding of this content.
    """

    model: str
    ask: Callable[[Database, PlaceNow, Case, Finding], str | RefusedProposal]


def prompts_for_proposals(protocol: Protocol) -> PromptPlan:
    """The prompts of a protocol; raises RequestError if models are not asked about its cases."""
    prompts = repairs_of_protocol(protocol).prompts
    if prompts is None:
        raise RequestError("models are not asked for repairs of these cases.")
    return prompts


def proposal_request(protocol: Protocol, prompts: Prompts, case: Case, finding: Finding) -> ModelRequest:
    """Asks for repairs that settle a finding of a content.

    Raises RequestError if the cases of the protocol cannot be repaired.
    """
    group = protocol.group(case.group)
    panes = repairs_of_protocol(protocol).editor_panes(case)
    messages = prompts.fill(
        "repair",
        group=group.name,
        definition=group.definition or "no definition",
        finding=_finding_words(protocol, finding, panes),
        case="\n\n".join(f"## {pane.key} ({pane.title})\n{pane.text}" for pane in panes),
    )
    return ModelRequest(messages, "repair")


def tried_proposals(
    protocol: Protocol, stored: ContentRun, reply: str | RefusedProposal, present: Case | None = None
) -> tuple[OfferedProposal | RefusedProposal, ...]:
    """Every proposal of a reply: run and checked, or refused. Raises OracleMissing.

    ``present`` is the content that the model was asked about, if it is not the stored one.
    """
    if isinstance(reply, RefusedProposal):
        return (reply,)
    repairs = repairs_of_protocol(protocol)
    keys = [pane.key for pane in repairs.editor_panes(stored.case)]
    return tuple(
        read
        if isinstance(read, RefusedProposal)
        else _tried_proposal(protocol, stored, present or stored.case, number, read)
        for number, read in enumerate(read_proposals(reply, keys), start=1)
    )


def read_proposals(reply: str, keys: Sequence[str]) -> tuple[Proposal | RefusedProposal, ...]:
    """The proposals of a reply for texts with these keys; refusals for wrong ones, or for the reply."""
    fenced = _FENCE.match(reply)
    try:
        found = parse(fenced[1] if fenced else reply, "the reply")
    except InputError as error:
        return (RefusedProposal("not JSON", str(error)),)
    if fault := fault_in(found):
        return (RefusedProposal("other form", f"The reply {fault}."),)
    if not isinstance(found, dict) or not isinstance(found.get("proposals"), list):
        return (RefusedProposal("other form", "The reply is not a JSON object with a list of proposals."),)
    if refused := _instruction(found, {"proposals"}):
        return (refused,)
    listed = found["proposals"]
    read = [_read_proposal(each, keys) for each in listed[:MOST_PROPOSALS]]
    too_many = RefusedProposal("too many", f"The reply has more than {MOST_PROPOSALS} proposals.")
    return (*read, *[too_many] * len(listed[MOST_PROPOSALS:]))


def _read_proposal(found: Any, keys: Sequence[str]) -> Proposal | RefusedProposal:
    if not isinstance(found, dict):
        return RefusedProposal("other form", "A proposal is not a JSON object.")
    if refused := _instruction(found, {"why", "texts"}):
        return refused
    why, texts = found.get("why", ""), found.get("texts")
    if not isinstance(why, str) or not isinstance(texts, dict):
        return RefusedProposal("other form", "A proposal lacks its texts.")
    if strangers := [name for name in texts if name not in keys]:
        named = one_line(strangers[0], 60)
        return RefusedProposal(
            "edits another field", f"The proposal edits {named!r}, which cannot be edited."
        )
    if not all(isinstance(text, str) for text in texts.values()):
        return RefusedProposal("other form", "A proposed text is not a string.")
    return Proposal(one_line(why, _LONGEST_REASON), texts)


def _instruction(found: Mapping[str, Any], known: set[str]) -> RefusedProposal | None:
    """A refusal if an object has members that nobody asked for: they would tell the tool what to do."""
    strangers = sorted(set(found) - known)
    if not strangers:
        return None
    return RefusedProposal(
        "instructs the tool", f"The reply holds {one_line(strangers[0], 60)!r}, which was not asked for."
    )


def _tried_proposal(
    protocol: Protocol, stored: ContentRun, present: Case, number: int, proposal: Proposal
) -> OfferedProposal | RefusedProposal:
    candidate = _candidate(repairs_of_protocol(protocol), present, proposal)
    if isinstance(candidate, RefusedProposal):
        return candidate
    trial = try_content(protocol, stored, candidate)
    refused = [run.result for run in trial.after.versions if run.result.status is Status.REFUSED]
    if refused:
        return RefusedProposal("refused program", f"A proposed program was refused: {refused[0].stopped_by}.")
    if trial.after.undecided:
        return RefusedProposal("no decision", " ".join(trial.after.undecided))
    return OfferedProposal(number, proposal, trial)


def _candidate(repairs: Repairs, case: Case, proposal: Proposal) -> Case | RefusedProposal:
    try:
        candidate = repairs.edited(case, proposal.texts)
    except ContentError as error:
        return RefusedProposal("cannot be read", str(error))
    if candidate == case:
        return RefusedProposal("changes nothing", "The proposal changes nothing.")
    return candidate


def _finding_words(protocol: Protocol, finding: Finding, panes: Sequence[EditorPane]) -> str:
    """The check, what it looks for, why it failed, and the places that it is about."""
    titles = {pane.program: pane for pane in panes if pane.program}
    lines = [f"{finding.check}: {asks(protocol, finding.check)}", finding.why]
    for place in finding.places or ():
        pane = titles.get((str(place["variant"]), str(place["part"])))
        if pane:
            passage = one_line(pane.text[int(place["start"]) : int(place["end"])], 200)
            lines.append(f"- {pane.key}, line {place['line']}: {passage}")
    return "\n".join(lines)
