"""Packs: the secrets that seal them, their seals, and arrivals of events."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    of_studies = op.create_table(
        "study_secrets",
        sa.Column("study", sa.String(), sa.ForeignKey("studies.name"), primary_key=True),
        sa.Column("secret", sa.String(), nullable=False),
    )
    for (study,) in op.get_bind().execute(sa.text("SELECT name FROM studies")).all():
        op.bulk_insert(of_studies, [{"study": study, "secret": secrets.token_hex(32)}])
    op.create_table(
        "pack_seals",
        sa.Column("study", sa.String(), sa.ForeignKey("studies.name"), primary_key=True),
        sa.Column("rater", sa.String(), primary_key=True),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("signature", sa.String(), nullable=False),
    )
    op.create_table(
        "arrivals",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("study", sa.String(), sa.ForeignKey("studies.name"), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
    )
    op.create_index("arrivals_by_rater", "arrivals", ["study", "rater", "id"], unique=False)
