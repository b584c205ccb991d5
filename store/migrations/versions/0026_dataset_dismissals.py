"""Dismissals of findings about datasets as a whole."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "dataset_dismissals",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("dataset", sa.String(length=64), sa.ForeignKey("datasets.name"), nullable=False),
        sa.Column("check", sa.String(), nullable=False),
        sa.Column("check_version", sa.Integer(), nullable=False),
        sa.Column("found", sa.String(), nullable=False),
        sa.Column("restored", sa.Boolean(), nullable=False),
        sa.Column("who", sa.String(length=64), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
    )
    op.create_index(op.f("ix_dataset_dismissals_dataset"), "dataset_dismissals", ["dataset"])
