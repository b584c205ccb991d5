"""Seats: raters who are users of a database server."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "seats",
        sa.Column("db_user", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("pack", sa.LargeBinary(), nullable=False),
        sa.Column("granted_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["study", "rater"], ["assignments.study", "assignments.rater"]),
        sa.PrimaryKeyConstraint("db_user", "study"),
    )
