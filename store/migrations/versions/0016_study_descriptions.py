"""The lead's texts for a study's report: recruitment, independence and consent."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "study_descriptions",
        sa.Column("study", sa.String(length=64), sa.ForeignKey("studies.name"), primary_key=True),
        sa.Column("topic", sa.String(), primary_key=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
    )
