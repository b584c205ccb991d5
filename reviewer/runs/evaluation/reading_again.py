"""Reads kept replies again with a newer reader. No model is asked."""

from dataclasses import dataclass

from reviewer.core.errors import RequestError
from reviewer.protocols.evaluation import EvaluationPlan, conditions_of
from reviewer.protocols.registry import protocols_of
from reviewer.runs.evaluation.evaluation_settings import UNREAD_BY_ANY, evaluation_settings, plan_as_set
from reviewer.runs.judging.judging_setup import plan_of_judges
from store.database import Database
from store.evaluations import Evaluations
from store.leases import held
from store.records import JUDGES, REPAIR, Outcome, OutcomeState, Run

_OUTCOMES_A_BATCH = 500


@dataclass(frozen=True, slots=True)
class ChangedReading:
    """An outcome before and after its reply was read again."""

    before: Outcome
    after: Outcome


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """How many replies were read again, by which version of the reader, and those that are read differently.

    ``unread`` outcomes have no whole reply, or were imported with their labels.
    """

    read: int
    version: int
    unread: int
    changed: tuple[ChangedReading, ...]


def plan_of_run(database: Database, run: Run) -> EvaluationPlan:
    """The plan of a run with outcomes, to read its replies and conditions.

    Raises RequestError if the protocol is not known.
    """
    protocol = protocols_of(database).named(run.protocol)
    if run.procedure == JUDGES:
        return plan_of_judges(protocol, run)
    if run.procedure == REPAIR:
        from reviewer.runs.repair.proposal_run import RepairPlan  # loads the oracle

        return RepairPlan(protocol)
    return protocol.procedure(EvaluationPlan)


def read_again(database: Database, name: str, *, take_over: bool = False) -> ReadAgain:
    """Read every reply that an older reader read; raises RequestError if that cannot be done now."""
    evaluations = Evaluations(database)
    run = evaluations.with_outcomes(name)
    plan = plan_of_run(database, run)
    reader = _Reader(plan, evaluations, run)
    changed, read, unread, waiting = list[ChangedReading](), 0, 0, list[Outcome]()
    with held(database, name, take_over=take_over, kind=run.kind) as hold:
        for outcome in evaluations.outcomes(name):
            unread += not _was_read(outcome)
            if _was_read(outcome) and outcome.reader_version != plan.reader_version:
                after = reader.again(outcome)
                read += 1
                waiting.append(after)
                if (after.label, after.state) != (outcome.label, outcome.state):
                    changed.append(ChangedReading(outcome, after))
            if len(waiting) == _OUTCOMES_A_BATCH:
                evaluations.keep(waiting, hold)
                waiting = []
        evaluations.keep(waiting, hold)
    return ReadAgain(read, plan.reader_version, unread, tuple(changed))


class _Reader:
    """Reads replies of one run; raises RequestError for one that a newer release read."""

    def __init__(self, plan: EvaluationPlan, evaluations: Evaluations, run: Run) -> None:
        settings, name = evaluation_settings(run), run.name
        self._conditions = {
            condition.key: condition for condition in conditions_of(plan.factors, settings.conditions)
        }
        cases = evaluations.cases(name)
        self._cases = {sampled.place: cases[sampled.digest] for sampled in evaluations.sample(name)}
        self._plan, self._run = plan_as_set(plan, settings, list(self._cases.values())), name

    def again(self, outcome: Outcome) -> Outcome:
        if outcome.reader_version > self._plan.reader_version:
            raise RequestError(
                f"replies of run {self._run!r} were read by version {outcome.reader_version} of the reader, "
                f"and this release has version {self._plan.reader_version}; use the newer release."
            )
        case, condition = self._cases[outcome.case], self._conditions[outcome.condition]
        read = self._plan.label_in(case, condition, outcome.reply)
        state: OutcomeState = "unreadable" if read.label is None else "read"
        version = self._plan.reader_version
        news = {"state": state, "label": read.label, "why": read.why, "reader_version": version}
        return outcome.model_copy(update=news)


def _was_read(outcome: Outcome) -> bool:
    """Whether a reader made the outcome from a whole reply."""
    return outcome.reader_version != UNREAD_BY_ANY and outcome.request != ""
