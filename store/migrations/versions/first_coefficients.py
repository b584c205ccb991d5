"""An act by which a lead chooses the coefficients that tables of a study begin with."""

import sqlalchemy as sa
from alembic import op

revision = "1.5"
down_revision = "1.4"

_KINDS = (
    "kind IN ('close', 'reopen', 'admit', 'lead', 'exclude', 'include', 'answer', 'withdraw', 'coefficients')"
)


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        # SQLite changes no check of a table. Its triggers go with the old table and are made again.
        held = sa.Table(
            "study_acts",
            sa.MetaData(),
            sa.Column("id", sa.String, primary_key=True),
            sa.Column("study", sa.String, sa.ForeignKey("studies.name"), nullable=False),
            sa.Column("kind", sa.String, nullable=False),
            sa.Column("who", sa.String, nullable=False),
            sa.Column("why", sa.String, nullable=False),
            sa.Column("subject", sa.String),
            sa.Column("unfinished", sa.JSON, nullable=False),
            sa.Column("held", sa.JSON, nullable=False),
            sa.Column("at", sa.String, nullable=False),
            sa.Index("ix_study_acts_study", "study"),
            sa.CheckConstraint(_KINDS, name="kind_is_known"),
        )
        with op.batch_alter_table("study_acts", recreate="always", copy_from=held):
            pass
    else:
        op.drop_constraint("kind_is_known", "study_acts", type_="check")
        op.create_check_constraint("kind_is_known", "study_acts", _KINDS)
