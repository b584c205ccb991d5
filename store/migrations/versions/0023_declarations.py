"""Declared protocols, and definitions of groups that come with datasets."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.create_table(
        "declarations",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("version", sa.Integer(), primary_key=True),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("kept_at", sa.String(), nullable=False),
    )
    op.create_table(
        "group_definitions",
        sa.Column("dataset", sa.String(length=64), sa.ForeignKey("datasets.name"), primary_key=True),
        sa.Column("group", sa.String(), primary_key=True),
        sa.Column("definition", sa.String(), nullable=False),
    )
