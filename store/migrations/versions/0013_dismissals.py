"""Dismissals of findings, with a reason."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "dismissals",
        sa.Column("case", sa.String(length=64), sa.ForeignKey("cases.digest"), primary_key=True),
        sa.Column("check", sa.String(), primary_key=True),
        sa.Column("check_version", sa.Integer(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
    )
