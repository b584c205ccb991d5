"""Locks of generation runs."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "holds",
        sa.Column("run", sa.String(length=64), primary_key=True),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("machine", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("process", sa.Integer(), nullable=False),
        sa.Column("since", sa.String(), nullable=False),
        sa.Column("until", sa.String(), nullable=False),
    )
