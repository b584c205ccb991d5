"""Findings on the cases of a dataset, and on the dataset as a whole."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reviewer.core.number_text import all_digits
from reviewer.core.table import Cell, Column, TableSpec, plain_column
from reviewer.protocols.base import DatasetFinding
from reviewer.results.tables.place_columns import CASE, KEY
from reviewer.runs.check.finding_changes import FindingChange
from store.findings import PlacedFinding
from store.records import Dismissal, JsonValue, canonical_json


def finding_spec(*, dismissals: bool) -> TableSpec[PlacedFinding]:
    """One row for each finding; ``dismissals`` adds who dismissed which, now or for an earlier version."""
    return TableSpec((*_FINDING, *(_DISMISSALS if dismissals else ())), keys=3)


def dataset_result_words(finding: DatasetFinding) -> str:
    """How serious what a check found is, or "dismissed"; else "passed" or "not tested"."""
    if finding.state != "failed":
        return finding.state
    return finding.severity if finding.stands else "dismissed"


def dataset_finding_words(finding: DatasetFinding) -> str:
    """What a check found about a dataset, and who dismissed it, now or when it found something else."""
    if finding.dismissal is not None:
        return f"{finding.says} Dismissed by {finding.dismissal.who}: {finding.dismissal.why}"
    if finding.earlier is not None:
        return (
            f"{finding.says} {finding.earlier.who} dismissed another result of this check: "
            f"{finding.earlier.why}"
        )
    return finding.says


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
    plain_column(
        "severity", "string", "serious, doubtful, untidy or not tested", lambda row: row.severity, "severity"
    ),
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

FINDING_CHANGES: TableSpec[FindingChange] = TableSpec(
    (
        plain_column(
            "change",
            "string",
            "new: only the new version has the finding; gone: only the old one; stays: both have it",
            lambda row: row.change,
            "change",
        ),
        plain_column(
            "severity", "string", "serious, doubtful or untidy", lambda row: row.severity, "severity"
        ),
        plain_column("check", "string", "name of the check", lambda row: row.check, "check"),
        plain_column("key", "string", f"{KEY}; empty for the dataset as a whole", lambda row: row.key, "key"),
        plain_column(
            "record", "integer", "number of the case in its file, from 1", lambda row: row.record, "record"
        ),
        plain_column(
            "content",
            "string",
            "added, changed or removed, if the content of the case is not the same in both",
            lambda row: row.content,
            "content",
        ),
        plain_column("why", "string", "what the check found, in a sentence", lambda row: row.why, "why"),
    ),
    keys=4,
)
"""One row for each finding of two versions of a dataset."""

DATASET_FINDINGS: TableSpec[DatasetFinding] = TableSpec(
    (
        plain_column(
            "result",
            "string",
            "passed, not tested, dismissed, or how serious a failed check is: serious, doubtful or untidy",
            dataset_result_words,
            "result",
        ),
        plain_column("check", "string", "name of the check", lambda row: row.check, "check"),
        plain_column("says", "string", "what the check found, in a sentence", lambda row: row.says),
        Column((), lambda _row: (), "what it found", shown=lambda row, _digits: dataset_finding_words(row)),
        plain_column(
            "value",
            "json",
            "the same as JSON, with the keys of all cases that repeat",
            lambda row: _json(row.value),
        ),
        plain_column("threshold", "json", "the limit as JSON", lambda row: _json(row.threshold)),
        plain_column("check_version", "integer", "version of the check", lambda row: row.version),
        plain_column("severity", "string", "how serious it is if the check fails", lambda row: row.severity),
        plain_column(
            "dismissed_by",
            "string",
            "who dismissed what the check found, which then does not stand",
            lambda row: row.dismissal.who if row.dismissal else None,
        ),
        plain_column(
            "because",
            "string",
            "why it was dismissed",
            lambda row: row.dismissal.why if row.dismissal else None,
        ),
    ),
    keys=2,
)
"""One row for each check of a whole dataset, also for those that passed."""


@dataclass(frozen=True, slots=True)
class DatasetDetail:
    """A value with its number of cases, or a case that repeats others, as a check of a dataset counted them.

    Cases with the same ``repeat``, from 1, repeat each other.
    """

    check: str
    value: str | None = None
    cases: int | None = None
    of: int | None = None
    repeat: int | None = None
    key: str | None = None


def dataset_details(finding: DatasetFinding) -> Iterator[DatasetDetail]:
    """The values that a check counted and the cases that repeat; none if the check gave neither."""
    value = finding.value if isinstance(finding.value, dict) else {}
    for counted, cases in value.get("counts", {}).items():
        yield DatasetDetail(finding.check, counted, cases, value.get("of"))
    for key, passage in value.get("found", {}).items():
        yield DatasetDetail(finding.check, passage, key=key)
    for repeat, keys in enumerate(value.get("keys", ()), 1):
        for key in keys:
            yield DatasetDetail(finding.check, repeat=repeat, key=key)


DATASET_DETAILS: TableSpec[DatasetDetail] = TableSpec(
    (
        plain_column("check", "string", "name of the check", lambda row: row.check, "check"),
        plain_column(
            "value",
            "string",
            "a value that was counted, or the passage that was found in the case",
            lambda row: row.value,
            "value",
        ),
        plain_column("cases", "integer", "number of cases with this value", lambda row: row.cases, "cases"),
        plain_column("of", "integer", "number of cases that were counted", lambda row: row.of, "of"),
        plain_column(
            "share",
            "number",
            "cases divided by the number of cases that were counted",
            lambda row: all_digits(row.cases / row.of) if row.cases is not None and row.of else None,
        ),
        plain_column(
            "repeat",
            "integer",
            "number of a value that repeats: cases with the same number have the same value",
            lambda row: row.repeat,
            "repeat",
        ),
        plain_column("key", "string", KEY, lambda row: row.key, "key"),
    ),
    keys=1,
)
"""One row for each value that a check of a dataset counted, and for each case that repeats."""
