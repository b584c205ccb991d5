"""The tables of runs, and of calls to models. They refer to those of cases."""

from sqlalchemy import ForeignKeyConstraint, Index

from store import records
from store.tables import table_of

CallRow = table_of(records.Call, "calls", Index("calls_by_ask", "ask", "endpoint"))
"""Calls to language models."""
RunRow = table_of(records.Run, "runs")
"""Runs of all procedures by name."""
RunLockRow = table_of(records.RunLock, "run_locks")
"""Locks of runs."""
CandidateRow = table_of(
    records.Candidate, "candidates", Index("candidates_by_fate", "run", "approved", "group")
)
"""All candidates of all runs, with their fate."""
EvaluatedModelRow = table_of(records.EvaluatedModel, "evaluation_models")
"""Models of evaluation runs."""
EvaluationProcessRow = table_of(records.EvaluationProcess, "evaluation_processes")
"""Processes that share evaluation runs. They are not part of a copy of the store."""
EvaluationChunkRow = table_of(records.EvaluationChunk, "evaluation_chunks")
"""Chunks of evaluation runs under way. They are not part of a copy of the store."""
EndpointUseRow = table_of(records.EndpointUse, "endpoint_use")
"""What was sent to each endpoint in the last minute. It is not part of a copy of the store."""
SampledCaseRow = table_of(records.SampledCase, "evaluation_cases")
"""The samples of evaluation runs."""
OutcomeRow = table_of(
    records.Outcome,
    "outcomes",
    ForeignKeyConstraint(["run", "model"], ["evaluation_models.run", "evaluation_models.model"]),
    ForeignKeyConstraint(["run", "case"], ["evaluation_cases.run", "evaluation_cases.place"]),
)
"""Outcomes, one for each run, model, case, condition and repeat."""
