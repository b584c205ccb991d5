"""The tables of studies, their raters and their events. They refer to those of cases."""

from sqlalchemy import ForeignKeyConstraint, Index, UniqueConstraint

from store import records
from store.tables import table_of

StudyDescriptionRow = table_of(records.StudyDescription, "study_descriptions")
"""Leads' texts about their studies, one for each topic."""
StudyRow = table_of(records.Study, "studies")
"""Studies by name."""
StudyCaseRow = table_of(
    records.StudyCase, "study_cases", UniqueConstraint("study", "position", name="one_case_a_position")
)
"""The samples of studies."""
KnownAnswerRow = table_of(records.KnownAnswer, "known_answers")
"""Answers to training and gold cases that are known in advance."""
StudyActRow = table_of(records.StudyAct, "study_acts")
"""Leads' acts on studies. Triggers (see append_only) refuse to change or delete its rows."""
AssignmentRow = table_of(records.Assignment, "assignments")
"""Raters of studies."""
LinkRow = table_of(
    records.Link,
    "links",
    ForeignKeyConstraint(["study", "rater"], ["assignments.study", "assignments.rater"]),
    Index("links_by_rater", "study", "rater"),
)
"""Secret links of raters."""
RaterSeatRow = table_of(
    records.RaterSeat,
    "seats",
    ForeignKeyConstraint(["study", "rater"], ["assignments.study", "assignments.rater"]),
)
"""Seats: database users who are raters."""
EventRow = table_of(
    records.Event,
    "events",
    ForeignKeyConstraint(["study", "rater"], ["assignments.study", "assignments.rater"]),
    ForeignKeyConstraint(["study", "case"], ["study_cases.study", "study_cases.case"]),
    Index("events_by_rater", "study", "rater", "id"),
)
"""The ledger. Triggers (see append_only) refuse to change or delete its rows."""
StudySecretRow = table_of(records.StudySecret, "study_secrets")
"""Secrets of studies."""
PackSealRow = table_of(records.PackSeal, "pack_seals")
"""The seal of a pack. Only packs have a row."""
SignedCountRow = table_of(records.SignedCount, "signed_counts")
"""Signed counts. Triggers (see append_only) refuse to change or delete its rows."""
KeptAsideRow = table_of(records.KeptAside, "kept_aside")
"""Events that are not in the ledger. Triggers (see append_only) refuse to change or delete its rows."""
ArrivalRow = table_of(
    records.Arrival, "arrivals", Index("arrivals_by_rater", "study", "rater", "id"), numbered=True
)
"""Arrivals of events, numbered in their order."""
