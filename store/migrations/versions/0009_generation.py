"""Generation runs and their candidates."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("name", sa.String(length=64), primary_key=True),
        sa.Column("protocol", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("prompts", sa.JSON(), nullable=False),
        sa.Column("prompts_digest", sa.String(), nullable=False),
        sa.Column("seeds", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.String(), nullable=False),
        sa.Column("ended_at", sa.String(), nullable=True),
        sa.CheckConstraint("state IN ('open', 'finished')", name="state_is_known"),
    )
    op.create_table(
        "candidates",
        sa.Column("run", sa.String(length=64), sa.ForeignKey("runs.name"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("group", sa.String(), nullable=False),
        sa.Column("expansion", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("approved", sa.Boolean(), nullable=False),
        sa.Column("step", sa.String(), nullable=False),
        sa.Column("check", sa.String(), nullable=False),
        sa.Column("counts_as", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("threshold", sa.JSON(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("values", sa.JSON(), nullable=False),
        sa.Column("calls", sa.JSON(), nullable=False),
        sa.Column("prompts_digest", sa.String(), nullable=False),
        sa.Column("case", sa.String(), sa.ForeignKey("cases.digest"), nullable=True),
    )
    op.create_index("candidates_by_fate", "candidates", ["run", "approved", "group"])
