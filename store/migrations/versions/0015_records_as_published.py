"""Places store the published record that they were imported from."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("memberships", sa.Column("raw", sa.Text(), nullable=True))
