"""How an event was given, which panes were visible, and which events it follows."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    # Columns are added and the table not rebuilt: the ledger has triggers, and its rows may not be rewritten.
    op.add_column("events", sa.Column("given", sa.String(), nullable=True))
    op.add_column("events", sa.Column("panes", sa.JSON(), nullable=True))
    op.add_column("events", sa.Column("follows", sa.JSON(), nullable=True))
