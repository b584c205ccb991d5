"""Revisions of cases at their places, and notes of what is to be done."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.create_table(
        "revisions",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("dataset", sa.String(), sa.ForeignKey("datasets.name"), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("parent", sa.String(), nullable=False),
        sa.Column("settles", sa.JSON(), nullable=False),
        sa.Column("case_before", sa.String(), sa.ForeignKey("cases.digest"), nullable=False),
        sa.Column("case_after", sa.String(), sa.ForeignKey("cases.digest"), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("resolves", sa.JSON(), nullable=False),
        sa.Column("proposed_by", sa.String(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("after", sa.JSON(), nullable=False),
        sa.Column("replaced", sa.JSON(), nullable=False),
        sa.Column("created", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('repair', 'withdrawal', 'revert', 'import', 'settlement')", name="kind_is_known"
        ),
        sa.CheckConstraint("proposed_by IN ('person', 'rule', 'model')", name="proposed_by_is_known"),
    )
    op.create_index(op.f("ix_revisions_dataset"), "revisions", ["dataset"])
    op.create_index("revisions_by_place", "revisions", ["dataset", "key"])
    op.create_table(
        "todos",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("dataset", sa.String(), sa.ForeignKey("datasets.name"), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("made_by", sa.String(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("done_by", sa.String(), nullable=True),
        sa.Column("done_at", sa.String(), nullable=True),
    )
    op.create_index(op.f("ix_todos_dataset"), "todos", ["dataset"])
