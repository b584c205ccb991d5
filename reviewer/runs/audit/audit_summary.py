"""The audits of all datasets, summarised in words."""

from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.audit_state import AuditState, audit_state
from reviewer.runs.audit.check_texts import has_checks
from reviewer.runs.audit.dataset_audit import MARK
from store.cases import find_dataset
from store.database import Database
from store.findings import count_marked


def audits_in_words(database: Database) -> dict[str, str]:
    """By dataset: whether it was audited, and the number of cases whose worst finding has each severity."""
    with database.read() as session:
        audited = count_marked(session, MARK)
        headers = {name: header for name in audited if (header := find_dataset(session, name))}
    protocols = protocols_of(database)
    said: dict[str, str] = {}
    for dataset, counts in audited.items():
        protocol = protocols.usable(headers[dataset].protocol) if dataset in headers else None
        if protocol is None or not has_checks(protocol):
            said[dataset] = "nothing to audit"
        else:
            said[dataset] = _in_words(*counts, audit_state(database, dataset, protocol))
    return said


def _in_words(cases: int, audited: int, state: AuditState) -> str:
    if not audited:
        return "not audited"
    some = f" of {audited:,}" if audited < cases else ""
    return f"audit{some}: {state.earlier_words or state.clean_words}"
