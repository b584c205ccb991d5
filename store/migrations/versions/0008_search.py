"""An index of the words in cases, for stores in a file."""

from alembic import op

from store.searching import index_cases

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    index_cases(op.get_bind())
