"""Vectors of texts, by model and digest of the text."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "embeddings",
        sa.Column("model", sa.String(), primary_key=True),
        sa.Column("text", sa.String(), primary_key=True),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
    )
