"""What the audits of all datasets came to, in words."""

from collections.abc import Mapping

from reviewer.oracle.checks import CHECKS
from reviewer.oracle.evidence import SEVERITIES
from reviewer.runs.audit.dataset_audit import MARK
from store.database import Database
from store.findings import count_by_worst, count_marked, count_untested

_CHECKS = [check.name for check in CHECKS]


def audits_in_words(database: Database) -> dict[str, str]:
    """By dataset: whether it was audited, and how many cases have a worst finding of each severity."""
    with database.read() as session:
        audited = count_marked(session, MARK)
        worst = count_by_worst(session, _CHECKS, SEVERITIES)
        untested = count_untested(session, _CHECKS)
    return {
        dataset: _in_words(*counts, worst.get(dataset, {}), untested.get(dataset, 0))
        for dataset, counts in audited.items()
    }


def _in_words(cases: int, audited: int, worst: Mapping[str, int], untested: int) -> str:
    if not audited:
        return "not audited"
    some = f" of {audited:,}" if audited < cases else ""
    found = [f"{number:,} {severity}" for severity, number in worst.items()]
    found += [f"{untested:,} not fully tested"] if untested else []
    return f"audit{some}: {', '.join(found) or 'clean'}"
