"""Releases of datasets, and what their licence, authors and contact are."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.create_table(
        "citations",
        sa.Column("dataset", sa.String(), sa.ForeignKey("datasets.name"), primary_key=True),
        sa.Column("licence", sa.String(), nullable=False),
        sa.Column("authors", sa.JSON(), nullable=False),
        sa.Column("contact", sa.String(), nullable=False),
    )
    op.create_table(
        "releases",
        sa.Column("dataset", sa.String(), sa.ForeignKey("datasets.name"), primary_key=True),
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("version", sa.String(), primary_key=True),
        sa.Column("seal", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("program", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.CheckConstraint("origin IN ('made', 'imported')", name="release_origin_is_known"),
    )
