"""The tables of studies, their raters and their events. They refer to those of cases."""

from pydantic import ConfigDict
from sqlalchemy import ForeignKeyConstraint, Index, UniqueConstraint
from sqlmodel import Field

from store import records
from store.tables import one_of


class StudyDescriptionRow(records.StudyDescription, table=True):
    """Leads' texts about their studies, one for each topic."""

    __tablename__ = "study_descriptions"
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
