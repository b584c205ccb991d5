"""Background work of the workbench: running, asking, comparing and keeping the newest texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from textual.message import Message
from textual.screen import Screen

from reviewer.core.check_result import check_words
from reviewer.core.errors import ReviewerError
from reviewer.oracle.doctor import without_jail
from reviewer.oracle.errors import OracleError
from reviewer.oracle.query import answer_query
from reviewer.protocols.repairs import ContentError, NotRepaired, RepairRule
from reviewer.runs.audit.check_texts import examination_of
from reviewer.runs.repair.proposals import (
    OfferedProposal,
    ProposalSource,
    RefusedProposal,
    proposal_prompts,
    proposal_request,
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
from reviewer.tui.workbench.newest import NewestOnly
from reviewer.tui.workbench.trial_lines import QueryAnswers
from store.records import Case, Finding, Proposer


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


class WorkbenchWork:
    """Works in threads, and reports to its screen through messages only."""

    def __init__(self, screen: Screen[None], session: RepairSession, audited: Callable[[], object]) -> None:
        self._screen, self._session, self._audited = screen, session, audited
        self._stored: Case = session.stored
        self._stored_run: ContentRun | None = None
        self._stored_texts: TextComparison | None = None
        self._encoder = EncoderProcess()
        self.trials = NewestOnly[TrialRequest](screen, "trial", self._try)
        """Runs the newest texts; the answer is ``Done``."""
        self.comparisons = NewestOnly[Case](screen, "similarity", self._compare)
        """Measures the similarities of the newest content; the answer is ``Compared``."""
        self.drafts = NewestOnly[Mapping[str, str]](screen, "draft", self._keep)
        """Keeps the newest texts as the draft; the answer is ``Failed`` if that failed."""

    class Done(Message):
        """Texts were tried."""

        def __init__(self, tried: TriedTexts) -> None:
            self.tried = tried
            super().__init__()

    class Compared(Message):
        """The similarities of the stored texts and of a candidate were measured, or why they were not."""

        def __init__(
            self, case: str, both: tuple[TextComparison, TextComparison] | None, problem: str = ""
        ) -> None:
            self.case, self.both, self.problem = case, both, problem
            super().__init__()

    class Proposed(Message):
        """Contents of rules or of a model were tried; those that settle most findings come first."""

        def __init__(self, title: str, candidates: Sequence[ProposedContent], proposer: Proposer) -> None:
            self.title, self.proposer = title, proposer
            self.candidates = sorted(candidates, key=_settled, reverse=True)
            super().__init__()

    class Failed(Message):
        """Something failed; ``sentence`` says what."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    def try_rules(self, run: ContentRun) -> None:
        """Try every rule of the protocol on a content; the answer is ``Proposed``."""
        self._screen.run_worker(partial(self._rules, run), thread=True, exclusive=True, group="rules")

    def ask_model(self, source: ProposalSource, run: ContentRun, finding: Finding) -> None:
        """Ask a model for repairs of a finding of a content, and try them; the answer is ``Proposed``."""
        work = partial(self._proposals, source, run, finding)
        self._screen.run_worker(work, thread=True, exclusive=True, group="proposals")

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

    def _try(self, request: TrialRequest) -> Message:
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
        return self.Done(TriedTexts(request, self._stored_run, trial, milliseconds, answers, problem, pane))

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

    def _rules(self, run: ContentRun) -> None:
        try:
            tried = [self._by_rule(rule, run) for rule in self._session.repairs.rules]
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))
        else:
            self._screen.post_message(self.Proposed("repairs by rule", tried, "rule"))

    def _proposals(self, source: ProposalSource, run: ContentRun, finding: Finding) -> None:
        session = self._session
        prompts = proposal_prompts(session.repairs)
        dataset = session.place.place.dataset
        try:
            request = proposal_request(session.protocol, prompts, dataset, run, finding)
            reply = source.ask(session.database, request)
            proposals = tried_proposals(session.protocol, self._run_of_stored(), reply, run.case)
        except ReviewerError as error:
            self._screen.post_message(self.Failed(str(error)))
        else:
            title = f"repairs that {source.model} proposes for {check_words(finding.check)}"
            self._screen.post_message(self.Proposed(title, list(map(_proposed, proposals)), "model"))

    def _by_rule(self, rule: RepairRule, run: ContentRun) -> ProposedContent:
        name = rule.name.replace("-", " ")
        if run.evidence is None:
            return ProposedContent(name, rule.does, why="No program decides this case.")
        repaired = rule.repaired(run.case, run.evidence)
        if isinstance(repaired, NotRepaired):
            return ProposedContent(name, rule.does, why=repaired.why)
        stored = self._run_of_stored()
        return ProposedContent(name, rule.does, try_content(self._session.protocol, stored, repaired))

    def _compare(self, candidate: Case) -> Message:
        protocol, stored = self._session.protocol, self._session.stored
        try:
            if self._stored_texts is None or self._stored.digest != stored.digest:
                self._stored_texts = compare_texts(protocol, stored, self._encoder)
                self._stored = stored
            present = compare_texts(protocol, candidate, self._encoder)
        except ReviewerError as error:
            return self.Compared(candidate.digest, None, str(error))
        return self.Compared(candidate.digest, (self._stored_texts, present))

    def _keep(self, texts: Mapping[str, str]) -> Message | None:
        try:
            self._session.keep_draft(texts)
        except ReviewerError as error:
            return self.Failed(str(error))
        return None

    def _audit(self) -> None:
        try:
            self._session.audit_again()
        except ReviewerError as error:
            self._screen.post_message(self.Failed(f"Saved, but not audited again: {error}"))
        self._audited()


def _proposed(found: OfferedProposal | RefusedProposal) -> ProposedContent:
    """A proposal as it is offered, or why it is not."""
    if isinstance(found, RefusedProposal):
        return ProposedContent(found.refusal, "This proposal is not offered.", why=found.why)
    return ProposedContent(f"proposal {found.number}", found.proposal.why, found.trial)
