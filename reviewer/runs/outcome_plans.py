"""The plan by which a run with outcomes asks models and reads replies."""

from reviewer.protocols.evaluation import EvaluationPlan
from reviewer.protocols.registry import protocols_of
from reviewer.runs.judging.judging_setup import judge_plan
from store.database import Database
from store.records import Run


def plan_of_run(database: Database, run: Run) -> EvaluationPlan:
    """The plan of an evaluation or of judges; raises RequestError if its protocol is not known."""
    protocol = protocols_of(database).named(run.protocol)
    return judge_plan(protocol, run) if run.judged_study else protocol.procedure(EvaluationPlan)
