"""Raters' profiles: field, degree and years of experience."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    # Plain ADD COLUMN, not a rebuilt table: the ledger refers to this one.
    op.add_column("assignments", sa.Column("field", sa.String(length=200), nullable=True))
    op.add_column("assignments", sa.Column("degree", sa.String(length=200), nullable=True))
    op.add_column("assignments", sa.Column("years", sa.Integer(), nullable=True))
