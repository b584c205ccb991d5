"""The tables: the records with names, keys, indexes and checks, which only a database needs.

Those of runs are in ``store.run_tables``: each takes some milliseconds to load, and most work needs none.
"""

from typing import Any, ClassVar, get_args

from pydantic import ConfigDict
from sqlalchemy import CheckConstraint, Column, ForeignKeyConstraint, Index, Text, UniqueConstraint
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


class StudyDescriptionRow(records.StudyDescription, table=True):
    """Leads' texts about their studies, one for each topic."""

    __tablename__ = "study_descriptions"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


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


class StudyRow(records.Study, table=True):
    """Studies by name."""

    __tablename__ = "studies"
    __table_args__ = (one_of("view", records.View),)
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class StudyCaseRow(records.StudyCase, table=True):
    """The samples of studies."""

    __tablename__ = "study_cases"
    __table_args__ = (
        UniqueConstraint("study", "position", name="one_case_a_position"),
        one_of("role", records.CaseRole),
    )
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class KnownAnswerRow(records.KnownAnswer, table=True):
    """Answers to training and gold cases that are known in advance."""

    __tablename__ = "known_answers"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class StudyActRow(records.StudyAct, table=True):
    """Leads' acts on studies. Triggers (see append_only) refuse to change or delete its rows."""

    __tablename__ = "study_acts"
    __table_args__ = (one_of("kind", records.ActKind),)
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class AssignmentRow(records.Assignment, table=True):
    """Raters of studies."""

    __tablename__ = "assignments"
    __table_args__ = (one_of("role", records.RaterRole),)
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class LinkRow(records.Link, table=True):
    """Secret links of raters."""

    __tablename__ = "links"
    __table_args__ = (
        ForeignKeyConstraint(["study", "rater"], ["assignments.study", "assignments.rater"]),
        Index("links_by_rater", "study", "rater"),
    )
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class RaterSeatRow(records.RaterSeat, table=True):
    """Seats: database users who are raters."""

    __tablename__ = "seats"
    __table_args__ = (ForeignKeyConstraint(["study", "rater"], ["assignments.study", "assignments.rater"]),)
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class EventRow(records.Event, table=True):
    """The ledger. Triggers (see append_only) refuse to change or delete its rows."""

    __tablename__ = "events"
    __table_args__ = (
        ForeignKeyConstraint(["study", "rater"], ["assignments.study", "assignments.rater"]),
        ForeignKeyConstraint(["study", "case"], ["study_cases.study", "study_cases.case"]),
        one_of("kind", records.EventKind),
        one_of("phase", records.Phase),
        Index("events_by_rater", "study", "rater", "id"),
    )
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class StudySecretRow(records.StudySecret, table=True):
    """Secrets of studies."""

    __tablename__ = "study_secrets"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class PackSealRow(records.PackSeal, table=True):
    """The seal of a pack. Only packs have a row."""

    __tablename__ = "pack_seals"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class SignedCountRow(records.SignedCount, table=True):
    """Signed counts. Triggers (see append_only) refuse to change or delete its rows."""

    __tablename__ = "signed_counts"
    __table_args__ = (one_of("occasion", records.Occasion),)
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class KeptAsideRow(records.KeptAside, table=True):
    """Events that are not in the ledger. Triggers (see append_only) refuse to change or delete its rows."""

    __tablename__ = "kept_aside"
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]


class ArrivalRow(records.Arrival, table=True):
    """Arrivals of events, numbered in their order."""

    __tablename__ = "arrivals"
    __table_args__ = (Index("arrivals_by_rater", "study", "rater", "id"),)
    model_config = ConfigDict(frozen=False)  # type: ignore[assignment]

    id: int | None = Field(default=None, primary_key=True)
