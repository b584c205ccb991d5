"""Background work of the workbench: running, asking, comparing and keeping the newest texts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

from textual.screen import Screen

from reviewer.core.check_result import check_words
from reviewer.core.errors import ReviewerError
from reviewer.oracle.doctor import without_jail
from reviewer.oracle.oracle_errors import OracleError
from reviewer.oracle.query import answer_query
from reviewer.protocols.repairs import ContentError, NotRepaired, RepairRule
from reviewer.runs.audit.check_texts import examination_of
from reviewer.runs.repair.proposals import (
    OfferedProposal,
    ProposalSource,
    RefusedProposal,
    tried_proposals,
)
from reviewer.runs.repair.repair_session import RepairSession
from reviewer.runs.repair.trial import (
    ContentRun,
    TextComparison,
    Trial,
    compare_texts,
    run_stored,
    try_content,
)
from reviewer.similarity.encoder_process import EncoderProcess
from reviewer.tui.in_background import in_background
from reviewer.tui.workbench.trial_lines import QueryAnswers
from store.records import Case, Finding, Proposer

if TYPE_CHECKING:
    from reviewer.tui.screens.workbench import WorkbenchScreen


@dataclass(frozen=True)
class TrialRequest:
    """What is to be run: the texts by pane, and the goal of a query ("" for none)."""

    texts: Mapping[str, str]
    goal: str = ""


@dataclass(frozen=True)
class TriedTexts:
    """What a request gave; ``problem`` says why its texts could not be run, and ``pane`` where that is."""

    request: TrialRequest
    stored: ContentRun | None = None
    trial: Trial | None = None
    milliseconds: int = 0
    answers: QueryAnswers | None = None
    problem: str = ""
    pane: str = ""


@dataclass(frozen=True)
class ProposedContent:
    """A proposed content that was tried; without a trial, ``why`` says why there is none."""

    name: str
    does: str
    trial: Trial | None = None
    why: str = ""


def _settled(candidate: ProposedContent) -> int:
    """How many findings a content settles; -1 if it was not tried, and so cannot be taken over."""
    return len(candidate.trial.gone) if candidate.trial else -1


_Value = TypeVar("_Value")


class NewestOnly(Generic[_Value]):
    """Calls ``work`` in a thread, on one value at a time; a newer value replaces the one that waits."""

    def __init__(self, screen: Screen[None], group: str, work: Callable[[_Value], None]) -> None:
        self._screen, self._group, self._work = screen, group, work
        self._waiting: list[_Value] = []
        self._busy = False
        self._lock = Lock()

    def put(self, value: _Value) -> None:
        """Work on this value next."""
        with self._lock:
            self._waiting = [value]
            if self._busy:
                return
            self._busy = True
        self._screen.run_worker(self._run, thread=True, group=self._group)

    def stop(self) -> None:
        """Forget the value that waits."""
        with self._lock:
            self._waiting = []

    def _run(self) -> None:
        while values := self._taken():
            self._work(values[0])

    def _taken(self) -> list[_Value]:
        with self._lock:
            values, self._waiting = self._waiting, []
            self._busy = bool(values)
            return values


class WorkbenchWork:
    """Works in threads, and tells its screen what came of it."""

    def __init__(
        self, screen: "WorkbenchScreen", session: RepairSession, audited: Callable[[], object]
    ) -> None:
        self._screen, self._session, self._audited = screen, session, audited
        self._stored: Case = session.stored
        self._stored_run: ContentRun | None = None
        self._stored_texts: TextComparison | None = None
        self._encoder = EncoderProcess()
        self.trials = NewestOnly[TrialRequest](screen, "trial", self._try)
        """Runs the newest texts."""
        self.comparisons = NewestOnly[Case](screen, "similarity", self._compare)
        """Measures the similarities of the newest content."""
        self.drafts = NewestOnly[Mapping[str, str]](screen, "draft", self._keep)
        """Keeps the newest texts as the draft."""

    def try_rules(self, run: ContentRun) -> None:
        """Try every rule of the protocol on a content, and offer what they make."""
        self._offer("rules", partial(self._by_rules, run), "repairs by rule", "rule")

    def ask_model(self, source: ProposalSource, run: ContentRun, finding: Finding) -> None:
        """Ask a model for repairs of a finding of a content, try them, and offer them."""
        title = f"repairs that {source.model} proposes for {check_words(finding.check)}"
        self._offer("proposals", partial(self._proposals, source, run, finding), title, "model")

    def _offer(
        self, group: str, work: Callable[[], list[ProposedContent]], title: str, proposer: Proposer
    ) -> None:
        """Offer contents once they were tried; those that settle most findings come first."""

        def offer(tried: list[ProposedContent]) -> None:
            self._screen.offer(title, sorted(tried, key=_settled, reverse=True), proposer)

        in_background(self._screen, group, work, offer, self._screen.complain)

    def audit_saved(self) -> None:
        """Audit the content that was just saved, so that lists of findings know it.

        The app's work, not the screen's: what waits for a thread is dropped with its screen.
        """
        self._screen.app.run_worker(self._audit, thread=True, group="audit")

    def close(self) -> None:
        """Take no more work, and end the sentence model."""
        for newest in (self.trials, self.comparisons, self.drafts):
            newest.stop()
        self._encoder.close()

    # -- in threads --------------------------------------------------------------------------------

    def _try(self, request: TrialRequest) -> None:
        began = perf_counter()
        trial, answers = None, None
        problem = pane = ""
        try:
            stored = self._run_of_stored()
            began = perf_counter()
            candidate = self._session.repairs.edited(stored.case, request.texts)
            trial = try_content(self._session.protocol, stored, candidate)
            answers = self._asked(candidate, request.goal)
        except ContentError as error:
            problem, pane = str(error), error.pane
        except ReviewerError as error:
            problem = str(error)
        milliseconds = round(1000 * (perf_counter() - began))
        tried = TriedTexts(request, self._stored_run, trial, milliseconds, answers, problem, pane)
        self._screen.call_later(self._screen.show_tried, tried)

    def _run_of_stored(self) -> ContentRun:
        """The stored content as it was run; raises OracleError where programs cannot be confined."""
        if warning := without_jail():
            raise OracleError(warning)
        session = self._session
        if self._stored_run is None or self._stored_run.case.digest != session.stored.digest:
            self._stored_run = run_stored(session.database, session.protocol, session.stored)
        return self._stored_run

    def _asked(self, candidate: Case, goal: str) -> QueryAnswers | None:
        run = examination_of(self._session.protocol, candidate) if goal else None
        if run is None:
            return None
        versions = zip(run.names, (run.first, run.second), strict=True)
        return QueryAnswers(goal, {variant: answer_query(program, goal) for variant, program in versions})

    def _by_rules(self, run: ContentRun) -> list[ProposedContent]:
        return [self._by_rule(rule, run) for rule in self._session.repairs.rules]

    def _proposals(self, source: ProposalSource, run: ContentRun, finding: Finding) -> list[ProposedContent]:
        session = self._session
        reply = source.ask(session.database, session.place, run.case, finding)
        return [*map(_proposed, tried_proposals(session.protocol, self._run_of_stored(), reply, run.case))]

    def _by_rule(self, rule: RepairRule, run: ContentRun) -> ProposedContent:
        name = rule.name.replace("-", " ")
        if run.evidence is None:
            return ProposedContent(name, rule.does, why="No program decides this case.")
        repaired = rule.repaired(run.case, run.evidence)
        if isinstance(repaired, NotRepaired):
            return ProposedContent(name, rule.does, why=repaired.why)
        stored = self._run_of_stored()
        return ProposedContent(name, rule.does, try_content(self._session.protocol, stored, repaired))

    def _compare(self, candidate: Case) -> None:
        protocol, stored = self._session.protocol, self._session.stored
        try:
            if self._stored_texts is None or self._stored.digest != stored.digest:
                self._stored_texts = compare_texts(protocol, stored, self._encoder)
                self._stored = stored
            both = self._stored_texts, compare_texts(protocol, candidate, self._encoder)
        except ReviewerError as error:
            self._screen.call_later(self._screen.show_compared, candidate.digest, None, str(error))
        else:
            self._screen.call_later(self._screen.show_compared, candidate.digest, both)

    def _keep(self, texts: Mapping[str, str]) -> None:
        try:
            self._session.keep_draft(texts)
        except ReviewerError as error:
            self._screen.call_later(self._screen.complain, error)

    def _audit(self) -> None:
        try:
            self._session.audit_again()
        except ReviewerError as error:
            told = f"Saved, but not audited again: {error}"
            self._screen.call_later(self._screen.say, told, failed=True)
        self._audited()


def _proposed(found: OfferedProposal | RefusedProposal) -> ProposedContent:
    """A proposal as it is offered, or why it is not."""
    if isinstance(found, RefusedProposal):
        return ProposedContent(found.refusal, "This proposal is not offered.", why=found.why)
    return ProposedContent(f"proposal {found.number}", found.proposal.why, found.trial)
