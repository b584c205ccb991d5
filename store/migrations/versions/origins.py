"""Origins of cases: people wrote them (``seed``), a model did (``generated``), or nobody says (``imported``).

Release 1.0 called every case of an import ``generated`` unless its file said otherwise.
"""

import sqlalchemy as sa
from alembic import op

revision = "1.1"
down_revision = "1.0"

_ORIGINS = "origin IN ('seed', 'generated', 'imported')"
_FROM_NAMES = (
    "UPDATE memberships SET origin = CASE generator WHEN 'hand-written' THEN 'seed' ELSE 'imported' END "
    "WHERE origin = 'generated' AND generator IN ('hand-written', 'not stated')"
)


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        # SQLite changes no check of a table, and batches forget checks: the table is written out.
        held = sa.Table(
            "memberships",
            sa.MetaData(),
            sa.Column("dataset", sa.String, sa.ForeignKey("datasets.name"), primary_key=True),
            sa.Column("key", sa.String, primary_key=True),
            sa.Column("case", sa.String, sa.ForeignKey("cases.digest"), nullable=False),
            sa.Column("position", sa.Integer, nullable=False),
            sa.Column("generator", sa.String, nullable=False),
            sa.Column("run", sa.String),
            sa.Column("origin", sa.String, nullable=False),
            sa.Column("extra", sa.JSON, nullable=False),
            sa.Column("raw", sa.Text),
            sa.Index("memberships_by_position", "dataset", "position"),
            sa.Index("ix_memberships_case", "case"),
            sa.CheckConstraint(_ORIGINS, name="origin_is_known"),
        )
        with op.batch_alter_table("memberships", recreate="always", copy_from=held):
            pass
    else:
        op.drop_constraint("origin_is_known", "memberships", type_="check")
        op.create_check_constraint("origin_is_known", "memberships", _ORIGINS)
    op.execute(_FROM_NAMES)
