"""Seats say which cases their packs hold. Access is granted again, because nobody knows it of older seats."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.drop_table("seats")
    op.create_table(
        "seats",
        sa.Column("db_user", sa.String(), primary_key=True),
        sa.Column("study", sa.String(), primary_key=True),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("pack", sa.LargeBinary(), nullable=False),
        sa.Column("cases", sa.JSON(), nullable=False),
        sa.Column("granted_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["study", "rater"], ["assignments.study", "assignments.rater"]),
    )
