"""The tables of runs, and of calls to models. They refer to those of cases."""

from sqlalchemy import ForeignKeyConstraint, Index

from store import records
from store.tables import table_of

CallRow = table_of(records.Call, "calls", Index("calls_by_ask", "ask", "endpoint"))
"""Calls to language models."""
RunRow = table_of(records.RunColumns, "runs")
"""Runs of all procedures by name."""
RunRoleRow = table_of(records.RunRole, "run_roles")
"""Models of the roles of runs."""
LeaseRow = table_of(records.Lease, "run_leases")
"""Leases of processes on runs. They are not part of a copy of the store."""
RunChunkRow = table_of(records.RunChunk, "run_chunks")
"""Chunks of shared runs under way. They are not part of a copy of the store."""
CandidateRow = table_of(
    records.Candidate, "candidates", Index("candidates_by_fate", "run", "approved", "group")
)
"""All candidates of all runs, with their fate."""
EndpointUseRow = table_of(records.EndpointUse, "endpoint_use")
"""What was sent to each endpoint in the last minute. It is not part of a copy of the store."""
SampledCaseRow = table_of(records.SampledCase, "run_cases")
"""The samples of runs."""
OutcomeRow = table_of(
    records.Outcome,
    "outcomes",
    ForeignKeyConstraint(["run", "case"], ["run_cases.run", "run_cases.place"]),
)
"""Outcomes, one for each run, model, case, condition and repeat."""
