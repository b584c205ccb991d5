"""What the check of a store cannot find: what may change by design, is made again, or has no digest."""

from collections.abc import Mapping

from reviewer.core.sanitize import enumerated

UNCOVERED: Mapping[str, str] = {
    **dict.fromkeys(
        ("datasets.protocol", "datasets.source", "datasets.imported_at"), "the headers of datasets"
    ),
    "memberships.position": "the order of cases",
    "cases.payload_version": "the versions of payloads",
    **dict.fromkeys(("measurements", "findings", "embeddings"), "what machines measured and found"),
    **dict.fromkeys(("dismissals", "dataset_dismissals"), "dismissals"),
    "todos": "notes to do",
    "complaints": "reports of readers",
    "citations": "citations",
    "group_definitions": "definitions of groups",
    **dict.fromkeys(("releases.at", "releases, first row", "releases, last row"), "which releases were kept"),
    **dict.fromkeys(("study_descriptions", "dataset_descriptions"), "descriptions of studies and datasets"),
    **dict.fromkeys(
        ("assignments.years", "assignments.field", "assignments.degree", "assignments.joined_at"),
        "profiles of raters",
    ),
    **dict.fromkeys(("arrivals", "seats", "links"), "logs of merges and seats"),
    **dict.fromkeys(
        (
            *("runs", "run_roles", "run_cases", "run_chunks", "run_leases", "candidates", "calls"),
            *("endpoint_use", "outcomes"),
        ),
        "runs of models and what they answered",
    ),
    "searched_cases": "the index that finds cases by words",
}
"""Tables, columns of tables, and rows that no check covers, with their names for readers."""


def uncovered_words() -> str:
    """All of it in a sentence."""
    return enumerated(list(dict.fromkeys(UNCOVERED.values())))
