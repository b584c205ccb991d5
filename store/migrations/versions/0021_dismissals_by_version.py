"""One dismissal for each version of a check, so that a later one does not replace an earlier one."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

_COLUMNS = '"case", "check", check_version, who, why, at'


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("dismissals_pkey", "dismissals", type_="primary")
        op.create_primary_key("dismissals_pkey", "dismissals", ["case", "check", "check_version"])
        return
    op.create_table(
        "dismissals_by_version",
        sa.Column("case", sa.String(length=64), sa.ForeignKey("cases.digest"), primary_key=True),
        sa.Column("check", sa.String(), primary_key=True),
        sa.Column("check_version", sa.Integer(), primary_key=True),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
    )
    op.execute(f"INSERT INTO dismissals_by_version ({_COLUMNS}) SELECT {_COLUMNS} FROM dismissals")  # noqa: S608
    op.drop_table("dismissals")
    op.rename_table("dismissals_by_version", "dismissals")
