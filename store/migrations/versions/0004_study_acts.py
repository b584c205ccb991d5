"""Leads' acts: closing, reopening, and who may adjudicate, as append-only rows."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "study_acts",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("study", sa.String(), sa.ForeignKey("studies.name"), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("unfinished", sa.JSON(), nullable=False),
        sa.Column("held", sa.JSON(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.CheckConstraint("kind IN ('close', 'reopen', 'admit')", name="kind_is_known"),
    )
    op.create_index(op.f("ix_study_acts_study"), "study_acts", ["study"])
