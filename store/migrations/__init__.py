"""Schema changes since release 1.0, oldest first; run when an older store is opened.

A new store is made from the tables as they are now, so a change of the records is also a migration here.
"""

REVISIONS = ("1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6")
"""Every revision under versions that this release opens, oldest first (a test compares them)."""
HEAD = REVISIONS[-1]
LAST_BEFORE = "d9d852bf"
"""The last commit that opens what was made before release 1.0, and writes files that later ones read."""
MADE_BEFORE = (
    "it was made before release 1.0",
    f"commit {LAST_BEFORE} of this program opens it, and `reviewer datasets export` and `reviewer export` "
    "there write files with its cases and labels, which you can import here",
)
"""The error of a store, pack or release that nothing here reads, and the remedy."""


def is_made_before(revision: str) -> bool:
    """Whether a store with this revision, which is none of ours, was made before release 1.0."""
    return revision.startswith("00") or "draft" in revision
