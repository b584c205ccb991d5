"""The audits of all datasets, summarised in words."""

from collections.abc import Mapping

from reviewer.core.check_result import SEVERITIES
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.check_texts import has_checks
from reviewer.runs.audit.dataset_audit import MARK
from store.cases import find_dataset
from store.database import Database
from store.findings import count_by_worst, count_marked, count_untested


def audits_in_words(database: Database) -> dict[str, str]:
    """By dataset: whether it was audited, and the number of cases whose worst finding has each severity."""
    with database.read() as session:
        audited = count_marked(session, MARK)
        worst = count_by_worst(session, SEVERITIES)
        untested = count_untested(session)
        headers = [header for name in audited if (header := find_dataset(session, name))]
    protocols = protocols_of(database)
    checked = {header.name for header in headers if has_checks(protocols.named(header.protocol))}
    return {
        dataset: _in_words(*counts, worst.get(dataset, {}), untested.get(dataset, 0))
        if dataset in checked
        else "nothing to audit"
        for dataset, counts in audited.items()
    }


def _in_words(cases: int, audited: int, worst: Mapping[str, int], untested: int) -> str:
    if not audited:
        return "not audited"
    some = f" of {audited:,}" if audited < cases else ""
    counts_in_words = [f"{number:,} {severity}" for severity, number in worst.items()]
    counts_in_words += [f"{untested:,} not fully tested"] if untested else []
    return f"audit{some}: {', '.join(counts_in_words) or 'clean'}"
