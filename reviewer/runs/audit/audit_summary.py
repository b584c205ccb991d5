"""The audits of all datasets, summarised in words."""

from collections.abc import Mapping

from reviewer.core.check_result import SEVERITIES
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.audit_state import AUDIT_CLEAN, AuditState, audit_state
from reviewer.runs.audit.check_texts import has_checks
from reviewer.runs.audit.dataset_audit import MARK
from store.cases import find_dataset
from store.database import Database
from store.findings import count_by_worst, count_marked, count_untested


def audits_in_words(database: Database) -> dict[str, str]:
    """By dataset: whether it was audited, the number of cases whose worst finding has each severity, and how
    many cases are clean.
    """
    with database.read() as session:
        audited = count_marked(session, MARK)
        worst = count_by_worst(session, SEVERITIES)
        untested = count_untested(session)
        headers = {name: header for name in audited if (header := find_dataset(session, name))}
    protocols = protocols_of(database)
    said: dict[str, str] = {}
    for dataset, counts in audited.items():
        protocol = protocols.usable(headers[dataset].protocol) if dataset in headers else None
        if protocol is None or not has_checks(protocol):
            said[dataset] = "nothing to audit"
        else:
            state = audit_state(database, dataset, protocol)
            said[dataset] = _in_words(*counts, worst.get(dataset, {}), untested.get(dataset, 0), state)
    return said


def _in_words(cases: int, audited: int, worst: Mapping[str, int], untested: int, state: AuditState) -> str:
    if not audited:
        return "not audited"
    some = f" of {audited:,}" if audited < cases else ""
    counts_in_words = [f"{number:,} {severity}" for severity, number in worst.items()]
    counts_in_words += [f"{untested:,} not fully tested"] if untested else []
    if state.earlier:
        counts_in_words.append(f"{len(state.earlier):,} by earlier checks")
    elif counts_in_words:
        counts_in_words.append(f"{len(state.audit_clean):,} {AUDIT_CLEAN}")
    return f"audit{some}: {', '.join(counts_in_words) or 'clean'}"
