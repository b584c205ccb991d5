"""Whether a check could run on a case, and the places that its finding is about."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("findings", sa.Column("tested", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.add_column("findings", sa.Column("places", sa.JSON(), nullable=True))
