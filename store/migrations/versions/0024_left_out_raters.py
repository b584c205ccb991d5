"""The lead's acts may also leave a rater out of the numbers, and count them again."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

_KINDS = "kind IN ('close', 'reopen', 'admit', 'lead', 'exclude', 'include')"
_COLUMNS = "rowid, id, study, kind, who, why, subject, unfinished, held, at"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("kind_is_known", "study_acts", type_="check")
        op.create_check_constraint("kind_is_known", "study_acts", _KINDS)
        return
    op.create_table(
        "study_acts_of_0024",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("study", sa.String(), sa.ForeignKey("studies.name"), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("unfinished", sa.JSON(), nullable=False),
        sa.Column("held", sa.JSON(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.CheckConstraint(_KINDS, name="kind_is_known"),
    )
    # With their row numbers, because a gap among them shows that a row was deleted.
    op.execute(f"INSERT INTO study_acts_of_0024 ({_COLUMNS}) SELECT {_COLUMNS} FROM study_acts")  # noqa: S608
    op.drop_table("study_acts")
    op.rename_table("study_acts_of_0024", "study_acts")
    op.create_index(op.f("ix_study_acts_study"), "study_acts", ["study"])
