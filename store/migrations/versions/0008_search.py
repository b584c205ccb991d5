"""An index of the words in cases, where the store is a file."""

from alembic import op

from store.searching import index_cases

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    index_cases(op.get_bind())
