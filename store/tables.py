"""The tables: the records with names, keys, indexes and checks, which only a database needs.

Those of studies and runs are in modules of their own: each table takes some milliseconds to load.
"""

from typing import Any, ClassVar, get_args

from pydantic import ConfigDict
from sqlalchemy import CheckConstraint, Column, Index, Text, UniqueConstraint
from sqlmodel import Field

from store import records


def one_of(column: str, allowed: object) -> CheckConstraint:
    """A check that a column holds one of the labels of a ``Literal``."""
    labels = ", ".join(f"'{label}'" for label in get_args(allowed))
    return CheckConstraint(f"{column} IN ({labels})", name=f"{column}_is_known")


class DatasetRow(records.Dataset, table=True):
    """Datasets by name."""

    __tablename__ = "datasets"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class CaseRow(records.Case, table=True):
    """Cases by digest."""

    __tablename__ = "cases"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class MembershipRow(records.Membership, table=True):
    """Places in datasets. ``raw`` is the record of the imported file as JSON text, if it was stored.

    ``raw`` is not a field of the record, because it is as long as the case and only needed for export.
    """

    __tablename__ = "memberships"
    __mapper_args__: ClassVar[dict[str, Any]] = {"exclude_properties": ["raw"]}
    __table_args__ = (
        Column("raw", Text),
        Index("memberships_by_position", "dataset", "position"),
        CheckConstraint("origin IN ('seed', 'generated')", name="origin_is_known"),
    )
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class MeasurementRow(records.Measurement, table=True):
    """Measured and published values, one for each name, variant and origin."""

    __tablename__ = "measurements"
    __table_args__ = (
        UniqueConstraint(
            "case", "name", "variant", "source", "dataset", "key", "engine", "program", name="one_value"
        ),
        CheckConstraint("source IN ('published', 'measured')", name="source_is_known"),
    )
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]

    id: int | None = Field(default=None, primary_key=True)


class FindingRow(records.Finding, table=True):
    """Results of checks, one for each case, check and version."""

    __tablename__ = "findings"
    __table_args__ = (
        UniqueConstraint("case", "check", "check_version", name="one_result"),
        CheckConstraint("severity IN ('serious', 'doubtful', 'untidy')", name="severity_is_known"),
    )
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]

    id: int | None = Field(default=None, primary_key=True)


class DismissalRow(records.Dismissal, table=True):
    """Findings that were dismissed."""

    __tablename__ = "dismissals"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class DatasetDismissalRow(records.DatasetDismissal, table=True):
    """Dismissals of findings about datasets. Triggers refuse to change or delete its rows."""

    __tablename__ = "dataset_dismissals"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class RevisionRow(records.Revision, table=True):
    """Revisions. Triggers (see append_only) refuse to change or delete its rows."""

    __tablename__ = "revisions"
    __table_args__ = (
        one_of("kind", records.RevisionKind),
        one_of("proposed_by", records.Proposer),
        Index("revisions_by_place", "dataset", "key"),
    )
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class TodoRow(records.Todo, table=True):
    """Things to do about cases."""

    __tablename__ = "todos"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class CitationRow(records.Citation, table=True):
    """Licences, authors and contacts of datasets."""

    __tablename__ = "citations"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class ReleaseRow(records.Release, table=True):
    """Releases that were made here, and those that datasets were imported from."""

    __tablename__ = "releases"
    __table_args__ = (CheckConstraint("origin IN ('made', 'imported')", name="release_origin_is_known"),)
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class DeclarationRow(records.KeptDeclaration, table=True):
    """Declared protocols by name and version."""

    __tablename__ = "declarations"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class GroupDefinitionRow(records.GroupDefinition, table=True):
    """Definitions of groups that came with datasets."""

    __tablename__ = "group_definitions"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class EmbeddingRow(records.Embedding, table=True):
    """Vectors of texts. They can be deleted and are then computed again."""

    __tablename__ = "embeddings"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]
