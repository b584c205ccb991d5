"""Evaluation runs: their models, their frozen samples, and the outcomes."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.create_table(
        "evaluations",
        sa.Column("name", sa.String(length=64), primary_key=True),
        sa.Column("protocol", sa.String(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(length=64), nullable=False),
    )
    op.create_table(
        "evaluation_models",
        sa.Column("run", sa.String(length=64), sa.ForeignKey("evaluations.name"), primary_key=True),
        sa.Column("model", sa.String(), primary_key=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("endpoint", sa.String(), nullable=False),
        sa.Column("added_at", sa.String(), nullable=False),
    )
    op.create_table(
        "evaluation_cases",
        sa.Column("run", sa.String(length=64), sa.ForeignKey("evaluations.name"), primary_key=True),
        sa.Column("place", sa.Integer(), primary_key=True),
        sa.Column("dataset", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), sa.ForeignKey("cases.digest"), nullable=False),
        sa.Column("generator", sa.String(), nullable=False),
    )
    op.create_index(op.f("ix_evaluation_cases_digest"), "evaluation_cases", ["digest"])
    op.create_table(
        "outcomes",
        sa.Column("run", sa.String(length=64), sa.ForeignKey("evaluations.name"), primary_key=True),
        sa.Column("model", sa.String(), primary_key=True),
        sa.Column("case", sa.Integer(), primary_key=True),
        sa.Column("condition", sa.String(), primary_key=True),
        sa.Column("repeat", sa.Integer(), primary_key=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=True),
        sa.Column("reader_version", sa.Integer(), nullable=False),
        sa.Column("request", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("reply", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["run", "model"], ["evaluation_models.run", "evaluation_models.model"]),
        sa.ForeignKeyConstraint(["run", "case"], ["evaluation_cases.run", "evaluation_cases.place"]),
        sa.CheckConstraint("state IN ('read', 'unreadable', 'missing', 'not_asked')", name="state_is_known"),
    )
