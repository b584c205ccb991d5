"""Training and gold cases, known answers, adjudicators, exchanged sides, comments tied to a passage."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    # Columns are added and tables not rebuilt: the ledger refers to these tables and has triggers of its own.
    op.execute(
        "ALTER TABLE study_cases ADD COLUMN role VARCHAR NOT NULL DEFAULT 'counted' "
        "CONSTRAINT role_is_known CHECK (role IN ('counted', 'training', 'gold'))"
    )
    op.execute(
        "ALTER TABLE assignments ADD COLUMN role VARCHAR NOT NULL DEFAULT 'rater' "
        "CONSTRAINT role_is_known CHECK (role IN ('rater', 'adjudicator'))"
    )
    op.add_column("events", sa.Column("swapped", sa.Boolean(), nullable=True))
    op.add_column("events", sa.Column("passage", sa.JSON(), nullable=True))
    op.create_table(
        "known_answers",
        sa.Column("study", sa.String(), sa.ForeignKey("studies.name"), primary_key=True),
        sa.Column("case", sa.String(), sa.ForeignKey("cases.digest"), primary_key=True),
        sa.Column("question", sa.String(), primary_key=True),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
    )
