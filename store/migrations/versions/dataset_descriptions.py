"""What the authors of a dataset say about it for its releases."""

import sqlalchemy as sa
from alembic import op

revision = "1.2"
down_revision = "1.1"

_TOPICS = (
    "topic IN ('collection', 'source', 'biases', 'limitations', 'sensitive', 'uses', 'impact', 'maintenance')"
)


def upgrade() -> None:
    op.create_table(
        "dataset_descriptions",
        sa.Column("dataset", sa.String, sa.ForeignKey("datasets.name"), primary_key=True),
        sa.Column("topic", sa.String, primary_key=True),
        sa.Column("text", sa.String(4000), nullable=False),
        sa.Column("who", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.CheckConstraint(_TOPICS, name="topic_is_known"),
    )
