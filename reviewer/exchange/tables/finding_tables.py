"""Findings on the cases of a dataset, and on the dataset as a whole."""

from collections.abc import Mapping

from reviewer.core.table import Cell
from reviewer.core.table_spec import Column, TableSpec, plain_column
from reviewer.exchange.tables.place_columns import CASE, KEY
from reviewer.protocols.base import DatasetFinding
from reviewer.runs.audit.audit_findings import severity_words
from store.findings import PlacedFinding
from store.records import Dismissal, JsonValue, canonical_json


def finding_spec(*, dismissals: bool) -> TableSpec[PlacedFinding]:
    """One row for each finding; ``dismissals`` adds who dismissed which, now or for an earlier version."""
    return TableSpec((*_FINDING, *(_DISMISSALS if dismissals else ())), keys=3)


def dataset_result_words(finding: DatasetFinding) -> str:
    """The severity of a failed check; "passed" or "not tested" otherwise."""
    return finding.severity if finding.state == "failed" else finding.state


def _json(value: JsonValue) -> str | None:
    return None if value is None else canonical_json(value)


def _case_name(row: PlacedFinding) -> str:
    return f"{row.place.dataset}:{row.place.key}"


def _programs(row: PlacedFinding) -> list[str]:
    """The programs that a finding is about, each once: variant and part, or a part that all share."""
    named = (" ".join(filter(None, (str(at["variant"]), str(at["part"])))) for at in row.finding.places or ())
    return list(dict.fromkeys(named))


def _line(row: PlacedFinding) -> Cell:
    places = row.finding.places or ()
    line: Cell = next((at["line"] for at in places), None)
    return line


def _places(row: PlacedFinding) -> str | None:
    return "; ".join(dict.fromkeys(map(_place, row.finding.places or ()))) or None


def _place(at: Mapping[str, JsonValue]) -> str:
    return " ".join(filter(None, (str(at["variant"]), f"{at['part']}:{at['line']}")))


def _by(dismissal: Dismissal | None, name: str) -> Cell:
    value: Cell = getattr(dismissal, name) if dismissal else None
    return value


_FINDING: tuple[Column[PlacedFinding], ...] = (
    plain_column("severity", "string", "serious, doubtful, untidy or not tested", severity_words, "severity"),
    plain_column("check", "string", "name of the check", lambda row: row.finding.check, "check"),
    plain_column("key", "string", KEY, lambda row: row.place.key),
    Column((), lambda _row: (), "case", shown=lambda row, _digits: _case_name(row)),
    plain_column("why", "string", "what the check found, in a sentence", lambda row: row.finding.why, "why"),
    plain_column("case", "string", "dataset and key, as `reviewer show` takes them", _case_name),
    plain_column("places", "string", "every place that the finding is about: program and line", _places),
    plain_column("dataset", "string", "name of the dataset", lambda row: row.place.dataset),
    plain_column("digest", "string", CASE, lambda row: row.place.case),
    plain_column("group", "string", "group of the case", lambda row: row.group),
    plain_column(
        "program",
        "string",
        "the program that the finding names first: its variant and part, or a part that all share",
        lambda row: next(iter(_programs(row)), None),
    ),
    plain_column("line", "integer", "the line in that program, from 1", _line),
    plain_column("check_version", "integer", "version of the check", lambda row: row.finding.check_version),
)
_DISMISSALS: tuple[Column[PlacedFinding], ...] = (
    plain_column(
        "dismissed_by",
        "string",
        "who dismissed the finding, which then does not stand",
        lambda row: _by(row.dismissal, "who"),
        "dismissed_by",
    ),
    plain_column(
        "because", "string", "why it was dismissed", lambda row: _by(row.dismissal, "why"), "because"
    ),
    plain_column(
        "earlier_dismissed_by",
        "string",
        "who dismissed what an earlier version of the check found; the finding stands",
        lambda row: _by(row.earlier, "who"),
    ),
    plain_column(
        "earlier_because",
        "string",
        "why that was dismissed",
        lambda row: _by(row.earlier, "why"),
    ),
    plain_column(
        "earlier_version",
        "integer",
        "version of the check that it was dismissed for",
        lambda row: _by(row.earlier, "check_version"),
    ),
)

DATASET_FINDINGS: TableSpec[DatasetFinding] = TableSpec(
    (
        plain_column(
            "result",
            "string",
            "passed, not tested, or how serious a failed check is: serious, doubtful or untidy",
            dataset_result_words,
            "result",
        ),
        plain_column("check", "string", "name of the check", lambda row: row.check, "check"),
        plain_column(
            "says", "string", "what the check found, in a sentence", lambda row: row.says, "what it found"
        ),
        plain_column(
            "value",
            "json",
            "the same as JSON, with the keys of all cases that repeat",
            lambda row: _json(row.value),
        ),
        plain_column("threshold", "json", "the limit as JSON", lambda row: _json(row.threshold)),
        plain_column("check_version", "integer", "version of the check", lambda row: row.version),
    ),
    keys=2,
)
"""One row for each check of a whole dataset, also for those that passed."""
