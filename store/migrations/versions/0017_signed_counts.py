"""Signed counts of each study's events, and events that a merge kept aside."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "signed_counts",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("study", sa.String(), sa.ForeignKey("studies.name"), nullable=False),
        sa.Column("occasion", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("signature", sa.String(), nullable=False),
        sa.CheckConstraint("occasion IN ('new', 'pack', 'close', 'report')", name="occasion_is_known"),
    )
    op.create_index(op.f("ix_signed_counts_study"), "signed_counts", ["study"])
    op.create_table(
        "kept_aside",
        sa.Column("event", sa.String(), primary_key=True),
        sa.Column("study", sa.String(), sa.ForeignKey("studies.name"), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=True),
    )
    op.create_index(op.f("ix_kept_aside_study"), "kept_aside", ["study"])
