"""Secret links for review in a browser."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "links",
        sa.Column("secret_digest", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("expires_at", sa.String(), nullable=False),
        sa.Column("revoked_at", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["study", "rater"], ["assignments.study", "assignments.rater"]),
        sa.PrimaryKeyConstraint("secret_digest"),
    )
    op.create_index("links_by_rater", "links", ["study", "rater"], unique=False)
