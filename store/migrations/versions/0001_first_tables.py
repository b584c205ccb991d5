"""The first release's tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "cases",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("protocol", sa.String(), nullable=False),
        sa.Column("group", sa.String(), nullable=False),
        sa.Column("payload_version", sa.Integer(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index(op.f("ix_cases_group"), "cases", ["group"], unique=False)
    op.create_table(
        "datasets",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("protocol", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("imported_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "studies",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("protocol", sa.String(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("view", sa.String(), nullable=False),
        sa.Column("design", sa.JSON(), nullable=False),
        sa.Column("questions", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("closed_at", sa.String(), nullable=True),
        sa.CheckConstraint("view IN ('full', 'paper')", name="view_is_known"),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "assignments",
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("order_seed", sa.BigInteger(), nullable=False),
        sa.Column("joined_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["study"],
            ["studies.name"],
        ),
        sa.PrimaryKeyConstraint("study", "rater"),
    )
    op.create_table(
        "findings",
        sa.Column("case", sa.String(), nullable=False),
        sa.Column("check", sa.String(), nullable=False),
        sa.Column("check_version", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("threshold", sa.JSON(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("question", sa.String(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.CheckConstraint("severity IN ('serious', 'doubtful', 'untidy')", name="severity_is_known"),
        sa.ForeignKeyConstraint(
            ["case"],
            ["cases.digest"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("case", "check", "check_version", name="one_result"),
    )
    op.create_table(
        "measurements",
        sa.Column("case", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("variant", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("dataset", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("engine", sa.String(), nullable=False),
        sa.Column("program", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.CheckConstraint("source IN ('published', 'measured')", name="source_is_known"),
        sa.ForeignKeyConstraint(
            ["case"],
            ["cases.digest"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint(
            "case", "name", "variant", "source", "dataset", "key", "engine", "program", name="one_value"
        ),
    )
    op.create_table(
        "memberships",
        sa.Column("dataset", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("case", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("generator", sa.String(), nullable=False),
        sa.Column("run", sa.String(), nullable=True),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("extra", sa.JSON(), nullable=False),
        sa.CheckConstraint("origin IN ('seed', 'generated')", name="origin_is_known"),
        sa.ForeignKeyConstraint(
            ["case"],
            ["cases.digest"],
        ),
        sa.ForeignKeyConstraint(
            ["dataset"],
            ["datasets.name"],
        ),
        sa.PrimaryKeyConstraint("dataset", "key"),
    )
    op.create_index(op.f("ix_memberships_case"), "memberships", ["case"], unique=False)
    op.create_index("memberships_by_position", "memberships", ["dataset", "position"], unique=False)
    op.create_table(
        "study_cases",
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("case", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("dataset", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("group", sa.String(), nullable=False),
        sa.Column("generator", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["case"],
            ["cases.digest"],
        ),
        sa.ForeignKeyConstraint(
            ["study"],
            ["studies.name"],
        ),
        sa.PrimaryKeyConstraint("study", "case"),
        sa.UniqueConstraint("study", "position", name="one_case_a_position"),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("case", sa.String(), nullable=False),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("question_digest", sa.String(), nullable=False),
        sa.Column("showing", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=True),
        sa.Column("target", sa.String(), nullable=True),
        sa.Column("supersedes", sa.JSON(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("active_ms", sa.Integer(), nullable=True),
        sa.Column("digest", sa.String(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('label', 'undo', 'skip', 'comment', 'flag', 'note', 'reason', 'adjudication')",
            name="kind_is_known",
        ),
        sa.CheckConstraint("phase IN ('before', 'after')", name="phase_is_known"),
        sa.ForeignKeyConstraint(
            ["study", "case"],
            ["study_cases.study", "study_cases.case"],
        ),
        sa.ForeignKeyConstraint(
            ["study", "rater"],
            ["assignments.study", "assignments.rater"],
        ),
        sa.ForeignKeyConstraint(
            ["study"],
            ["studies.name"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("events_by_rater", "events", ["study", "rater", "id"], unique=False)
