"""What readers reported about cases of datasets."""

import sqlalchemy as sa
from alembic import op

revision = "1.4"
down_revision = "1.3"


def upgrade() -> None:
    op.create_table(
        "complaints",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("dataset", sa.String, sa.ForeignKey("datasets.name"), nullable=False),
        sa.Column("key", sa.String, nullable=False),
        sa.Column("case", sa.String, sa.ForeignKey("cases.digest"), nullable=False),
        sa.Column("text", sa.String, nullable=False),
        sa.Column("link", sa.String, nullable=False),
        sa.Column("who", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Index("ix_complaints_dataset", "dataset"),
    )
