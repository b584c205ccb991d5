"""What the audits of all datasets came to, in words."""

from collections.abc import Mapping

from reviewer.oracle.checks import CHECKS
from reviewer.oracle.evidence import SEVERITIES
from reviewer.runs.audit import MARK
from store.database import Database
from store.findings import count_by_worst, count_marked


def audits_in_words(database: Database) -> dict[str, str]:
    """By dataset: whether it was audited, and how many cases have a worst finding of each severity."""
    with database.read() as session:
        audited = count_marked(session, MARK)
        worst = count_by_worst(session, [check.name for check in CHECKS], SEVERITIES)
    return {dataset: _in_words(*counts, worst.get(dataset, {})) for dataset, counts in audited.items()}


def _in_words(cases: int, audited: int, worst: Mapping[str, int]) -> str:
    if not audited:
        return "not audited"
    some = f" of {audited:,}" if audited < cases else ""
    found = ", ".join(f"{number:,} {severity}" for severity, number in worst.items())
    return f"audit{some}: {found or 'clean'}"
