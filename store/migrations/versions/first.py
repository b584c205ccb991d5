"""The schema of release 1.0. Nothing runs for it: new stores are made from the tables."""

revision = "1.0"
down_revision = None
