"""The tables of generation and evaluation runs, and of calls to models. They refer to those of cases."""

from pydantic import ConfigDict
from sqlalchemy import ForeignKeyConstraint, Index

from store import records
from store.tables import one_of


class CallRow(records.Call, table=True):
    """Calls to language models."""

    __tablename__ = "calls"
    __table_args__ = (Index("calls_by_ask", "ask", "endpoint"),)


class RunRow(records.Run, table=True):
    """Generation runs by name."""

    __tablename__ = "runs"
    __table_args__ = (one_of("state", records.RunState),)
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class RunLockRow(records.RunLock, table=True):
    """Locks of generation and evaluation runs."""

    __tablename__ = "holds"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class CandidateRow(records.Candidate, table=True):
    """All candidates of all runs, with their fate."""

    __tablename__ = "candidates"
    __table_args__ = (Index("candidates_by_fate", "run", "approved", "group"),)
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class EvaluationRunRow(records.EvaluationRun, table=True):
    """Evaluation runs by name."""

    __tablename__ = "evaluations"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class EvaluatedModelRow(records.EvaluatedModel, table=True):
    """Models of evaluation runs."""

    __tablename__ = "evaluation_models"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class EvaluationProcessRow(records.EvaluationProcess, table=True):
    """Processes that share evaluation runs. They are not part of a copy of the store."""

    __tablename__ = "evaluation_processes"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class EvaluationChunkRow(records.EvaluationChunk, table=True):
    """Chunks of evaluation runs under way. They are not part of a copy of the store."""

    __tablename__ = "evaluation_chunks"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class EndpointUseRow(records.EndpointUse, table=True):
    """What was sent to each endpoint in the last minute. It is not part of a copy of the store."""

    __tablename__ = "endpoint_use"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class SampledCaseRow(records.SampledCase, table=True):
    """The samples of evaluation runs."""

    __tablename__ = "evaluation_cases"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class OutcomeRow(records.Outcome, table=True):
    """Outcomes, one for each run, model, case, condition and repeat."""

    __tablename__ = "outcomes"
    __table_args__ = (
        ForeignKeyConstraint(["run", "model"], ["evaluation_models.run", "evaluation_models.model"]),
        ForeignKeyConstraint(["run", "case"], ["evaluation_cases.run", "evaluation_cases.place"]),
        one_of("state", records.OutcomeState),
    )
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]
