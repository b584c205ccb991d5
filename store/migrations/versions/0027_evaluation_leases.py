"""Evaluation runs that several processes share: the processes, their chunks, and the requests they sent."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.create_table(
        "evaluation_processes",
        sa.Column("holder", sa.String(), primary_key=True),
        sa.Column("run", sa.String(length=64), nullable=False),
        sa.Column("models", sa.JSON(), nullable=False),
        sa.Column("machine", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("process", sa.Integer(), nullable=False),
        sa.Column("endpoint", sa.String(), nullable=False),
        sa.Column("requests_per_minute", sa.Integer(), nullable=True),
        sa.Column("tokens_per_minute", sa.Integer(), nullable=True),
        sa.Column("until", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "evaluation_chunks",
        sa.Column("run", sa.String(length=64), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "endpoint_use",
        sa.Column("endpoint", sa.String(), primary_key=True),
        sa.Column("seconds", sa.JSON(), nullable=False),
    )
